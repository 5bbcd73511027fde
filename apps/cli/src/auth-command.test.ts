import { failure, FailureError } from "@elwood/core/base/failure";
import { err, ok } from "@elwood/core/base/result";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { SETUP_TOKEN, testAuthService } from "@elwood/gateway/test/auth/test-credentials";
import type { TestCredential } from "@elwood/gateway/auth/auth-service";
import {
  addKey,
  addSetupToken,
  listKeys,
  preferKey,
  removeKey,
  testKeys,
  type AuthDeps,
} from "./auth-command.ts";
import { EXIT } from "./io.ts";
import { testIo } from "./test-io.ts";

const KEY = "canary-key-0123456789-4f2a";

async function setting(options: { env?: Record<string, string>; answer?: TestCredential } = {}) {
  const made = await testAuthService(new ManualClock({ autoAdvance: true }), options);
  const deps: AuthDeps = { authService: made.authService, clock: made.clock, timeZone: "UTC" };
  return { ...made, deps };
}

/** A terminal that the masked question can be asked on. */
function terminal() {
  const io = testIo({ tty: true });
  Object.assign(io.stdin, { setRawMode: () => io.stdin });
  return io;
}

function piped(text: string) {
  const io = testIo();
  io.type(text);
  io.hangUp();
  return io;
}

const plain = { provider: "anthropic", keyStdin: false, json: false };

async function refusal(work: Promise<unknown>): Promise<FailureError> {
  const cause = await work.catch((error: unknown) => error);
  if (!(cause instanceof FailureError)) throw new Error(`not refused: ${String(cause)}`);
  return cause;
}

test("OA-9: a key from a pipe is tried with one call, stored, and never printed", async () => {
  const { deps, tested, authService } = await setting({
    answer: async () => ok({ model: "claude-haiku-5-5", ms: 640, costUsd: 0.00012 }),
  });
  const io = piped(`${KEY}\n`);
  expect(await addKey(io, deps, plain)).toBe(EXIT.ok);
  expect(io.out()).toBe(
    "Anthropic answered (claude-haiku-5-5, 640 ms, about $0.00012). Saved as anthropic:default.\n",
  );
  expect(io.out() + io.err()).not.toContain("canary");
  expect(tested[0]?.[1].secret).toBe(KEY);
  expect((await authService.list()).profiles).toHaveLength(1);
});

test("OA-9: a key that the provider refuses is not stored", async () => {
  const { deps, authService } = await setting({
    answer: async () => err(failure("AUTH", "Anthropic refused the key ending …4f2a (401).")),
  });
  const refused = await refusal(addKey(piped(KEY), deps, plain));
  expect(refused.message).toBe("Anthropic refused the key ending …4f2a (401). Nothing was saved.");
  expect((await authService.list()).profiles).toEqual([]);
});

test("a person at a terminal is asked behind a mask; what they type shows nowhere", async () => {
  const { deps, tested } = await setting();
  const io = terminal();
  const adding = addKey(io, deps, plain);
  await expect.poll(() => io.err()).toContain("Key for Anthropic");
  io.type(`${KEY}\r`);
  expect(await adding).toBe(EXIT.ok);
  expect(tested[0]?.[1].secret).toBe(KEY);
  expect(io.err()).toContain("https://console.anthropic.com/settings/keys");
  expect(io.err()).toContain("•");
  expect(io.out() + io.err()).not.toContain("canary");
});

test("Ctrl-C at the question ends with 130's failure, and nothing is stored", async () => {
  const { deps, tested } = await setting();
  const io = terminal();
  const adding = refusal(addKey(io, deps, plain));
  await expect.poll(() => io.err()).toContain("Key for Anthropic");
  io.type("\u0003");
  expect((await adding).failure.reason).toBe("ABORTED");
  expect(tested).toEqual([]);
});

test("--key-stdin reads standard input even at a terminal", async () => {
  const { deps, tested } = await setting();
  const io = testIo({ tty: true });
  io.type(KEY);
  io.hangUp();
  expect(await addKey(io, deps, { ...plain, keyStdin: true })).toBe(EXIT.ok);
  expect(tested[0]?.[1].secret).toBe(KEY);
});

test("input without end is cut off with words", async () => {
  const { deps } = await setting();
  const refused = await refusal(addKey(piped("canary".repeat(20_000)), deps, plain));
  expect(refused.failure.reason).toBe("INVALID_INPUT");
  expect(refused.message).toContain("far too long");
});

test("a server of the owner's own takes an address, an API, a model and a name", async () => {
  const { deps, tested } = await setting();
  const options = {
    provider: "my-llm",
    baseUrl: "https://llm.example/v1",
    api: "responses",
    model: "small",
    name: "work",
  };
  const io = piped(KEY);
  expect(await addKey(io, deps, { ...plain, ...options, json: true })).toBe(EXIT.ok);
  expect(tested[0]).toMatchObject([
    "my-llm",
    { baseUrl: "https://llm.example/v1", profileId: "my-llm:work" },
    { api: "responses", baseUrl: "https://llm.example/v1" },
    "small",
  ]);
  expect(io.json()).toMatchObject({ ok: true, profile: { id: "my-llm:work", hint: "…4f2a" } });
  expect(io.out()).not.toContain("canary");
  expect((await refusal(addKey(piped(KEY), deps, { ...plain, api: "soap" }))).message).toContain(
    "--api must be",
  );
});

