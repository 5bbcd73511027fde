import { APIError, BadRequestError, OpenAI } from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chat } from "./chat-wire.ts";
import { json } from "./answers.ts";
import { openaiError, startOpenai, type OpenaiServer } from "./openai-server.ts";
import { responses } from "./responses-wire.ts";

let server: OpenaiServer;
let client: OpenAI;
beforeEach(async () => {
  server = await startOpenai();
  client = new OpenAI({ apiKey: "sk-test", baseURL: server.baseUrl, maxRetries: 0, logLevel: "off" });
});
afterEach(() => server.close());

describe("Responses, driven by the official SDK", () => {
  const ask = { model: "gpt-5.5", input: "hi" };

  test("a text reply streams in numbered events and adds up", async () => {
    server.willRespond(
      responses.reply("Good morning to you.", { usage: { input: 50, cached: 40, output: 5 } }),
    );
    const running = client.responses.stream(ask);
    const numbers: number[] = [];
    let text = "";
    for await (const event of running) {
      numbers.push(event.sequence_number);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    const final = await running.finalResponse();
    expect(text).toBe("Good morning to you.");
    expect(final.output_text).toBe("Good morning to you.");
    expect(final.usage).toMatchObject({ input_tokens: 50, input_tokens_details: { cached_tokens: 40 } });
    expect(numbers).toEqual(numbers.map((_, i) => i));
    server.assertDone();
  });

  test("reasoning, parallel calls and a picture arrive whole", async () => {
    server.willRespond(
      responses.output({
        items: [
          { type: "reasoning", summary: "Thinking it over.", encrypted: "gAAA", id: "rs_1" },
          { type: "call", name: "files__read", input: { path: "ü" }, callId: "call_a" },
          { type: "call", name: "clock__now", callId: "call_b" },
          { type: "image", base64: "aGk=" },
        ],
      }),
    );
    const final = await client.responses.stream(ask).finalResponse();
    expect(final.output).toMatchObject([
      { type: "reasoning", id: "rs_1", encrypted_content: "gAAA", summary: [{ text: "Thinking it over." }] },
      { type: "function_call", call_id: "call_a", arguments: '{"path":"ü"}' },
      { type: "function_call", call_id: "call_b", arguments: "{}" },
      { type: "image_generation_call", result: "aGk=" },
    ]);
  });

  test("refusals and incomplete answers keep their shape", async () => {
    server.willRespond(
      responses.output({ items: [{ type: "refusal", refusal: "I cannot help with that." }] }),
      responses.reply("half", { incomplete: "max_output_tokens" }),
    );
    const refused = await client.responses.stream(ask).finalResponse();
    expect(refused.output).toMatchObject([
      { content: [{ type: "refusal", refusal: "I cannot help with that." }] },
    ]);
    const cutShort = await client.responses.create(ask);
    expect(cutShort).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
  });

  test("a failure after 200 comes as response.failed or as an error event", async () => {
    server.willRespond(
      responses.stream([...responses.opening(), responses.failed("server_error")]),
      responses.stream([...responses.opening(), responses.errorEvent("rate_limit_exceeded")]),
    );
    const events = await client.responses.create({ ...ask, stream: true });
    const types: string[] = [];
    for await (const event of events) types.push(event.type);
    expect(types.at(-1)).toBe("response.failed");
    const second = await client.responses.create({ ...ask, stream: true });
    const reading = (async () => {
      for await (const event of second) types.push(event.type);
    })();
    await expect(reading).rejects.toBeInstanceOf(APIError);
  });
});

describe("Chat Completions, driven by the official SDK", () => {
  const ask = { model: "local", messages: [{ role: "user" as const, content: "hi" }] };

  test("a reply streams; usage comes last, with no choices, when it was asked for", async () => {
    server.willChat(chat.reply("Hello there, friend.", { usage: { prompt: 20, completion: 4, cached: 16 } }));
    const events = await client.chat.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let last;
    for await (const chunk of events) {
      text += chunk.choices[0]?.delta.content ?? "";
      last = chunk;
    }
    expect(text).toBe("Hello there, friend.");
    expect(last).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 20, prompt_tokens_details: { cached_tokens: 16 } },
    });
  });

  test("parallel calls with streamed arguments add up in the SDK's own helper", async () => {
    server.willChat(
      chat.tools(
        [
          { name: "a", input: { n: 1 } },
          { name: "b", input: { m: "zwei" } },
        ],
        { text: "Both." },
      ),
    );
    const completion = await client.chat.completions.stream(ask).finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Both.",
        tool_calls: [
          { id: "call_0", function: { name: "a", arguments: '{"n":1}' } },
          { id: "call_1", function: { name: "b", arguments: '{"m":"zwei"}' } },
        ],
      },
    });
  });

  test("without stream the same builder answers plain JSON", async () => {
    server.willChat(chat.tools([{ name: "a", input: { n: 1 } }]));
    const completion = await client.chat.completions.create(ask);
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"n":1}' } }]);
    expect(completion.usage?.total_tokens).toBe(19);
  });

  test("quirks of compatible servers look on the wire as they do in the wild", async () => {
    const calls = [{ name: "a", input: { n: 1 } }, { name: "b" }];
    const deltas = (quirks: object) =>
      chat
        .chunks({ calls, quirks })
        .flatMap((c) => (typeof c === "object" && "choices" in c ? c.choices : [])) as {
        delta: { tool_calls?: Record<string, unknown>[] };
      }[];
    const calledIn = (quirks: object) => deltas(quirks).flatMap((c) => c.delta.tool_calls ?? []);
    expect(calledIn({ index: "zero", arguments: "whole" }).map((c) => c["index"])).toEqual([0, 0]);
    expect(calledIn({ index: "missing", arguments: "object" })[0]).toEqual({
      id: "call_0",
      type: "function",
      function: { name: "a", arguments: { n: 1 } },
    });
    expect(calledIn({ arguments: "none" })[1]).toMatchObject({ function: { name: "b" } });
    expect(JSON.stringify(chat.chunks({ text: "x", quirks: { usage: "none" } }))).not.toContain("usage");
  });
});

