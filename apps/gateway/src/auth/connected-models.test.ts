import { LIMITS } from "@elwood/core/base/limits";
import { ok } from "@elwood/core/base/result";
import { json } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, onTestFinished, test } from "vitest";
import { knownProvider } from "@elwood/providers/known-providers";
import { connectedModels } from "./connected-models.ts";

const NOWHERE = { baseUrl: "http://127.0.0.1:9/v1" };

/** Providers with keys at loopback addresses; servers on this machine are looked for where nobody is. */
async function scene(keys: readonly string[]) {
  const server = await new LoopbackServer().start();
  onTestFinished(() => server.close());
  const clock = new ManualClock({ start: 1_000_000 });
  const at = (id: string) => (id === "anthropic" ? server.url : `${server.url}/${id}`);
  const list = connectedModels({
    credentials: {
      lookup: async () => ok({ type: "api_key", secret: "sk-loopback", source: "test" }),
      endpoint: async (id) => ({ api: knownProvider(id)?.api ?? "chat", baseUrl: at(id) }),
      providersWithKey: async () => keys,
    },
    providers: { ollama: NOWHERE, lmstudio: NOWHERE },
    contextWindows: [{ match: "mine/*", tokens: 9_000 }],
    clock,
  });
  const lists = (path: string, ids: readonly string[]) =>
    server.always(`GET ${path}`, json(200, { data: ids.map((id) => ({ id })) }));
  return { server, clock, list, lists };
}

test("each provider with a key is asked for its models; the usual one stands first, with what it takes at once", async () => {
  const { list, lists, server } = await scene(["anthropic", "mine"]);
  lists("/v1/models", ["claude-haiku-5-5", "claude-sonnet-5-5"]);
  lists("/mine/models", ["small"]);
  expect(await list()).toEqual([
    {
      provider: "anthropic",
      name: "Anthropic",
      models: [
        { model: "anthropic/claude-sonnet-5-5", contextTokens: 200_000 },
        { model: "anthropic/claude-haiku-5-5", contextTokens: 200_000 },
      ],
    },
    { provider: "mine", name: "mine", models: [{ model: "mine/small", contextTokens: 9_000 }] },
  ]);
  expect(server.requests[0]!.headers["x-api-key"]).toBe("sk-loopback");
});

test("a list is kept for a while and then asked for again", async () => {
  const { list, lists, server, clock } = await scene(["mine"]);
  lists("/mine/models", ["one"]);
  await list();
  await list();
  expect(server.requests).toHaveLength(1);
  await clock.advance(LIMITS.modelListKeptMs);
  await list();
  expect(server.requests).toHaveLength(2);
});

test("a provider that does not tell its models keeps its usual one, says why, and is asked again", async () => {
  const { list, lists, server } = await scene(["anthropic"]);
  server.script("GET /v1/models", json(401, { error: { message: "who are you" } }));
  const [refused] = await list();
  expect(refused!.models.map(({ model }) => model)).toEqual(["anthropic/claude-sonnet-5-5"]);
  expect(refused!.problem).toMatch(/Anthropic/);
  lists("/v1/models", ["claude-haiku-5-5"]);
  const [told] = await list();
  expect(told!.problem).toBeUndefined();
  expect(told!.models).toHaveLength(2);
});

test("what draws, hears or embeds is left out, and of very many models the first are named", async () => {
  const { list, lists } = await scene(["openai", "openrouter"]);
  const aside = ["text-embedding-3-large", "gpt-image-1", "whisper-1", "gpt-4o-audio-preview"];
  lists("/openai/models", [...aside, "gpt-5.5-mini"]);
  lists(
    "/openrouter/models",
    Array.from({ length: LIMITS.providerModelsMax + 3 }, (_, i) => `m${i}`),
  );
  const [openai, openrouter] = await list();
  expect(openai!.models.map(({ model }) => model)).toEqual(["openai/gpt-5.5", "openai/gpt-5.5-mini"]);
  expect(openrouter).toMatchObject({ leftOut: 3 });
  expect(openrouter!.models).toHaveLength(LIMITS.providerModelsMax);
});

test("where no key is set and nothing runs on this machine, there is nothing to choose", async () => {
  const { list, server } = await scene([]);
  expect(await list()).toEqual([]);
  expect(server.requests).toEqual([]);
});
