import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { failure, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { RESULTS } from "@elwood/core/protocol/results";
import { err, ok } from "@elwood/core/base/result";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { startOpenai } from "@elwood/testkit/openai-server";
import { expect, test } from "vitest";
import { SETUP_TOKEN, testAuthService } from "../../test/auth/test-credentials.ts";

const manualClock = () => new ManualClock({ autoAdvance: true });

test("OA-9: a key is stored only after it answered one live call, and what comes back never holds it", async () => {
  const { authService, tested, learned, folder } = await testAuthService(manualClock(), {
    answer: async () => ok({ model: "anthropic/claude-haiku-5-5", ms: 640, costUsd: 0.0001 }),
  });
  const result = await authService.set({ provider: "anthropic", secret: "  canary-key-1234567\n" });
  expect(RESULTS["auth.set"].parse(result)).toMatchObject({
    ok: true,
    model: "anthropic/claude-haiku-5-5",
    ms: 640,
    profile: { id: "anthropic:default", type: "api_key", hint: "…4567", preferred: true },
  });
  expect(JSON.stringify(result)).not.toContain("canary");
  expect(tested).toHaveLength(1);
  expect(tested[0]).toMatchObject([
    "anthropic",
    { type: "api_key", secret: "canary-key-1234567" },
    { api: "anthropic", baseUrl: "https://api.anthropic.com" },
    undefined,
  ]);
  expect(learned).toEqual(["canary-key-1234567"]);
  expect(readFileSync(join(folder.root, "home/auth-profiles.json"), "utf8")).toContain("canary-key-1234567");
});

test("OA-9: a key that fails its test is not stored, and the failure says so", async () => {
  const { authService, folder } = await testAuthService(manualClock(), {
    answer: async () => err(failure("AUTH", "Anthropic refused the key ending …4567 (401).")),
  });
  await expect(authService.set({ provider: "anthropic", secret: "canary-key-1234567" })).rejects.toThrow(
    "Anthropic refused the key ending …4567 (401). Nothing was saved.",
  );
  expect(existsSync(join(folder.root, "home/auth-profiles.json"))).toBe(false);
});

test("OA-8: a setup token is checked for its shape, saved as anthropic:manual of type token, and preferred", async () => {
  const { authService, credentials, tested, folder } = await testAuthService(manualClock());
  await authService.set({ provider: "anthropic", secret: "canary-api-key-1" });
  const wrapped = `${SETUP_TOKEN.slice(0, 60)}\n  ${SETUP_TOKEN.slice(60)}\n`;
  expect(await authService.setToken(wrapped)).toMatchObject({
    id: "anthropic:manual",
    type: "token",
    preferred: true,
  });
  expect(tested).toHaveLength(1);
  expect(await credentials.resolve("anthropic")).toMatchObject({
    value: { type: "token", secret: SETUP_TOKEN, profileId: "anthropic:manual" },
  });
  const file: unknown = JSON.parse(readFileSync(join(folder.root, "home/auth-profiles.json"), "utf8"));
  expect(file).toMatchObject({
    order: { anthropic: ["anthropic:manual", "anthropic:default"] },
    secrets: { "anthropic:manual": { type: "token", token: SETUP_TOKEN } },
  });
});

test.each([
  ["", "does not look like a setup token"],
  ["sk-ant-oat01-short", "does not look like a setup token"],
  ["sk-ant-api03-" + "canary".repeat(14), "That is an API key, not a setup token"],
  ["hello canary world", "does not look like a setup token"],
  [`${SETUP_TOKEN}!`, "does not look like a setup token"],
])("OA-8: %s is refused as a setup token, with words that do not repeat it", async (token, words) => {
  const { authService } = await testAuthService(manualClock());
  const refused = (await authService.setToken(token).catch((cause: unknown) => cause)) as FailureError;
  expect(refused).toBeInstanceOf(FailureError);
  expect(refused.failure.reason).toBe("INVALID_INPUT");
  expect(refused.message).toContain(words);
  expect(refused.message).not.toContain("canary");
});

test.each([
  [{ provider: "anthropic", secret: "" }, "console.anthropic.com"],
  [{ provider: "anthropic", secret: "canary one two" }, "other characters that no key has"],
  [{ provider: "anthropic", secret: "export KEY=canary" }, "line of a shell script"],
  [{ provider: "anthropic", secret: '"canary-quoted"' }, "without quotes"],
  [{ provider: "anthropic", secret: SETUP_TOKEN }, "elwood auth anthropic setup-token"],
  [{ provider: "anthropic", secret: "canary".repeat(5_000) }, "far too long"],
  [{ provider: "Not A Name", secret: "canary-12345678" }, "is not a provider's name"],
  [{ provider: "anthropic", name: "../x", secret: "canary-12345678" }, "is not a profile's name"],
  [{ provider: "my-llm", secret: "canary-12345678" }, "--base-url"],
  [{ provider: "my-llm", secret: "canary-12345678", baseUrl: "nowhere" }, "The base URL must be an address"],
])("a credential that cannot be right is refused before anything is sent (%#)", async (given, words) => {
  const { authService, tested } = await testAuthService(manualClock());
  const refused = (await authService.set(given).catch((cause: unknown) => cause)) as FailureError;
  expect(refused.failure.reason).toBe("INVALID_INPUT");
  expect(refused.message).toContain(words);
  expect(refused.message).not.toContain("canary");
  expect(tested).toEqual([]);
});

test("a server of the owner's own is tested at its address and with its API, and both are remembered", async () => {
  const { authService, credentials, tested } = await testAuthService(manualClock());
  await authService.set({
    provider: "my-llm",
    secret: "canary-own-key-1",
    baseUrl: "https://llm.example/v1/",
    api: "responses",
    model: "small",
  });
  expect(tested[0]?.[2]).toEqual({ api: "responses", baseUrl: "https://llm.example/v1" });
  expect(tested[0]?.[3]).toBe("small");
  expect(await credentials.endpoint("my-llm")).toEqual({
    api: "responses",
    baseUrl: "https://llm.example/v1",
  });
  expect(await credentials.resolve("my-llm")).toMatchObject({ value: { baseUrl: "https://llm.example/v1" } });
});

test("a server on this machine may be added without a key", async () => {
  const { authService } = await testAuthService(manualClock());
  const { profile } = await authService.set({
    provider: "my-llm",
    secret: "",
    baseUrl: "http://127.0.0.1:8000/v1",
  });
  expect(profile.id).toBe("my-llm:default");
});

test("entering a key again replaces it, keeps its place in the order, and ends its rest", async () => {
  const { authService, credentials, clock } = await testAuthService(manualClock());
  await authService.set({ provider: "openai", name: "a", secret: "canary-a-00000001" });
  await authService.set({ provider: "openai", name: "b", secret: "canary-b-00000001" });
  await credentials.coolDown("openai:a", clock.now() + 1_000_000);
  await authService.set({ provider: "openai", name: "a", secret: "canary-a-00000002" });
  expect(await credentials.resolve("openai")).toMatchObject({ value: { secret: "canary-a-00000002" } });
  expect((await authService.list()).profiles).toHaveLength(2);
});

test("OA-9: the list shows where each credential is and its last characters, never more", async () => {
  const { authService } = await testAuthService(manualClock(), {
    env: { OPENAI_API_KEY: "canary-openai-key-9876" },
  });
  await authService.set({ provider: "anthropic", secret: "canary-anthropic-key-4f2a" });
  const listed = RESULTS["auth.list"].parse(await authService.list());
  expect(listed.profiles.map(({ id, hint, source, preferred }) => [id, hint, source, preferred])).toEqual([
    ["anthropic:default", "…4f2a", "auth-profiles.json", true],
    ["environment:OPENAI_API_KEY", "…9876", "environment OPENAI_API_KEY", true],
  ]);
  expect(JSON.stringify(listed)).not.toContain("canary");
});

test("a stored key and one of the environment can be tested again by name", async () => {
  const { authService, tested } = await testAuthService(manualClock(), {
    env: { OPENAI_API_KEY: "canary-openai-key-1" },
  });
  await authService.set({ provider: "anthropic", secret: "canary-anthropic-1" });
  expect(RESULTS["auth.test"].parse(await authService.test("anthropic:default"))).toMatchObject({
    ok: true,
    ms: 12,
  });
  await authService.test("environment:OPENAI_API_KEY");
  expect(tested.map(([provider, { secret }]) => [provider, secret])).toEqual([
    ["anthropic", "canary-anthropic-1"],
    ["anthropic", "canary-anthropic-1"],
    ["openai", "canary-openai-key-1"],
  ]);
  await expect(authService.test("anthropic:gone")).rejects.toThrow("elwood auth list");
});

test("removing a key takes its secret out of the file", async () => {
  const { authService, folder } = await testAuthService(manualClock(), {
    env: { OPENAI_API_KEY: "canary-openai-key-1" },
  });
  await authService.set({ provider: "anthropic", secret: "canary-anthropic-1" });
  expect(await authService.remove("anthropic:default")).toEqual({ ok: true });
  expect(readFileSync(join(folder.root, "home/auth-profiles.json"), "utf8")).not.toContain("canary");
  await expect(authService.remove("anthropic:default")).rejects.toThrow("no stored key");
  await expect(authService.remove("environment:OPENAI_API_KEY")).rejects.toThrow("Unset it where it is set");
  await expect(authService.prefer("anthropic:default")).rejects.toThrow("no stored key");
});

test("the number of stored keys has a limit, and reaching it is told", async () => {
  const { authService, credentials } = await testAuthService(manualClock());
  await credentials.store.change((file) => ({
    file: {
      ...file,
      profiles: Array.from({ length: LIMITS.authProfilesMax }, (_, i) => ({
        id: `openai:key${i}`,
        provider: "openai",
        type: "api_key" as const,
        secretRef: "x",
        createdAt: i,
      })),
    },
    result: undefined,
  }));
  await expect(authService.set({ provider: "anthropic", secret: "canary-12345678" })).rejects.toThrow(
    "Remove one first",
  );
});

const UP = "http://127.0.0.1:8001/v1";
const DOWN = "http://127.0.0.1:8002/v1";

test("servers have names: each keeps its address and key, and models are named by it", async () => {
  const { authService, credentials } = await testAuthService(manualClock());
  await authService.set({ provider: "upstairs", secret: "canary-up-123", baseUrl: UP });
  await authService.set({ provider: "downstairs", secret: "canary-down-123", baseUrl: DOWN });
  expect(await credentials.endpoint("upstairs")).toMatchObject({ baseUrl: UP });
  expect(await credentials.endpoint("downstairs")).toMatchObject({ baseUrl: DOWN });
  expect(await credentials.lookup("upstairs")).toMatchObject({ value: { secret: "canary-up-123" } });
});

test.each([
  ["the same name with another address", { provider: "mine", baseUrl: DOWN }],
  ["the same name with the same address", { provider: "mine", baseUrl: UP }],
  ["another key of it with another address", { provider: "mine", name: "second", baseUrl: DOWN }],
])("%s is refused before anything is sent, and what is there stays", async (_, given) => {
  const { authService, tested, credentials } = await testAuthService(manualClock());
  await authService.set({ provider: "mine", secret: "canary-one-123", baseUrl: UP });
  const refused = (await authService
    .set({ secret: "canary-two-123", ...given })
    .catch((cause: unknown) => cause)) as FailureError;
  expect(refused.failure.reason).toBe("CONFLICT");
  expect(refused.message).toContain(
    `mine is there already (mine:default, the server at ${UP}). Nothing was saved`,
  );
  expect(tested).toHaveLength(1);
  expect(await credentials.lookup("mine")).toMatchObject({
    value: { secret: "canary-one-123", baseUrl: UP },
  });
});

test("a server is replaced on purpose, address and key", async () => {
  const { authService, credentials } = await testAuthService(manualClock());
  await authService.set({ provider: "mine", secret: "canary-one-123", baseUrl: UP });
  await authService.set({ provider: "mine", secret: "canary-two-123", baseUrl: DOWN, replace: true });
  expect(await credentials.lookup("mine")).toMatchObject({
    value: { secret: "canary-two-123", baseUrl: DOWN },
  });
});

test("a vendor's key is replaced by a newer one without a word, but not by one for another place", async () => {
  const { authService } = await testAuthService(manualClock());
  await authService.set({ provider: "openai", secret: "canary-one-123" });
  await authService.set({ provider: "openai", secret: "canary-two-123" });
  await expect(authService.set({ provider: "openai", secret: "canary-three", baseUrl: UP })).rejects.toThrow(
    "openai is there already (openai:default, the server at https://api.openai.com/v1)",
  );
  await expect(authService.set({ provider: "demo", secret: "canary-four", baseUrl: UP })).rejects.toThrow(
    "demo is the name of the demo model",
  );
});

test("a test asks the model that a server was connected with, and counts as use", async () => {
  const clock = manualClock();
  const { authService, tested } = await testAuthService(clock);
  const { profile } = await authService.set({
    provider: "mine",
    secret: "canary-one-123",
    baseUrl: UP,
    model: "small",
  });
  expect(profile.lastUsedAt).toBe(clock.now());
  await clock.advance(LIMITS.authTouchMs);
  await authService.test("mine:default");
  expect(tested.at(-1)![3]).toBe("small");
  expect((await authService.list()).profiles[0]!.lastUsedAt).toBe(clock.now());
});

test("the models of a server are listed before it is connected, with the key where one is given; nothing is stored", async () => {
  const server = await startOpenai();
  try {
    const { authService, learned, folder } = await testAuthService(manualClock());
    const listed = await authService.modelsAt(server.baseUrl, "canary-key-1234567");
    expect(listed.length).toBeGreaterThan(0);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/models"]);
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer canary-key-1234567");
    expect(learned).toEqual(["canary-key-1234567"]);
    expect(existsSync(join(folder.root, "home/auth-profiles.json"))).toBe(false);
    await authService.modelsAt(server.baseUrl, undefined);
    expect(server.requests[1]?.headers["authorization"]).toBeUndefined();
    // The same rules as for a server that is kept.
    await expect(authService.modelsAt("http://models.example/v1", undefined)).rejects.toThrow(FailureError);
    await expect(authService.modelsAt("file:///etc/passwd", undefined)).rejects.toThrow(FailureError);
    await expect(authService.modelsAt(server.baseUrl, "two words")).rejects.toThrow(FailureError);
    expect(server.requests).toHaveLength(2);
  } finally {
    await server.close();
  }
});