test("a second key says that another one goes first, and how to change that", async () => {
  const { deps } = await setting();
  await addKey(piped(KEY), deps, plain);
  const io = piped(`${KEY}-two`);
  await addKey(io, deps, { ...plain, name: "home" });
  expect(io.out()).toContain(
    "Another key for Anthropic goes first. To use this one: elwood auth prefer anthropic:home",
  );
  const prefer = testIo();
  expect(await preferKey(prefer, deps, { profile: "anthropic:home", json: false })).toBe(EXIT.ok);
  expect(prefer.out()).toBe("anthropic:home goes first for Anthropic now.\n");
});

test("OA-8: setup-token explains the way, warns of the terms, and saves anthropic:manual as the preferred token", async () => {
  const { deps, authService, tested } = await setting();
  await authService.set({ provider: "anthropic", secret: KEY });
  const io = piped(`${SETUP_TOKEN}\n`);
  expect(await addSetupToken(io, deps, { keyStdin: false, json: false })).toBe(EXIT.ok);
  expect(io.err()).toContain("claude setup-token");
  expect(io.err()).toMatch(/Anthropic's terms allow subscription tokens in its own products only/);
  expect(io.err()).toContain("elwood auth anthropic\n");
  expect(io.out()).toContain("Saved as anthropic:manual (…nary)");
  expect(io.out()).toContain("elwood auth test anthropic:manual");
  expect(io.out() + io.err()).not.toContain(SETUP_TOKEN);
  expect(tested).toHaveLength(1);
  const { profiles } = await authService.list();
  expect(profiles.find((profile) => profile.preferred)).toMatchObject({
    id: "anthropic:manual",
    type: "token",
  });
});

test("OA-8: what is no setup token is refused, and the key that worked stays preferred", async () => {
  const { deps, authService } = await setting();
  await authService.set({ provider: "anthropic", secret: KEY });
  const refused = await refusal(
    addSetupToken(piped("sk-ant-api03-canary"), deps, { keyStdin: false, json: false }),
  );
  expect(refused.message).toContain("elwood auth anthropic");
  expect((await authService.list()).profiles).toMatchObject([{ id: "anthropic:default", preferred: true }]);
});

test("OA-9: auth list shows each key's place and state, and only the end of it", async () => {
  const { deps, authService, credentials, clock } = await setting({
    env: { OPENAI_API_KEY: "canary-openai-key-9876" },
  });
  await authService.set({ provider: "anthropic", name: "work", secret: KEY });
  await authService.set({ provider: "anthropic", name: "home", secret: `${KEY}-home` });
  await credentials.coolDown("anthropic:work", clock.now() + 3_600_000);
  await credentials.used("anthropic:home");
  const io = testIo();
  expect(await listKeys(io, deps, { json: false })).toBe(EXIT.ok);
  const rows = io
    .out()
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ["PROFILE", "TYPE", "KEY", "SERVER", "FROM", "STATE"],
    ["anthropic:work", "api_key", "…4f2a", "auth-profiles.json", "resting until Sun 2026-11-15 10:00"],
    ["anthropic:home", "api_key", "…home", "auth-profiles.json", "goes first, used just now"],
    ["environment:OPENAI_API_KEY", "api_key", "…9876", "environment OPENAI_API_KEY", "goes first"],
  ]);
  expect(io.out()).not.toContain("canary");
  const json = testIo();
  await listKeys(json, deps, { json: true });
  expect(json.json()).toMatchObject({ profiles: [{ id: "anthropic:work" }, {}, {}] });
  expect(json.out()).not.toContain("canary");
});

test("after a key was saved it is told which model answers, and how to change that where it is another", async () => {
  const { deps } = await setting();
  const server = { ...plain, baseUrl: "http://127.0.0.1:8001/v1", json: false };
  const configFile = "/home/me/config.yaml";
  const said = async (name: string, answers: string, model?: string) => {
    const io = piped(KEY);
    const [provider = "", answering = ""] = answers.split("/");
    const now = ok({ ref: { provider, model: answering }, demo: provider === "demo" });
    await addKey(
      io,
      { ...deps, configFile, answering: async () => now },
      { ...server, provider: name, ...(model === undefined ? {} : { model }) },
    );
    return io.out().split("\n")[1];
  };
  expect(await said("one", "one/hand", "hand")).toBe('one/hand answers now. Talk to it: elwood "hello"');
  expect(await said("two", "demo/scripted")).toBe(
    "The demo model still answers. To have a model of two answer, write this into /home/me/config.yaml: model: two/NAME",
  );
  // Whoever chose the demo keeps it.
  expect(await said("four", "demo/scripted", "hand")).toMatch(
    /^The demo model still answers\. To have four\/hand answer, write this into .*: model: four\/hand$/,
  );
  expect(await said("three", "anthropic/claude-sonnet-5-5", "hand")).toBe(
    "anthropic/claude-sonnet-5-5 answers. To have three/hand answer, write this into /home/me/config.yaml: model: three/hand",
  );
});

