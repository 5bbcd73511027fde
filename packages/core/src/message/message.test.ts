import { describe, expect, test } from "vitest";
import {
  addUsage,
  type Block,
  blockSchema,
  type Message,
  NO_USAGE,
  ORIGINS,
  textOf,
  totalTokens,
  toTranscriptLines,
  transcriptLineSchema,
} from "./message.ts";

const BLOCKS: readonly Block[] = [
  { type: "text", text: 'two\nlines, a \u2028 separator and a "quote"', origin: "piped" },
  { type: "thinking", text: "hm", opaque: { provider: "anthropic", data: "c2lnbmVk" } },
  {
    type: "tool_use",
    callId: "call_1",
    toolId: "files.file.read",
    input: { path: "a", deep: [null, 1.5, { x: true }] },
  },
  { type: "tool_use", callId: "call_2", toolId: "files.file.read", input: {}, malformed: '{"path":' },
  {
    type: "tool_result",
    callId: "call_1",
    status: "ok",
    text: "",
    images: [{ mime: "image/png", blobId: "b" }],
  },
  { type: "tool_result", callId: "call_2", status: "error", text: "not JSON" },
  { type: "image", mime: "image/png", blobId: "b", name: "a.png", origin: "attached" },
  { type: "file", mime: "text/plain", blobId: "b", name: "a.txt", bytes: 0, origin: "forwarded" },
  { type: "compaction", summary: "earlier", from: "msg_1", to: "msg_2" },
];

const message = (id: string, blocks: readonly Block[], more: Partial<Message> = {}): Message => ({
  id,
  ts: 1_700_000_000_000,
  role: "assistant",
  origin: "model",
  blocks,
  ...more,
});

describe("EL-4: a line of the transcript file", () => {
  test("holds every kind of block and comes back as it was written", () => {
    const written = toTranscriptLines("run_1", [
      message("msg_1", BLOCKS, { meta: { model: "demo/scripted", usage: NO_USAGE, aborted: true } }),
    ]);
    const read = written.map((line) => transcriptLineSchema.parse(JSON.parse(JSON.stringify(line))));
    expect(read).toEqual(written);
    expect(new Set(BLOCKS.map((block) => block.type)).size).toBe(blockSchema.options.length);
  });

  test("is one line, whatever the text holds", () => {
    const [line] = toTranscriptLines("run_1", [message("msg_1", BLOCKS)]);
    expect(JSON.stringify(line)).not.toContain("\n");
  });

  test("says which of how many lines of its run it is", () => {
    const lines = toTranscriptLines("run_1", [message("a", []), message("b", []), message("c", [])]);
    expect(lines.map(({ run, i, n }) => [run, i, n])).toEqual([
      ["run_1", 0, 3],
      ["run_1", 1, 3],
      ["run_1", 2, 3],
    ]);
  });

  test("keeps the origin, which is never guessed", () => {
    for (const origin of ORIGINS) {
      const [line] = toTranscriptLines("r", [
        message("m", [{ type: "text", text: "x", origin }], { origin }),
      ]);
      expect(transcriptLineSchema.parse(line)).toMatchObject({ origin, blocks: [{ origin }] });
    }
    const [line] = toTranscriptLines("r", [message("m", [])]);
    expect(transcriptLineSchema.safeParse({ ...line, origin: undefined }).success).toBe(false);
    expect(transcriptLineSchema.safeParse({ ...line, origin: "somebody" }).success).toBe(false);
  });

  test("of another version is not read as this one", () => {
    const [line] = toTranscriptLines("r", [message("m", [])]);
    expect(transcriptLineSchema.safeParse({ ...line, v: 2 }).success).toBe(false);
  });
});

test("what a person reads of a message is its text, and nothing else of it", () => {
  const blocks: Block[] = [
    { type: "thinking", text: "secret thoughts" },
    { type: "text", text: "One." },
    { type: "tool_use", callId: "c", toolId: "a.b", input: {} },
    { type: "text", text: "Two. " },
  ];
  expect(textOf({ blocks })).toBe("One.\n\nTwo.");
  expect(textOf({ blocks: [] })).toBe("");
});

test("usage adds up, and a sum with an estimate in it is an estimate", () => {
  const a = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
  expect(addUsage(a, NO_USAGE)).toEqual(a);
  expect(totalTokens(addUsage(a, a))).toBe(20);
  expect(addUsage(a, { ...NO_USAGE, estimated: true })).toEqual({ ...a, estimated: true });
});
