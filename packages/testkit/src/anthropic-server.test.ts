import {
  Anthropic,
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { gate, json } from "./answers.ts";
import { anthropic, startAnthropic, type AnthropicServer } from "./anthropic-server.ts";

let server: AnthropicServer;
let client: Anthropic;
beforeEach(async () => {
  server = await startAnthropic();
  client = new Anthropic({ apiKey: "sk-test", baseURL: server.url, maxRetries: 0, logLevel: "off" });
});
afterEach(() => server.close());

const ask = {
  model: "claude-sonnet-5-5",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "hi" }],
};

describe("driven by the official SDK", () => {
  test("a text reply streams and adds up to the message", async () => {
    server.will(
      anthropic.reply("Hello, and good morning.", {
        usage: {
          input_tokens: 3,
          output_tokens: 9,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 20,
        },
      }),
    );
    const seen: string[] = [];
    const message = await client.messages
      .stream(ask)
      .on("text", (t) => seen.push(t))
      .finalMessage();
    expect(seen.join("")).toBe("Hello, and good morning.");
    expect(seen.length).toBeGreaterThan(1);
    expect(message).toMatchObject({
      content: [{ type: "text", text: "Hello, and good morning." }],
      stop_reason: "end_turn",
      usage: {
        input_tokens: 3,
        output_tokens: 9,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 20,
      },
    });
    server.assertDone();
  });

  test("thinking with its signature, redacted thinking and parallel tools arrive whole", async () => {
    server.will(
      anthropic.message({
        content: [
          { type: "thinking", thinking: "Let me think about that.", signature: "sig+/=" },
          { type: "redacted_thinking", data: "opaque" },
          { type: "text", text: "I will look." },
          { type: "tool_use", id: "toolu_1", name: "files__read", input: { path: "a b/ü.txt" } },
          { type: "tool_use", id: "toolu_2", name: "clock__now" },
        ],
        stop: "tool_use",
      }),
    );
    const message = await client.messages.stream(ask).finalMessage();
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Let me think about that.", signature: "sig+/=" },
      { type: "redacted_thinking", data: "opaque" },
      { type: "text", text: "I will look." },
      { type: "tool_use", id: "toolu_1", name: "files__read", input: { path: "a b/ü.txt" } },
      { type: "tool_use", id: "toolu_2", name: "clock__now", input: {} },
    ]);
    expect(message.stop_reason).toBe("tool_use");
  });

  test.each([
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
  ])("stop reason %s is carried", async (stop) => {
    server.will(
      anthropic.reply("x", {
        stop,
        stopDetails: stop === "refusal" ? { type: "refusal", category: "cyber", explanation: null } : null,
      }),
    );
    const message = await client.messages.stream(ask).finalMessage();
    expect(message.stop_reason).toBe(stop);
    if (stop === "refusal") expect(message.stop_details?.category).toBe("cyber");
  });

  test("without stream the same builder answers plain JSON", async () => {
    server.will(anthropic.tools([{ name: "t", input: { a: 1 }, id: "toolu_9" }], { text: "Now." }));
    const message = await client.messages.create(ask);
    expect(message.content).toMatchObject([
      { type: "text", text: "Now." },
      { type: "tool_use", input: { a: 1 } },
    ]);
  });

  test.each([
    [401, AuthenticationError, "authentication_error"],
    [403, PermissionDeniedError, "permission_error"],
    [404, NotFoundError, "not_found_error"],
    [413, APIError, "request_too_large"],
    [429, RateLimitError, "rate_limit_error"],
    [500, InternalServerError, "api_error"],
    [529, InternalServerError, "overloaded_error"],
  ])("status %i becomes the SDK's own error, headers included", async (status, kind, type) => {
    server.will(anthropic.error(status, { headers: { "retry-after": "7" } }));
    const error = await client.messages.create(ask).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, type });
    expect((error as APIError).headers?.get("retry-after")).toBe("7");
  });

  test("an error after 200 is thrown by the SDK with its type", async () => {
    server.will(anthropic.stream([anthropic.start(), anthropic.errorEvent("overloaded_error")]));
    const error = await client.messages
      .stream(ask)
      .finalMessage()
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ type: "overloaded_error" });
  });

  test("broken JSON in an event breaks the SDK's reading", async () => {
    server.will(
      anthropic.stream([anthropic.start(), 'event: content_block_start\ndata: {"type": "cont\n\n']),
    );
    await expect(client.messages.stream(ask).finalMessage()).rejects.toThrow();
  });

  test("unknown events pass by without harm", async () => {
    const [first, ...rest] = anthropic.events({ content: [{ type: "text", text: "still here" }] });
    server.will(anthropic.stream([first!, anthropic.event("weather_report", { sunny: true }), ...rest]));
    const events = await client.messages.create({ ...ask, stream: true });
    const types: string[] = [];
    for await (const event of events) types.push(event.type);
    expect(types).toContain("weather_report");
    expect(types.at(-1)).toBe("message_stop");
  });

  test("a stream cut in the middle fails, and a gate holds it", async () => {
    const door = gate();
    server.will(
      anthropic.stream([
        anthropic.start(),
        ...anthropic.block({ type: "text", text: "abc" }, 0).slice(0, 2),
        { wait: door },
        { cut: true },
      ]),
    );
    const seen: string[] = [];
    const running = client.messages.stream(ask).on("text", (t) => {
      seen.push(t);
      door.open();
    });
    await expect(running.finalMessage()).rejects.toThrow();
    expect(seen).toEqual(["abc"]);
  });

  test("models can be listed", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain("claude-sonnet-5-5");
  });
});

describe("requests a real server would refuse", () => {
  const text = (value: string) => ({ type: "text" as const, text: value });
  const use = { type: "tool_use" as const, id: "toolu_1", name: "t", input: {} };
  const result = { type: "tool_result" as const, tool_use_id: "toolu_1", content: "ok" };

  test.each<[string, object, RegExp]>([
    ["empty text", { messages: [{ role: "user", content: [text(" ")] }] }, /non-whitespace/],
    ["an assistant first", { messages: [{ role: "assistant", content: "x" }] }, /first message/],
    [
      "a call without its result",
      {
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: [use] },
        ],
      },
      /without tool_result/,
    ],
    [
      "text beside a result",
      {
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: [use] },
          { role: "user", content: [result, text("and?")] },
        ],
      },
      /in silence/,
    ],
    [
      "a result nobody asked for",
      { messages: [{ role: "user", content: [result] }] },
      /unexpected tool_use_id/,
    ],
    [
      "dots in a tool's name",
      { tools: [{ name: "a.b", input_schema: { type: "object" } }] },
      /should match pattern/,
    ],
    [
      "five cache marks",
      { system: Array.from({ length: 5 }, () => ({ ...text("s"), cache_control: { type: "ephemeral" } })) },
      /maximum of 4/,
    ],
    [
      "thinking without a signature",
      {
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "" }] },
        ],
      },
      /signature/,
    ],
    ["a budget above max_tokens", { thinking: { type: "enabled", budget_tokens: 2048 } }, /greater than/],
    [
      "a picture from the assistant",
      {
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: [{ type: "image", source: {} }] },
        ],
      },
      /not allowed in assistant/,
    ],
  ])("%s", async (_name, change, complaint) => {
    server.script("POST /v1/messages", json(200, {}));
    const error = await client.messages.create({ ...ask, ...change }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(() => server.assertDone()).toThrow(complaint);
  });
});
