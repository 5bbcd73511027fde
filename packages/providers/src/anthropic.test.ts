import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { LIMITS } from "@elwood/core/base/limits";
import type { ModelRequest } from "@elwood/core/model/model";
import { Dripper } from "@elwood/testkit/answers";
import {
  anthropic,
  ANTHROPIC_ROUTE,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import { listen, READ_TOOL, requestOf, retryingClock, said } from "@elwood/testkit/contract-request";
import { nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { makeAnthropic, toBody, toParams } from "./anthropic.ts";
import type { BlobBytes } from "./attachments.ts";
import type { Credential } from "./credential.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { RequestBodies } from "./request-bodies.ts";

let server: AnthropicServer;
let clock = retryingClock();
beforeEach(async () => {
  server = await startAnthropic();
  clock = retryingClock();
});
afterEach(() => server.close());

const key: Credential = {
  type: "api_key",
  secret: "sk-ant-api03-0123456789-4f2a",
  source: "ANTHROPIC_API_KEY",
};
const provider = (credential: Credential | undefined = key, headers: Record<string, string> = {}) =>
  makeAnthropic({
    who: {
      id: "anthropic",
      label: "Anthropic",
      baseUrl: server.url,
      local: false,
      ...(credential ? { credential } : {}),
    },
    clock,
    random: () => 0.5,
    headers,
  });

describe("credentials", () => {
  test("a key goes in both headers that servers look at, and nothing is taken from the environment", async () => {
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token-of-somebody-else");
    vi.stubEnv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
    server.will(anthropic.reply("ok"));
    await listen(provider(), requestOf());
    expect(server.last().headers).toMatchObject({
      "x-api-key": key.secret,
      authorization: `Bearer ${key.secret}`,
    });
  });

  test.each<Credential>([
    { type: "oauth", secret: "sk-ant-oat01-abc", source: "auth-profiles.json" },
    { type: "token", secret: "some-token", source: "auth-profiles.json" },
    { type: "api_key", secret: "sk-ant-oat01-pasted-as-a-key", source: "ANTHROPIC_API_KEY" },
  ])("a subscription token goes as a bearer, with the beta header ($type)", async (credential) => {
    server.will(anthropic.reply("ok"));
    await listen(provider(credential, { "anthropic-beta": "other-2026" }), requestOf());
    expect(server.last().headers).toMatchObject({
      authorization: `Bearer ${credential.secret}`,
      "anthropic-beta": "other-2026,oauth-2025-04-20",
    });
    expect(server.last().headers).not.toHaveProperty("x-api-key");
  });
});

describe("the request", () => {
  const thinkingFor = (change: Partial<ModelRequest>) => {
    const { thinking, output_config } = toParams(requestOf(change), new Map(), "anthropic");
    return { ...(thinking ? { thinking } : {}), ...(output_config ? { output_config } : {}) };
  };

  test.each<[Partial<ModelRequest>, object]>([
    [{}, {}],
    [{ temperature: 0.3 }, { temperature: 0.3 }],
    [{ temperature: 1.7 }, { temperature: 1 }],
    [{ topP: 0.9 }, { top_p: 0.9 }],
    [{ temperature: 0.3, topP: 0.9 }, { temperature: 0.3 }],
    [{ temperature: 0.3, effort: "low" }, {}],
    [{ temperature: 0.3, model: "claude-opus-4-6" }, { temperature: 0.3 }],
    [{ temperature: 0.3, model: "claude-sonnet-4-20250514" }, { temperature: 0.3 }],
    [{ temperature: 0.3, topP: 0.9, model: "claude-sonnet-5-5" }, {}],
  ])("sampling goes as the API takes it: %o", (change, expected) => {
    const { temperature, top_p } = toParams(requestOf(change), new Map(), "anthropic");
    expect(JSON.parse(JSON.stringify({ temperature, top_p }))).toEqual(expected);
  });

  test.each<[string, ModelRequest["effort"], object]>([
    ["claude-sonnet-5-5", undefined, {}],
    [
      "claude-sonnet-5-5",
      "high",
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" } },
    ],
    ["claude-sonnet-5-5", "off", { thinking: { type: "disabled" } }],
    [
      "claude-opus-4-6",
      "low",
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } },
    ],
    ["claude-fable-5-2", "off", { output_config: { effort: "low" } }],
    ["claude-haiku-4-5-20251001", "medium", { thinking: { type: "enabled", budget_tokens: 4_095 } }],
    ["claude-opus-4-20250514", "low", { thinking: { type: "enabled", budget_tokens: 2_048 } }],
    ["claude-sonnet-4-5", "off", {}],
    ["claude-3-7-sonnet-latest", "low", { thinking: { type: "enabled", budget_tokens: 2_048 } }],
  ])("%s thinks as asked (%s)", (model, effort, expected) => {
    expect(thinkingFor({ model, ...(effort ? { effort } : {}), maxOutputTokens: 4_096 })).toEqual(expected);
  });

  test("a budget that does not fit into the answer is left out", () => {
    expect(thinkingFor({ model: "claude-haiku-4-5", effort: "high", maxOutputTokens: 1_000 })).toEqual({});
  });

  test("tools, system and the newest turns are marked for the cache, on the wire", async () => {
    server.will(anthropic.reply("ok"));
    await listen(provider(), requestOf({ tools: [READ_TOOL] }));
    const body = server.last().body as {
      tools: object[];
      system: object[];
      messages: { content: object[] }[];
    };
    const mark = { cache_control: { type: "ephemeral" } };
    expect(body.tools.at(-1)).toMatchObject(mark);
    expect(body.system.at(-1)).toMatchObject(mark);
    expect(body.messages.at(-1)?.content.at(-1)).toMatchObject(mark);
    server.assertDone();
  });

  test("no system and no tools means that neither is sent", async () => {
    server.will(anthropic.reply("ok"));
    await listen(provider(), requestOf({ system: " " }));
    expect(server.last().body).not.toHaveProperty("system");
    expect(server.last().body).not.toHaveProperty("tools");
  });
});

