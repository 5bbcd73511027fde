import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { SETUP_TOKEN, testAuthService } from "../../test/auth/test-credentials.ts";

const manualClock = () => new ManualClock({ autoAdvance: true });

const HOUR = 3_600_000;
const ENVIRONMENT = { ANTHROPIC_OAUTH_TOKEN: "canary-env-oauth", ANTHROPIC_API_KEY: "canary-env-key" };

async function twoProfiles(env = {}) {
  const made = await testAuthService(manualClock(), { env });
  await made.authService.set({ provider: "anthropic", name: "work", secret: "canary-work-key" });
  await made.authService.set({ provider: "anthropic", name: "home", secret: "canary-home-key" });
  return made;
}

test("OA-9: a pinned profile goes first, then the profile order, then the environment", async () => {
  const { credentials, authService, clock } = await twoProfiles(ENVIRONMENT);
  const secretOf = async (pinned?: string) => {
    const found = await credentials.resolve("anthropic", pinned);
    return found.ok ? found.value.secret : found.error.reason;
  };
  expect(await secretOf()).toBe("canary-work-key");
  expect(await secretOf("anthropic:home")).toBe("canary-home-key");
  await authService.prefer("anthropic:home");
  expect(await secretOf()).toBe("canary-home-key");
  await credentials.coolDown("anthropic:home", clock.now() + HOUR);
  expect(await secretOf()).toBe("canary-work-key");
  await credentials.coolDown("anthropic:work", clock.now() + HOUR);
  expect(await secretOf()).toBe("canary-env-oauth");
  await clock.advance(HOUR);
  expect(await secretOf()).toBe("canary-home-key");
});

test("OA-9: in the environment ANTHROPIC_OAUTH_TOKEN goes before ANTHROPIC_API_KEY", async () => {
  const both = await testAuthService(manualClock(), { env: ENVIRONMENT });
  expect(await both.credentials.resolve("anthropic")).toEqual({
    ok: true,
    value: { type: "oauth", secret: "canary-env-oauth", source: "ANTHROPIC_OAUTH_TOKEN" },
  });
  const key = await testAuthService(manualClock(), { env: { ANTHROPIC_API_KEY: "canary-env-key" } });
  expect(await key.credentials.resolve("anthropic")).toEqual({
    ok: true,
    value: { type: "api_key", secret: "canary-env-key", source: "ANTHROPIC_API_KEY" },
  });
});

test("OA-9: with nothing set the failure names the command that helps", async () => {
  const { credentials } = await testAuthService(manualClock());
  const told = async (provider: string) => {
    const found = await credentials.resolve(provider);
    return found.ok ? "" : `${found.error.reason} ${found.error.message}`;
  };
  expect(await told("anthropic")).toBe(
    "NO_MODEL No key for Anthropic is set. Add one with: elwood auth anthropic (or set ANTHROPIC_API_KEY). Nothing was sent.",
  );
  expect(await told("my-llm")).toContain("elwood auth my-llm --base-url");
  expect(await credentials.lookup("anthropic")).toEqual({ ok: true, value: undefined });
});

test("OA-9: other providers read <NAME>_API_KEY, and local servers need none", async () => {
  const { credentials } = await testAuthService(manualClock(), {
    env: { MY_LLM_API_KEY: "canary-own", OPENAI_API_KEY: "canary-openai" },
    config: "providers:\n  my-llm:\n    baseUrl: https://llm.example/v1\n",
  });
  expect(await credentials.resolve("my-llm")).toMatchObject({
    value: { secret: "canary-own", source: "MY_LLM_API_KEY" },
  });
  expect(await credentials.resolve("openai")).toMatchObject({ value: { secret: "canary-openai" } });
  expect(await credentials.resolve("ollama")).toMatchObject({ ok: true, value: { secret: "" } });
  expect(await credentials.providersWithKey()).toEqual(["openai", "my-llm"]);
});

