import { json } from "@elwood/testkit/answers";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { chat } from "@elwood/testkit/chat-wire";
import { ManualClock } from "@elwood/testkit/manual-clock";
import {
  CHAT_ROUTE,
  openaiError,
  openaiModels,
  startOpenai,
  type OpenaiServer,
} from "@elwood/testkit/openai-server";
import { responses } from "@elwood/testkit/responses-wire";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Credential } from "./credential.ts";
import { makeLiveTest } from "./live-test.ts";

let server: OpenaiServer;
beforeEach(async () => {
  server = await startOpenai();
});
afterEach(() => server.close());

const clock = new ManualClock();
const key = (baseUrl: string): Credential => ({
  type: "api_key",
  secret: "sk-live-test-0123456789-wxyz",
  source: "stdin",
  baseUrl,
});

describe("a live test", () => {
  test("is one tiny completion, and tells model, usage and price", async () => {
    const a = await startAnthropic();
    a.will(
      anthropic.reply("ready", {
        usage: { input_tokens: 1_000, output_tokens: 100 },
        model: "claude-sonnet-5-5-2026",
      }),
    );
    const result = await makeLiveTest({ clock })("anthropic", key(a.url));
    expect(result).toMatchObject({
      ok: true,
      value: { model: "claude-sonnet-5-5-2026", usage: { inputTokens: 1_000, outputTokens: 100 } },
    });
    expect(result.ok && result.value.costUsd).toBeCloseTo(0.0045);
    expect(a.requests).toHaveLength(1);
    expect(a.last().body).toMatchObject({ max_tokens: 256 });
    await a.close();
  });

  test("a key that is refused fails at once, without another try", async () => {
    server.willRespond(openaiError(401));
    const result = await makeLiveTest({ clock })("openai", key(server.baseUrl));
    expect(result).toMatchObject({
      ok: false,
      error: { reason: "AUTH", message: expect.stringContaining("…wxyz") },
    });
    server.assertDone();
  });

  test("a passing fault is not waited out: a person is waiting", async () => {
    server.willRespond(openaiError(503));
    expect(await makeLiveTest({ clock })("openai", key(server.baseUrl))).toMatchObject({
      ok: false,
      error: { reason: "OVERLOADED" },
    });
  });

  test("a model by name is asked for by name", async () => {
    server.willRespond(responses.reply("ready"));
    await makeLiveTest({ clock })("openai", key(server.baseUrl), "gpt-5.4-mini");
    expect(server.last().body).toMatchObject({ model: "gpt-5.4-mini" });
  });

  test("a server without a usual model is asked for its list first", async () => {
    server.always("GET /v1/models", openaiModels(["qwen3", "llama4"])).willChat(chat.reply("ready"));
    const result = await makeLiveTest({ clock, providers: { home: { baseUrl: server.baseUrl } } })(
      "home",
      undefined,
    );
    expect(result.ok).toBe(true);
    expect(server.last(CHAT_ROUTE).body).toMatchObject({ model: "qwen3" });
  });

  test.each<[string, number, unknown, string]>([
    ["lists nothing", 200, { data: [] }, "NO_MODEL"],
    ["refuses the key", 401, { error: { message: "no" } }, "AUTH"],
    ["answers nonsense", 200, { models: "none" }, "BAD_REPLY"],
  ])("a server that %s is told apart", async (_name, status, body, reason) => {
    server.always("GET /v1/models", json(status, body));
    const tested = await makeLiveTest({ clock })("ollama", key(server.baseUrl));
    expect(tested).toMatchObject({ ok: false, error: { reason } });
    // Nobody sent a message, and nothing of an answer had come.
    expect(JSON.stringify(tested)).not.toContain("kept");
  });

  test("a provider nobody knows needs an address", async () => {
    const { baseUrl: _, ...bare } = key("");
    expect(await makeLiveTest({ clock })("nobody", bare)).toMatchObject({
      ok: false,
      error: { reason: "MODEL_UNKNOWN" },
    });
  });
});
