import { LIMITS } from "@elwood/core/base/limits";
import { json } from "@elwood/testkit/answers";
import { chat } from "@elwood/testkit/chat-wire";
import {
  listen,
  NOW_TOOL,
  READ_TOOL,
  requestOf,
  retryingClock,
  said,
} from "@elwood/testkit/contract-request";
import { openaiError, startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeOpenaiChat } from "./openai-chat.ts";

let server: OpenaiServer;
let clock = retryingClock();
beforeEach(async () => {
  server = await startOpenai();
  clock = retryingClock();
});
afterEach(() => {
  server.assertDone();
  return server.close();
});

const provider = (local = true) =>
  makeOpenaiChat({
    who: { id: "ollama", label: "Ollama", baseUrl: server.baseUrl, local },
    clock,
    random: () => 0.5,
  });
const withTools = requestOf({ tools: [READ_TOOL, NOW_TOOL] });
const calls = [{ name: "files__file__read", input: { path: "a" } }, { name: "clock__now" }];
const bothCalls = [
  { type: "tool_use", toolId: "files.file.read", input: { path: "a" } },
  { type: "tool_use", toolId: "clock.now", input: {} },
];

test("a server that was connected with an empty key is asked without one", async () => {
  server.willChat(chat.reply("Here."));
  const who = { id: "own", label: "Own", baseUrl: server.baseUrl, local: true };
  const credential = { type: "api_key", secret: "", source: "auth-profiles.json" } as const;
  const keyless = makeOpenaiChat({ who: { ...who, credential }, clock, random: () => 0.5 });
  expect((await listen(keyless, requestOf())).last).toMatchObject({ type: "done" });
});

describe("servers that differ", () => {
  test.each<[string, Parameters<typeof chat.tools>[1]]>([
    ["index 0 for every call (Ollama)", { quirks: { index: "zero", arguments: "whole" } }],
    ["no index, arguments as objects (Ollama)", { quirks: { index: "missing", arguments: "object" } }],
    ["neither index nor ids", { quirks: { index: "missing", ids: "missing", arguments: "whole" } }],
    ["finish_reason stop although tools are called (Ollama)", { finish: "stop" }],
    ["usage on the last choice", { quirks: { usage: "with-finish" } }],
  ])("calls are read from a server with %s", async (_name, options) => {
    server.willChat(chat.tools(calls, options));
    const { last } = await listen(provider(), withTools);
    expect(last).toMatchObject({ type: "done", stopReason: "tool_use", blocks: bothCalls });
    const ids = last.blocks.map((b) => (b.type === "tool_use" ? b.callId : ""));
    expect(new Set(ids).size).toBe(2);
  });

  test("a tool without input may come without arguments (vLLM)", async () => {
    server.willChat(chat.tools([{ name: "clock__now" }], { quirks: { arguments: "none" } }));
    expect((await listen(provider(), withTools)).last.blocks).toMatchObject([
      { toolId: "clock.now", input: {} },
    ]);
  });

  test("a call written into the text is taken out of it (vLLM)", async () => {
    server.willChat(
      chat.reply(
        'Let me look. <tool_call>\n{"name": "files__file__read", "arguments": {"path": "a"}}\n</tool_call>',
      ),
    );
    const heard = await listen(provider(), withTools);
    expect(heard.text.trim()).toBe("Let me look.");
    expect(heard.last).toMatchObject({
      stopReason: "tool_use",
      blocks: [{ type: "text" }, { toolId: "files.file.read", input: { path: "a" } }],
    });
  });

  test.each(["reasoning_content", "reasoning"] as const)("thinking comes in %s", async (reasoning) => {
    server.willChat(chat.reply("42", { reasoning: "Six by seven.", quirks: { reasoning } }));
    const heard = await listen(provider(), requestOf());
    expect(heard.thinking).toBe("Six by seven.");
    expect(heard.last.blocks).toEqual([
      { type: "thinking", text: "Six by seven." },
      { type: "text", text: "42" },
    ]);
  });

  test("thinking in tags at the start of the text is thinking", async () => {
    server.willChat(chat.reply("<think>\nSix by seven.\n</think>\n\n42"));
    const heard = await listen(provider(), requestOf());
    expect(heard.text).toBe("42");
    expect(heard.last.blocks).toEqual([
      { type: "thinking", text: "Six by seven." },
      { type: "text", text: "42" },
    ]);
  });

  test("without counts the usage is estimated, and says so", async () => {
    server.willChat(chat.reply("word ".repeat(100), { quirks: { usage: "none" } }));
    const { last } = await listen(provider(), requestOf({ system: "s".repeat(400) }));
    expect(last.usage).toMatchObject({ estimated: true, outputTokens: 125 });
    expect(last.usage!.inputTokens).toBeGreaterThan(100);
  });

  test("zeros are no counts", async () => {
    server.willChat(chat.reply("hello", { usage: { prompt: 0, completion: 0 } }));
    expect((await listen(provider(), requestOf())).last.usage?.estimated).toBe(true);
  });

  test("without a key a stand-in is sent, and no secret of the environment", async () => {
    server.willChat(chat.reply("ok"));
    await listen(provider(), requestOf());
    expect(server.last().headers["authorization"]).toBe("Bearer none");
  });

  test("pictures out, the way OpenRouter sends them", async () => {
    const stored: string[] = [];
    server.willChat(chat.reply("Here.", { images: ["data:image/webp;base64,AQID"] }));
    const { last } = await listen(
      provider(),
      requestOf({ writeBlob: async (_b, mime) => (stored.push(mime), "blob_1") }),
    );
    expect(last.blocks).toContainEqual({
      type: "image",
      mime: "image/webp",
      blobId: "blob_1",
      origin: "model",
    });
    expect(stored).toEqual(["image/webp"]);
  });

  test("a provider behind OpenRouter that breaks down is an error, not an end", async () => {
    const broken = chat.stream([chat.chunk({ content: "so" }), chat.chunk({}, {}, "error")]);
    server.willChat(broken, chat.reply("again"));
    const heard = await listen(provider(), requestOf());
    expect(heard.retries).toMatchObject([{ failure: { reason: "UPSTREAM_ERROR" } }]);
    expect(heard.text).toBe("again");
  });
});

