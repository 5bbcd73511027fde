import type { ModelRequest } from "@elwood/core/model/model";
import { listen, READ_TOOL, requestOf, retryingClock } from "@elwood/testkit/contract-request";
import { startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import { responses } from "@elwood/testkit/responses-wire";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeOpenaiResponses, toParams } from "./openai-responses.ts";

let server: OpenaiServer;
beforeEach(async () => {
  server = await startOpenai();
});
afterEach(() => server.close());

const provider = () =>
  makeOpenaiResponses({
    who: {
      id: "openai",
      label: "OpenAI",
      baseUrl: server.baseUrl,
      local: false,
      credential: { type: "api_key", secret: "sk-test-key", source: "OPENAI_API_KEY" },
    },
    clock: retryingClock(),
    random: () => 0.5,
  });

describe("the request", () => {
  test("nothing is stored, the session's key goes along for the cache, reasoning comes encrypted", async () => {
    vi.stubEnv("OPENAI_ORG_ID", "org-of-somebody-else");
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1");
    server.willRespond(responses.reply("ok"));
    await listen(provider(), requestOf({ model: "gpt-5.5", cacheKey: "ses_1", tools: [READ_TOOL] }));
    expect(server.last().body).toMatchObject({
      store: false,
      stream: true,
      instructions: "You are a test.",
      prompt_cache_key: "ses_1",
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "function", name: "files__file__read", strict: false }],
    });
    expect(server.last().headers).toMatchObject({ authorization: "Bearer sk-test-key" });
    expect(server.last().headers).not.toHaveProperty("openai-organization");
  });

  test.each<[string, ModelRequest["effort"], unknown]>([
    ["gpt-5.5", undefined, undefined],
    ["gpt-5.5", "high", { effort: "high", summary: "auto" }],
    ["gpt-5.5", "off", { effort: "none" }],
    ["gpt-5-mini", "off", { effort: "minimal" }],
    ["o4-mini", "off", { effort: "low" }],
    ["gpt-4.1", "high", undefined],
    ["gpt-5-chat-latest", "high", undefined],
  ])("%s reasons as asked (%s)", (model, effort, reasoning) => {
    const params = toParams(requestOf({ model, ...(effort ? { effort } : {}) }), new Map(), "openai");
    expect(params.reasoning).toEqual(reasoning);
  });

  test("temperature goes only to models that take one, and the least answer has 16 tokens", () => {
    expect(
      toParams(requestOf({ model: "gpt-4.1", temperature: 0.3, maxOutputTokens: 2 }), new Map(), "openai"),
    ).toMatchObject({ temperature: 0.3, max_output_tokens: 16 });
    expect(toParams(requestOf({ model: "gpt-4.1", topP: 0.9 }), new Map(), "openai")).toMatchObject({
      top_p: 0.9,
    });
    expect(
      toParams(requestOf({ model: "gpt-5.5", temperature: 0.3 }), new Map(), "openai"),
    ).not.toHaveProperty("temperature");
  });
});

describe("the answer", () => {
  test("the last event makes good an item whose own events were lost", async () => {
    const reply = { items: [{ type: "text" as const, text: "whole" }] };
    server.willRespond(responses.stream([...responses.opening(), responses.closing(reply)]));
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      type: "done",
      blocks: [{ type: "text", text: "whole" }],
    });
  });

  test("a refusal is read out, and is a refusal", async () => {
    server.willRespond(responses.output({ items: [{ type: "refusal", refusal: "I cannot do that." }] }));
    const heard = await listen(provider(), requestOf());
    expect(heard.text).toBe("I cannot do that.");
    expect(heard.last).toMatchObject({ stopReason: "refusal", blocks: [{ text: "I cannot do that." }] });
  });

  test("an answer stopped by a filter is a refusal too", async () => {
    server.willRespond(responses.reply("half", { incomplete: "content_filter" }));
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      type: "done",
      stopReason: "refusal",
    });
  });

  test.each([
    ["rate_limit_exceeded", "RATE_LIMITED"],
    ["server_error", "UPSTREAM_ERROR"],
    ["invalid_prompt", "REFUSED"],
    ["context_length_exceeded", "CONTEXT_FULL"],
  ])("%s after 200, as response.failed or as a bare error, is %s", async (code, reason) => {
    const failed = responses.stream([...responses.opening(), responses.failed(code)]);
    const bare = responses.stream([...responses.opening(), responses.errorEvent(code)]);
    server.willRespond(failed, bare, failed, bare);
    const first = await listen(provider(), requestOf());
    expect(first.last).toMatchObject({ type: "failed", failure: { reason } });
  });

  test("reasoning without encrypted bytes is shown but not kept for replay", async () => {
    server.willRespond(
      responses.output({
        items: [
          { type: "reasoning", summary: "hm" },
          { type: "text", text: "x" },
        ],
      }),
    );
    const { last } = await listen(provider(), requestOf());
    expect(last.blocks[0]).toEqual({ type: "thinking", text: "hm" });
  });
});
