import { LIMITS } from "@elwood/core/base/limits";
import { json } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeModels, type ProviderPlan } from "./models.ts";
import { ok } from "@elwood/core/base/result";
import { serverWindows } from "./server-window.ts";

async function scene(id = "mine") {
  const server = await new LoopbackServer({ refuse: () => json(404, { error: "not found" }) }).start();
  onTestFinished(() => server.close());
  const clock = new ManualClock({ start: 1_000_000 });
  const plan: ProviderPlan = {
    id,
    label: id,
    api: "chat",
    baseUrl: `${server.url}/v1`,
    keyNeeded: false,
  };
  const windows = serverWindows(clock);
  return {
    server,
    clock,
    known: (model = "small") => windows.known(plan, undefined, model),
    ask: (model = "small") => windows.ask(plan, undefined, model),
  };
}

describe("a server is asked for its window in its own format:", () => {
  test("vLLM names max_model_len in its list", async () => {
    const { server, ask } = await scene("vllm");
    server.always(
      "GET /v1/models",
      json(200, {
        object: "list",
        data: [
          { id: "other", max_model_len: 1_000 },
          { id: "small", object: "model", owned_by: "vllm", max_model_len: 16_384 },
        ],
      }),
    );
    expect(await ask()).toBe(16_384);
  });

  test("llama.cpp tells n_ctx of a slot in /props", async () => {
    const { server, ask } = await scene();
    server.always("GET /v1/models", json(200, { data: [{ id: "small", meta: { n_ctx_train: 131_072 } }] }));
    server.always(
      "GET /props",
      json(200, { default_generation_settings: { n_ctx: 8_192, params: {} }, total_slots: 4 }),
    );
    expect(await ask()).toBe(8_192);
  });

  test("LM Studio tells what a loaded model was loaded with, and of others only what they could take", async () => {
    const { server, ask } = await scene("lmstudio");
    server.always(
      "GET /api/v0/models",
      json(200, {
        data: [
          { id: "small", state: "loaded", max_context_length: 131_072, loaded_context_length: 4_096 },
          { id: "old", state: "not-loaded", max_context_length: 2_048 },
          { id: "large", state: "not-loaded", max_context_length: 131_072 },
        ],
      }),
    );
    expect([await ask(), await ask("old"), await ask("large")]).toEqual([4_096, 2_048, undefined]);
  });

  test("Ollama tells what a loaded model runs with", async () => {
    const { server, ask } = await scene("ollama");
    const row = { name: "small:latest", model: "small:latest", context_length: 4_096 };
    server.always("GET /api/ps", json(200, { models: [row] }));
    expect(await ask()).toBe(4_096);
    expect(server.requests.map(({ path }) => path)).toEqual(["/api/ps"]);
  });

  test("Ollama shows num_ctx of a model that is not loaded, else the length it was made for", async () => {
    const { server, ask } = await scene("ollama");
    server.always("GET /api/ps", json(200, { models: [] }));
    const info = { "general.architecture": "llama", "llama.context_length": 8_192 };
    server.script("POST /api/show", json(200, { parameters: "stop x\nnum_ctx    12288", model_info: info }));
    expect(await ask()).toBe(12_288);
    expect(server.last("POST /api/show").body).toEqual({ model: "small" });
    server.script("POST /api/show", json(200, { model_info: info }));
    expect(await ask("plain")).toBe(8_192);
  });
});

test("nothing is posted to a server that is no Ollama, and one that says nothing has an unknown window", async () => {
  const { server, ask } = await scene();
  server.always("GET /v1/models", json(200, { data: [{ id: "small" }] }));
  expect(await ask()).toBeUndefined();
  expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
});

test("a sure answer is kept for minutes, any other for seconds", async () => {
  const { server, ask, clock, known } = await scene("vllm");
  expect(known()).toBeUndefined();
  await ask();
  await ask();
  expect(server.requests).toHaveLength(1);
  await clock.advance(LIMITS.modelWindowUnsureMs);
  server.always("GET /v1/models", json(200, { data: [{ id: "small", max_model_len: 8_000 }] }));
  expect(await ask()).toBe(8_000);
  await clock.advance(LIMITS.modelWindowUnsureMs);
  await ask();
  expect(server.requests).toHaveLength(2);
  await clock.advance(LIMITS.modelListKeptMs);
  await ask();
  expect(server.requests).toHaveLength(3);
  expect(known()).toBe(8_000);
});

test("a server that does not answer is not waited for", async () => {
  const { server, ask } = await scene("vllm");
  server.always("GET /v1/models", async ({ gone }) => gone);
  expect(await ask()).toBeUndefined();
});

test("the owner's word goes before the server's, and the server's before what a name would say", async () => {
  const { server, clock } = await scene();
  server.always(
    "GET /v1/models",
    json(200, {
      data: [
        { id: "gpt-4o", max_model_len: 6_000 },
        { id: "set", max_model_len: 6_000 },
      ],
    }),
  );
  const models = makeModels({
    credentials: async () => ok(undefined),
    providers: { mine: { baseUrl: `${server.url}/v1` } },
    contextWindows: [{ match: "mine/set", tokens: 9_000 }],
    clock,
  });
  const resolved = async (model: string) => {
    const found = await models.resolve(`mine/${model}`);
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  };
  const set = await resolved("set");
  expect([set.contextTokens, set.askContextTokens]).toEqual([9_000, undefined]);
  expect(await (await resolved("gpt-4o")).askContextTokens!()).toBe(6_000);
  expect((await resolved("gpt-4o")).contextTokens).toBe(6_000);
});