test("a pinned profile that cannot be used is a failure, never another account", async () => {
  const { credentials, clock } = await twoProfiles(ENVIRONMENT);
  await credentials.coolDown("anthropic:work", clock.now() + HOUR);
  const resting = await credentials.resolve("anthropic", "anthropic:work");
  expect(resting).toMatchObject({ ok: false, error: { reason: "RATE_LIMITED", retryAfterMs: HOUR } });
  expect(resting.ok ? "" : resting.error.message).toMatch(
    /^anthropic:work rests until \d\d:\d\d, and it was chosen to pay\. Nothing was sent\. Choose another \(anthropic:home, environment:\w+\) or wait\.$/,
  );
  const gone = await credentials.resolve("anthropic", "anthropic:gone");
  expect(gone.ok ? "" : gone.error.message).toContain("elwood auth list");
  expect(await credentials.resolve("openai", "anthropic:work")).toMatchObject({ ok: false });
});

test("OA-9: when all profiles rest or have expired, the failure says which and until when", async () => {
  const { credentials, clock, folder } = await twoProfiles();
  const path = join(folder.root, "home/auth-profiles.json");
  const file = JSON.parse(readFileSync(path, "utf8")) as { profiles: Record<string, unknown>[] };
  file.profiles[0]!["expiresAt"] = clock.now() - 1;
  writeFileSync(path, JSON.stringify(file));
  await credentials.coolDown("anthropic:home", Date.UTC(2026, 10, 15, 14, 32));
  const found = await credentials.resolve("anthropic");
  expect(found.ok ? "" : found.error.message).toBe(
    "No key for Anthropic can be used now: anthropic:work expired on 15 Nov 2026, anthropic:home rests until 14:32. Nothing was sent. Wait, or add another: elwood auth anthropic --name second",
  );
  expect(await credentials.providersWithKey()).toEqual([]);
});

test("OA-9: a store that cannot be understood is told instead of going around it", async () => {
  const { credentials, folder } = await testAuthService(manualClock(), { env: ENVIRONMENT });
  folder.write("home/auth-profiles.json", "{");
  expect(await credentials.resolve("anthropic")).toMatchObject({ ok: false, error: { reason: "STORAGE" } });
});

test("a subscription token in ANTHROPIC_API_KEY is used as what it is", async () => {
  const { credentials } = await testAuthService(manualClock(), { env: { ANTHROPIC_API_KEY: SETUP_TOKEN } });
  expect(await credentials.resolve("anthropic")).toMatchObject({ value: { type: "oauth" } });
});

test("OA-11: lastUsedAt is kept to the minute, so that a busy day does not wear the disk", async () => {
  const { credentials, clock } = await twoProfiles();
  const lastUsed = async () => (await credentials.list())[0]?.lastUsedAt;
  const first = clock.now();
  await credentials.used("anthropic:work");
  expect(await lastUsed()).toBe(first);
  await clock.advance(30_000);
  await credentials.used("anthropic:work");
  expect(await lastUsed()).toBe(first);
  await clock.advance(30_000);
  await credentials.used("anthropic:work");
  expect(await lastUsed()).toBe(first + 60_000);
  await credentials.used("anthropic:gone");
});

test("EL-18: knownSecrets holds every secret of the process, stored, from outside and from settings", async () => {
  const { credentials, authService } = await testAuthService(manualClock(), {
    env: {
      ...ENVIRONMENT,
      ELWOOD_TOKEN: "canary-owner-token-1",
      TELEGRAM_BOT_TOKEN: "canary-bot",
      X_SECRET: "canary-header",
    },
    config: "providers:\n  openai:\n    headers: { x-key: '${X_SECRET}' }\n",
  });
  await authService.set({ provider: "openai", secret: "canary-stored-key" });
  await authService.setToken(SETUP_TOKEN);
  const known = await credentials.knownSecrets();
  for (const secret of [
    "canary-env-oauth",
    "canary-env-key",
    "canary-owner-token-1",
    "canary-bot",
    "canary-header",
    "canary-stored-key",
    SETUP_TOKEN,
  ]) {
    expect(known).toContain(secret);
  }
});