describe("the answer", () => {
  test("redacted thinking is kept and sent back unchanged", async () => {
    server.will(
      anthropic.message({
        content: [
          { type: "redacted_thinking", data: "sealed==" },
          { type: "text", text: "so" },
        ],
      }),
      anthropic.reply("ok"),
    );
    const first = await listen(provider(), requestOf());
    await listen(
      provider(),
      requestOf({
        messages: [
          said("user", { type: "text", text: "a" }),
          said("assistant", ...first.last.blocks),
          said("user", { type: "text", text: "b" }),
        ],
      }),
    );
    const body = server.last().body as { messages: { content: unknown[] }[] };
    expect(body.messages[1]?.content[0]).toEqual({ type: "redacted_thinking", data: "sealed==" });
  });

  test("a paused turn with a block of a kind unknown to us goes back unchanged", async () => {
    const raw = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    server.will(
      anthropic.stream([
        anthropic.start(),
        anthropic.event("content_block_start", { index: 0, content_block: raw }),
        anthropic.event("content_block_delta", {
          index: 0,
          delta: { type: "input_json_delta", partial_json: '{"q":"x"}' },
        }),
        anthropic.event("content_block_stop", { index: 0 }),
        ...anthropic.end({ stop: "pause_turn" }),
      ]),
      anthropic.reply("done"),
    );
    const first = await listen(provider(), requestOf());
    expect(first.last).toMatchObject({ type: "done", stopReason: "pause_turn" });
    expect(first.events.some((e) => e.type === "tool_args")).toBe(false);
    await listen(
      provider(),
      requestOf({
        messages: [said("user", { type: "text", text: "a" }), said("assistant", ...first.last.blocks)],
      }),
    );
    const body = server.last().body as { messages: { content: unknown[] }[] };
    expect(body.messages[1]?.content).toEqual([{ ...raw, input: { q: "x" } }]);
  });

  test("a refusal brings a note in our own words", async () => {
    server.will(
      anthropic.reply("I", {
        stop: "refusal",
        stopDetails: { type: "refusal", category: "cyber", explanation: "raw text" },
      }),
    );
    const { last } = await listen(provider(), requestOf());
    expect(last).toMatchObject({
      type: "done",
      stopReason: "refusal",
      note: expect.stringContaining("computer security"),
    });
    expect(JSON.stringify(last)).not.toContain("raw text");
  });

  test("counts of the last event replace those of the first", async () => {
    server.will(
      anthropic.stream([
        anthropic.start({ usage: { input_tokens: 5, cache_read_input_tokens: 70 } }),
        ...anthropic.block({ type: "text", text: "x" }, 0),
        anthropic.event("message_delta", {
          delta: { stop_reason: "end_turn" },
          usage: { output_tokens: 33 },
        }),
        anthropic.event("message_stop"),
      ]),
    );
    const { last } = await listen(provider(), requestOf());
    expect(last.usage).toEqual({
      inputTokens: 5,
      outputTokens: 33,
      cacheReadTokens: 70,
      cacheWriteTokens: 0,
    });
  });

  test("a stopped answer has a usage all the same, marked as estimated", async () => {
    const stop = new AbortController();
    server.will(
      anthropic.stream([
        anthropic.start({ usage: { input_tokens: 500 } }),
        ...anthropic.block({ type: "text", text: "w ".repeat(400) }, 0),
        { hang: true },
      ]),
    );
    const { last } = await listen(provider(), requestOf({ signal: stop.signal }), (e) => {
      if (e.type === "text") stop.abort();
    });
    expect(last).toMatchObject({ type: "failed", usage: { inputTokens: 500, estimated: true } });
  });

  test("a stream cut in the middle of an event's JSON is NETWORK, and tried again", async () => {
    const half = anthropic.block({ type: "text", text: "abcdefghijkl" }, 0)[1]!;
    server.will(
      anthropic.stream([
        anthropic.start(),
        ...anthropic.block({ type: "text", text: "so" }, 0).slice(0, 2),
        half.slice(0, half.length / 2),
        { cut: true },
      ]),
      anthropic.reply("again"),
    );
    const heard = await listen(provider(), requestOf());
    expect(heard.retries).toMatchObject([{ failure: { reason: "NETWORK" } }]);
    expect(heard.text).toBe("again");
  });

  test("a stream that ends politely in the middle is not taken for an answer", async () => {
    const early = anthropic.stream([
      anthropic.start(),
      ...anthropic.block({ type: "text", text: "half" }, 0),
    ]);
    server.will(early, early, early, early);
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      type: "failed",
      failure: { reason: "NETWORK" },
    });
  });

  test("a break after the last word takes nothing away", async () => {
    const events = anthropic.events({ content: [{ type: "text", text: "all said" }] });
    server.will(anthropic.stream([...events.slice(0, -1), { cut: true }]));
    expect((await listen(provider(), requestOf())).last).toMatchObject({
      type: "done",
      blocks: [{ text: "all said" }],
    });
  });

  test("a stream that stays open after the last word is closed after a moment", async () => {
    server.will(
      anthropic.stream([
        ...anthropic.events({ content: [{ type: "text", text: "all said" }] }),
        { hang: true },
      ]),
    );
    const running = listen(provider(), requestOf());
    await clock.untilAsleep((ms) => ms === LIMITS.modelDrainMs);
    await clock.advance(LIMITS.modelDrainMs);
    expect((await running).last.type).toBe("done");
  });

  test("pings alone keep a long thought alive; a drip of bytes does not", async () => {
    const dripper = new Dripper();
    const pings = Array.from({ length: 4 }, () => new Dripper());
    server.will(
      anthropic.stream([
        anthropic.start(),
        ...pings.flatMap((d) => [{ dripBy: d, bytes: "\n" }, anthropic.ping()]),
        { dripBy: dripper, bytes: "x".repeat(1_000) },
      ]),
    );
    const running = listen(provider(), requestOf());
    await server.untilRequests(1);
    for (let i = 0; i < 6; i++) await nextEventLoopTurn();
    for (const ping of pings) {
      ping.drop();
      for (let i = 0; i < 6; i++) await nextEventLoopTurn();
      await clock.advance(LIMITS.modelIdleMs - 10_000);
    }
    for (let second = 0; second < 95; second++) {
      dripper.drop();
      await nextEventLoopTurn();
      await clock.advance(1_000);
    }
    expect((await running).last).toMatchObject({ type: "failed", failure: { reason: "TIMEOUT" } });
    expect(server.requests.filter((r) => `${r.method} ${r.path}` === ANTHROPIC_ROUTE)).toHaveLength(1);
  });

  test("a delta for a block that was never opened is BAD_REPLY", async () => {
    server.will(
      anthropic.stream([
        anthropic.start(),
        anthropic.event("content_block_delta", { index: 3, delta: { type: "text_delta", text: "x" } }),
      ]),
    );
    expect((await listen(provider(), requestOf())).last).toMatchObject({ failure: { reason: "BAD_REPLY" } });
  });

  test("an old model brings no warning of the SDK onto the console", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    server.will(anthropic.reply("ok"));
    await listen(provider(), requestOf({ model: "claude-sonnet-4-5" }));
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe("what goes over the wire", () => {
  const tools = [
    READ_TOOL,
    { ...READ_TOOL, toolId: "files.file.list", description: "Lists “files” \u2028 🐾" },
  ];
  const blobs: BlobBytes = new Map<string, Uint8Array | { text: string }>([
    ["blob_1", new Uint8Array([137, 80, 78, 71])],
    ["blob_2", { text: "a document's words" }],
  ]);
  const messages = [
    said(
      "user",
      { type: "text", text: 'What is “that”? \ud800 "\\" \n' },
      { type: "image", blobId: "blob_1", mime: "image/png" },
      { type: "file", blobId: "blob_2", mime: "application/pdf", name: "notes.pdf", bytes: 18 },
    ),
    said("assistant", { type: "text", text: "A cat." }),
    said("user", { type: "text", text: "And now?" }),
  ];
  const requests: Record<string, Partial<ModelRequest>> = {
    "nothing but a message": { system: "" },
    "blank instructions": { system: "  \n" },
    instructions: { system: "You are “brief”. 🐾\u2028" },
    tools: { tools },
    "one call at a time": { tools, parallelCalls: false },
    "a conversation with attachments": { tools, messages },
    "thinking by effort": { model: "claude-sonnet-5-5", effort: "high", tools },
    "thinking by budget": { model: "claude-sonnet-4-5", effort: "low", tools },
    "no thinking": { model: "claude-sonnet-5-5", effort: "off" },
    "a temperature": { model: "claude-sonnet-4-5", temperature: 0.5 },
    top_p: { model: "claude-sonnet-4-5", topP: 0.9, tools },
  };

  test("is the JSON of its parameters, byte for byte, also where parts of it are known", () => {
    const bodies = new RequestBodies();
    for (const round of ["first", "second"])
      for (const [name, change] of Object.entries(requests)) {
        const request = requestOf(change);
        expect(toBody(request, blobs, "anthropic", bodies).toString(), `${name}, ${round}`).toBe(
          JSON.stringify(toParams(request, blobs, "anthropic")),
        );
      }
  });

  test("is not kept while its answer is waited for", async () => {
    const heard = Promise.withResolvers<void>();
    const slow = createServer((asked, answer) => {
      asked.resume().on("end", () => heard.resolve());
      onTestFinished(() => void answer.destroy());
    }).listen(0, "127.0.0.1");
    await once(slow, "listening");
    onTestFinished(() => void slow.close());
    const baseUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const who = { id: "anthropic", label: "Anthropic", baseUrl, local: false, credential: key };
    const stop = new AbortController();
    const long = { type: "text" as const, text: "x".repeat(20_000_000) };
    const request = requestOf({ messages: [said("user", long)], signal: stop.signal });
    const before = bytesHeld();
    const answer = listen(makeAnthropic({ who, clock, random: () => 0.5 }), request);
    await heard.promise;
    await expect.poll(() => bytesHeld() - before).toBeLessThan(10_000_000);
    stop.abort();
    expect((await answer).last.type).toBe("failed");
  });

  test("has the head that the SDK gives its own requests", async () => {
    server.will(anthropic.reply("ok"), anthropic.reply("ok"), anthropic.reply("ok"));
    const request = requestOf({ tools, system: "You are a test." });
    const own = provider(key, { "x-own": "1" });
    await listen(own, request);
    await listen(own, request);
    const { Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({
      apiKey: key.secret,
      baseURL: server.url,
      maxRetries: 0,
      timeout: LIMITS.modelAnswerMs,
      logLevel: "off",
      defaultHeaders: { "x-api-key": key.secret, "x-own": "1" },
      fetch: guardedFetch(() => {}),
    });
    const body = toParams(request, new Map(), "anthropic");
    await client.post("/v1/messages", { body, stream: true });
    const [first, second, theirs] = server.requests;
    expect(first).toMatchObject({ path: "/v1/messages", text: theirs!.text, headers: theirs!.headers });
    expect(Object.keys(first!.headers)).toEqual(Object.keys(theirs!.headers));
    expect(second).toMatchObject({ text: first!.text, headers: first!.headers });
  });
});

/** By buffers that are still in use. */
function bytesHeld(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().arrayBuffers;
}