describe("errors and models", () => {
  test("an HTTP error becomes the SDK's own, code and headers included", async () => {
    server.willChat(openaiError(429, { code: "insufficient_quota", headers: { "retry-after-ms": "250" } }));
    const error = await client.chat.completions
      .create({ model: "m", messages: [{ role: "user", content: "x" }] })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ status: 429, code: "insufficient_quota" });
    expect((error as APIError).headers?.get("retry-after-ms")).toBe("250");
  });

  test("models can be listed", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toEqual(["gpt-5.5", "gpt-5.4-mini"]);
  });

  const call = { type: "function_call", call_id: "c1", name: "t", arguments: "{}" };
  const user = { role: "user", content: "x" };
  const assistantCall = {
    role: "assistant",
    tool_calls: [{ id: "c1", type: "function", function: { name: "t", arguments: "{}" } }],
  };
  test.each<[string, string, object, RegExp]>([
    ["a call without output", "responses", { input: [user, call] }, /No tool output found/],
    [
      "an output without call",
      "responses",
      { input: [{ type: "function_call_output", call_id: "c9", output: "x" }] },
      /No tool call found/,
    ],
    [
      "reasoning without what follows",
      "responses",
      { input: [user, { type: "reasoning", id: "rs", summary: [], encrypted_content: "e" }] },
      /required following item/,
    ],
    [
      "a stored item's id without a store",
      "responses",
      {
        store: false,
        input: [user, { ...call, id: "fc_1" }, { type: "function_call_output", call_id: "c1", output: "x" }],
      },
      /not found/,
    ],
    [
      "input_text from the assistant",
      "responses",
      { input: [{ role: "assistant", content: [{ type: "input_text", text: "x" }] }] },
      /not supported for role assistant/,
    ],
    ["too small a limit", "responses", { input: "x", max_output_tokens: 5 }, />= 16/],
    [
      "effort for a model that cannot",
      "responses",
      { model: "gpt-4.1", input: "x", reasoning: { effort: "low" } },
      /Unsupported parameter/,
    ],
    [
      "a call nobody answers",
      "chat",
      { messages: [user, assistantCall, user] },
      /must be followed by tool messages/,
    ],
    [
      "a tool message out of nowhere",
      "chat",
      { messages: [user, { role: "tool", tool_call_id: "c1", content: "x" }] },
      /must follow a message/,
    ],
    [
      "broken arguments in the history",
      "chat",
      {
        messages: [
          user,
          { role: "assistant", tool_calls: [{ id: "c1", function: { name: "t", arguments: "{oops" } }] },
        ],
      },
      /not a JSON object/,
    ],
    ["an empty message", "chat", { messages: [{ role: "user", content: "" }] }, /content is empty/],
  ])("refuses %s", async (_name, api, body, complaint) => {
    const path = api === "responses" ? "/responses" : "/chat/completions";
    server.script(`POST /v1${path}`, json(200, {}));
    const error = await client.post(path, { body: { model: "gpt-5.5", ...body } }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(() => server.assertDone()).toThrow(complaint);
  });
});
