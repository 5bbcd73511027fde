import type { Usage } from "@elwood/core/message/message";
import type { StopReason } from "@elwood/core/model/model";
import { expect } from "vitest";
import { listen, NOW_TOOL, READ_TOOL, requestOf } from "./contract-request.ts";
import type { StartHarness, StatePromise } from "./provider-harness.ts";

export function promiseAnswers(start: StartHarness, promise: StatePromise): void {
  answers(start, promise);
  endings(start, promise);
}

function answers(start: StartHarness, promise: StatePromise): void {
  promise("text comes in order, in pieces, and whole at the end", async () => {
    const h = await start();
    h.will({ say: [{ text: "One two three, four five six. Ünïcode 👋 too." }] });
    const heard = await listen(h.provider, requestOf());
    expect(heard.text).toBe("One two three, four five six. Ünïcode 👋 too.");
    expect(heard.events.filter((e) => e.type === "text").length).toBeGreaterThan(1);
    expect(heard.last).toMatchObject({
      type: "done",
      stopReason: "end_turn",
      blocks: [{ type: "text", text: "One two three, four five six. Ünïcode 👋 too." }],
    });
    h.assertDone();
  });

  promise("thinking is told apart from text", async () => {
    const h = await start();
    h.will({ say: [{ thinking: "Let me think about this." }, { text: "Done." }] });
    const heard = await listen(h.provider, requestOf({ effort: "low" }));
    expect(heard.thinking).toBe("Let me think about this.");
    expect(heard.last.blocks).toMatchObject([
      { type: "thinking", text: "Let me think about this." },
      { type: "text", text: "Done." },
    ]);
  });

  promise("text that is passed on as it comes is not kept beyond its beginning", async () => {
    const h = await start();
    const words = "One two three, four five six. ".repeat(200);
    h.will({ say: [{ text: words }, { tool: NOW_TOOL.toolId }] });
    const heard = await listen(h.provider, requestOf({ tools: [NOW_TOOL], textKeptMax: 10 }));
    expect(heard.text).toBe(words);
    expect(heard.last).toMatchObject({
      type: "done",
      blocks: [
        { type: "text", text: "One two th" },
        { type: "tool_use", toolId: "clock.now" },
      ],
    });
    h.will({ say: [{ text: words }], fault: "cut" });
    const cut = await listen(h.provider, requestOf({ textKeptMax: 10 }));
    expect(cut.last).toMatchObject({ type: "failed", blocks: [{ type: "text", text: "One two th" }] });
    // Nobody counted, but it was written and is paid for.
    expect(cut.last.usage?.outputTokens).toBeGreaterThan(words.length / 5);
  });

  promise("parallel calls stream their arguments and come whole", async () => {
    const h = await start();
    h.will({
      say: [
        { text: "Looking." },
        { tool: READ_TOOL.toolId, input: { path: "ä b.txt" } },
        { tool: NOW_TOOL.toolId },
      ],
    });
    const heard = await listen(h.provider, requestOf({ tools: [READ_TOOL, NOW_TOOL] }));
    expect(heard.last).toMatchObject({
      type: "done",
      stopReason: "tool_use",
      blocks: [
        { type: "text", text: "Looking." },
        { type: "tool_use", toolId: "files.file.read", input: { path: "ä b.txt" } },
        { type: "tool_use", toolId: "clock.now", input: {} },
      ],
    });
    const calls = heard.last.blocks.flatMap((b) => (b.type === "tool_use" ? [b] : []));
    expect(new Set(calls.map((c) => c.callId)).size).toBe(2);
    expect(calls.every((c) => c.malformed === undefined)).toBe(true);
    const streamed = heard.events.flatMap((e) =>
      e.type === "tool_args" && e.toolId === "files.file.read" ? [e.json] : [],
    );
    expect(JSON.parse(streamed.join(""))).toEqual({ path: "ä b.txt" });
  });

  promise("arguments that are not JSON are handed on as malformed", async () => {
    const h = await start();
    h.will({ say: [{ tool: READ_TOOL.toolId, json: '{"path": "a' }] });
    const heard = await listen(h.provider, requestOf({ tools: [READ_TOOL] }));
    expect(heard.last).toMatchObject({
      type: "done",
      stopReason: "tool_use",
      blocks: [{ type: "tool_use", toolId: "files.file.read", input: {}, malformed: '{"path": "a' }],
    });
  });

  promise("usage keeps cached tokens apart", async () => {
    const h = await start();
    const usage: Usage = { inputTokens: 30, outputTokens: 9, cacheReadTokens: 1_000, cacheWriteTokens: 0 };
    h.will({ say: [{ text: "x" }], usage });
    const { last } = await listen(h.provider, requestOf());
    expect(last.usage).toEqual(usage);
  });

  promise("a picture that the model makes is stored and named", async () => {
    const h = await start();
    const stored: { bytes: Uint8Array; mime: string }[] = [];
    h.will({ say: [{ text: "Here." }, { image: new Uint8Array([1, 2, 3]) }] });
    const { last } = await listen(
      h.provider,
      requestOf({
        writeBlob: async (bytes, mime) => {
          stored.push({ bytes, mime });
          return "blob_made";
        },
      }),
    );
    expect(last.blocks).toContainEqual({
      type: "image",
      mime: "image/png",
      blobId: "blob_made",
      origin: "model",
    });
    expect([...stored[0]!.bytes]).toEqual([1, 2, 3]);
  });

  promise("events of an unknown type do no harm", async () => {
    const h = await start();
    h.will({ say: [{ unknownEvent: true }, { text: "fine" }, { unknownEvent: true }] });
    const heard = await listen(h.provider, requestOf());
    expect(heard.last).toMatchObject({ type: "done", blocks: [{ type: "text", text: "fine" }] });
  });

  promise("calls made at the same time do not mix", async () => {
    const h = await start();
    h.will(
      { say: [{ text: "same answer" }] },
      { say: [{ text: "same answer" }] },
      { say: [{ text: "same answer" }] },
    );
    const all = await Promise.all([1, 2, 3].map(() => listen(h.provider, requestOf())));
    expect(all.map((heard) => heard.text)).toEqual(["same answer", "same answer", "same answer"]);
  });
}

function endings(start: StartHarness, promise: StatePromise): void {
  const stops: StopReason[] = [
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "context_full",
  ];
  for (const stop of stops) {
    promise(`stop reason ${stop}`, async () => {
      const h = await start();
      h.will({ say: [{ text: "so far" }], stop });
      const { last } = await listen(h.provider, requestOf());
      expect(last).toMatchObject({
        type: "done",
        stopReason: stop,
        blocks: [{ type: "text", text: "so far" }],
      });
    });
  }
}