describe("servers that cannot do all of it", () => {
  const refuse = (message: string) => openaiError(400, { message });
  const streams = () =>
    server.requests.map((r) => {
      const { stream, stream_options, max_tokens, max_completion_tokens, reasoning_effort } =
        r.body as Record<string, unknown>;
      return {
        stream,
        options: stream_options !== undefined,
        max: max_tokens,
        newMax: max_completion_tokens,
        effort: reasoning_effort,
      };
    });

  test("one that refuses stream_options is asked without, now and from then on", async () => {
    server.willChat(
      refuse("Unrecognized request argument supplied: stream_options"),
      chat.reply("one"),
      chat.reply("two"),
    );
    const same = provider();
    expect((await listen(same, requestOf())).text).toBe("one");
    expect((await listen(same, requestOf())).text).toBe("two");
    expect(streams().map((s) => s.options)).toEqual([true, false, false]);
  });

  test("one that refuses to stream is asked for the whole answer", async () => {
    server.willChat(
      refuse("stream_options is not supported"),
      refuse("streaming is not supported with tools"),
      chat.tools(calls, { text: "Both.", quirks: { arguments: "object" } }),
    );
    const heard = await listen(provider(), withTools);
    expect(heard.text).toBe("Both.");
    expect(heard.last).toMatchObject({ stopReason: "tool_use", blocks: [{ text: "Both." }, ...bothCalls] });
    expect(heard.retries).toEqual([]);
    expect(streams().map((s) => s.stream)).toEqual([true, true, false]);
  });

  test("one that answers whole although it was asked to stream is understood", async () => {
    server.willChat((exchange) =>
      json(200, {
        model: "m",
        choices: [
          { index: 0, finish_reason: "stop", message: { role: "assistant", content: "all at once" } },
        ],
      })(exchange),
    );
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      type: "done",
      blocks: [{ text: "all at once" }],
    });
  });

  test("one that wants max_completion_tokens gets it", async () => {
    server.willChat(
      refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      chat.reply("ok"),
    );
    await listen(provider(), requestOf({ maxOutputTokens: 99 }));
    expect(streams()).toMatchObject([{ max: 99 }, { max: undefined, newMax: 99 }]);
  });

  test("one that counts the room for the answer against its context is asked without a limit (vLLM)", async () => {
    server.willChat(
      refuse(
        "This model's maximum context length is 8192 tokens. However, you requested 16100 tokens (100 in the messages, 16000 in the completion).",
      ),
      chat.reply("ok"),
    );
    expect((await listen(provider(), requestOf())).text).toBe("ok");
    expect(streams()[1]).toMatchObject({ max: undefined, newMax: undefined });
  });

  test("a context that is really full is still said to be", async () => {
    const full = refuse(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    );
    server.willChat(full, full);
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      failure: { reason: "CONTEXT_FULL" },
    });
  });

  test("sampling goes along where it was asked for", async () => {
    server.willChat(chat.reply("ok"));
    await listen(provider(), requestOf({ temperature: 0.3, topP: 0.9 }));
    expect(server.last().body).toMatchObject({ temperature: 0.3, top_p: 0.9 });
  });

  test("one that knows no effort is asked without", async () => {
    server.willChat(refuse("reasoning_effort: extra inputs are not permitted"), chat.reply("ok"));
    await listen(provider(), requestOf({ effort: "high" }));
    expect(streams().map((s) => s.effort)).toEqual(["high", undefined]);
  });

  test("a refusal about something else is a refusal", async () => {
    server.willChat(refuse("temperature must be below 2"));
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      failure: { reason: "BAD_REQUEST" },
    });
  });
});