test("a model that is named with its server answers where otherwise the demo would", async () => {
  const { deps } = await setting();
  const io = piped(KEY);
  let name = "demo/scripted";
  const answering = async () => {
    const [provider = "", model = ""] = name.split("/");
    return ok({ ref: { provider, model }, demo: provider === "demo" });
  };
  const choose = async (model: string) => void (name = model);
  const server = { ...plain, provider: "home-llm", baseUrl: "http://127.0.0.1:8001/v1", model: "hand" };
  await addKey(io, { ...deps, answering, choose }, server);
  expect(io.out()).toContain('home-llm/hand answers now. Talk to it: elwood "hello"\n');
  const other = { ...server, provider: "attic-llm" };
  const second = piped(KEY);
  await addKey(second, { ...deps, answering, choose }, other);
  expect(second.out()).toContain("home-llm/hand answers. To have attic-llm/hand answer, ");
});

test("auth list without keys says how to add one", async () => {
  const { deps } = await setting();
  const io = testIo();
  await listKeys(io, deps, { json: false });
  expect(io.out()).toBe("No key is stored or set. Add one: elwood auth anthropic\n");
});

test("auth test tries one key, or all of them, and answers 1 where any fails", async () => {
  const { deps, authService } = await setting({
    env: { OPENAI_API_KEY: "canary-openai-key-9876" },
    answer: async (provider) =>
      provider === "openai" ? err(failure("AUTH", "OpenAI refused the key.")) : ok({ model: "small", ms: 5 }),
  });
  await authService.set({ provider: "anthropic", secret: KEY });
  const one = testIo();
  expect(await testKeys(one, deps, { profile: "anthropic:default", json: false })).toBe(EXIT.ok);
  expect(one.out()).toBe("anthropic:default: It answered (small, 5 ms).\n");
  const all = testIo();
  expect(await testKeys(all, deps, { json: false })).toBe(EXIT.failed);
  expect(all.out()).toContain("environment:OPENAI_API_KEY: OpenAI refused the key.\n");
  const json = testIo();
  expect(await testKeys(json, deps, { json: true })).toBe(EXIT.failed);
  expect(json.json()).toMatchObject({
    results: [
      { ok: true, model: "small" },
      { ok: false, error: { reason: "AUTH" } },
    ],
  });
  const unknown = testIo();
  expect(await testKeys(unknown, deps, { profile: "anthropic:gone", json: false })).toBe(EXIT.failed);
});

test("auth test with nothing to test is refused with the command that helps", async () => {
  const { deps } = await setting();
  expect((await refusal(testKeys(testIo(), deps, { json: false }))).message).toContain(
    "elwood auth anthropic",
  );
});

test("auth remove takes the key away here and says that it still opens the door there", async () => {
  const { deps, authService } = await setting();
  await authService.set({ provider: "anthropic", secret: KEY });
  const io = testIo();
  expect(await removeKey(io, deps, { profile: "anthropic:default", json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("until you revoke it there");
  expect((await authService.list()).profiles).toEqual([]);
  expect(
    (await refusal(removeKey(io, deps, { profile: "anthropic:default", json: false }))).failure.reason,
  ).toBe("NOT_FOUND");
});

test("a provider's name is enough for its only key, and not where it has two", async () => {
  const { deps, authService } = await setting();
  await addKey(piped(KEY), deps, plain);
  expect(await testKeys(testIo(), deps, { profile: "anthropic", json: false })).toBe(EXIT.ok);
  await addKey(piped(`${KEY}-2`), deps, { ...plain, name: "work" });
  const refused = await refusal(removeKey(testIo(), deps, { profile: "anthropic", json: false }));
  expect(refused.message).toContain("anthropic:default, anthropic:work");
  await removeKey(testIo(), deps, { profile: "anthropic:work", json: false });
  const io = testIo();
  expect(await removeKey(io, deps, { profile: "anthropic", json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("anthropic:default was removed");
  expect((await authService.list()).profiles).toEqual([]);
});

test("a server's name that is taken is refused with what is there, and given up with --replace", async () => {
  const { deps, authService } = await setting();
  const server = { ...plain, provider: "home-llm", baseUrl: "http://127.0.0.1:8001/v1" };
  const other = { ...server, baseUrl: "http://127.0.0.1:8002/v1" };
  await addKey(piped(KEY), deps, server);
  const refused = await refusal(addKey(piped(KEY), deps, other));
  expect(refused.message).toBe(
    "home-llm is there already (home-llm:default, the server at http://127.0.0.1:8001/v1). Nothing was saved, and it was not changed. Give the new one another name. To replace it, key included: elwood auth home-llm --replace",
  );
  expect(await addKey(piped(KEY), deps, { ...other, replace: true })).toBe(EXIT.ok);
  expect((await authService.list()).profiles.map(({ baseUrl }) => baseUrl)).toEqual([other.baseUrl]);
});