describe("servers that are not ready", () => {
  test("LM Studio without a model says so", async () => {
    server.willChat(json(404, { error: "No models loaded. Please load a model in the developer page." }));
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      failure: { reason: "NO_MODEL", message: expect.stringContaining("no model is loaded") },
    });
  });

  test("a model that is being loaded is waited for", async () => {
    const loading = openaiError(503, { message: "Loading model", type: "unavailable_error", code: 503 });
    server.willChat(...Array.from({ length: 10 }, () => loading), chat.reply("ready"));
    const heard = await listen(provider(), requestOf());
    expect(heard.retries).toHaveLength(10);
    expect(heard.retries[0]).toMatchObject({
      failure: { message: "Ollama is loading test-model." },
      delayMs: LIMITS.modelLoadingPollMs,
    });
    expect(heard.text).toBe("ready");
  });

  test("a local server gets longer before its first word than a hosted one", async () => {
    server.willChat(chat.stream([{ hang: true }]), chat.reply("late"));
    const running = listen(provider(true), requestOf());
    await server.untilRequests(1);
    await clock.advance(LIMITS.modelFirstEventMs + 60_000);
    expect(server.requests).toHaveLength(1);
    await clock.advance(LIMITS.modelFirstEventLocalMs);
    expect((await running).text).toBe("late");
  });

  test("a server that is not there is NETWORK, in words about starting it", async () => {
    const gone = makeOpenaiChat({
      who: { id: "ollama", label: "Ollama", baseUrl: "http://127.0.0.1:9/v1", local: true },
      clock,
      random: () => 0.5,
    });
    const { last } = await listen(gone, requestOf());
    expect(last).toMatchObject({
      failure: { reason: "NETWORK", message: expect.stringContaining("Check that it is running") },
    });
  });

  test("a page of HTML where an API should be is a wrong address", async () => {
    server.willChat((x) => {
      x.head(404, { "content-type": "text/html" });
      x.end("<html>not here</html>");
    });
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      failure: { reason: "BAD_REQUEST", message: expect.stringContaining("usually ends in /v1") },
    });
  });
});

test("a switched conversation with calls keeps its order for the strictest server", async () => {
  server.willChat(chat.reply("ok"));
  const messages = [
    said("user", { type: "text", text: "go" }),
    said(
      "assistant",
      { type: "tool_use", callId: "toolu_1", toolId: READ_TOOL.toolId, input: { path: "a" } },
      { type: "tool_use", callId: "toolu_2", toolId: NOW_TOOL.toolId, input: {} },
    ),
    said("tool", { type: "tool_result", callId: "toolu_2", status: "ok", text: "noon" }),
    said("tool", { type: "tool_result", callId: "toolu_1", status: "ok", text: "text" }),
  ];
  expect((await listen(provider(), requestOf({ tools: [READ_TOOL, NOW_TOOL], messages }))).last.type).toBe(
    "done",
  );
});
