import { expect, test } from "vitest";
import { transcriptLineSchema, type Message } from "../message/message.ts";
import { callsIn, isForgotten, tombstone, withoutCalls, withoutSummaries, wordsIn } from "./tombstone.ts";

const said = (more: Partial<Message>): Message => ({
  id: "msg_1",
  ts: 5,
  role: "user",
  origin: "owner",
  blocks: [{ type: "text", text: "a word on rhubarb" }],
  ...more,
});

test("a forgotten message keeps its place and nothing it said", () => {
  const left = tombstone(said({ meta: { surface: "cli" } }));
  expect(left).toEqual({
    id: "msg_1",
    ts: 5,
    role: "user",
    origin: "owner",
    blocks: [],
    meta: { forgotten: true },
  });
  expect(isForgotten(left)).toBe(true);
  expect(isForgotten(said({}))).toBe(false);
});

test("a call and its result stay a pair without their words", () => {
  const call = said({
    role: "assistant",
    origin: "model",
    blocks: [
      { type: "thinking", text: "rhubarb, hm" },
      { type: "tool_use", callId: "call_1", toolId: "web.page.fetch", input: { url: "rhubarb" } },
      {
        type: "tool_use",
        callId: "call_2",
        toolId: "web.page.fetch",
        input: {},
        opaque: { provider: "a", data: "rhubarb" },
      },
    ],
  });
  const result = said({
    role: "tool",
    origin: "tool",
    blocks: [{ type: "tool_result", callId: "call_1", status: "ok", text: "rhubarb", images: [] }],
  });
  expect(JSON.stringify([tombstone(call), tombstone(result)])).not.toContain("rhubarb");
  expect(callsIn(tombstone(call))).toEqual(["call_1", "call_2"]);
  expect(tombstone(result).blocks).toEqual([
    { type: "tool_result", callId: "call_1", status: "ok", text: "" },
  ]);
});

test("words of others leave a mark, so that nothing becomes trusted by forgetting", () => {
  const left = tombstone(
    said({
      blocks: [
        { type: "text", text: "look at this" },
        { type: "text", text: "rhubarb", origin: "piped" },
        { type: "file", mime: "text/plain", blobId: "blob_1", name: "rhubarb.txt", bytes: 3 },
      ],
    }),
  );
  expect(left.blocks).toEqual([
    { type: "text", text: "", origin: "piped" },
    { type: "text", text: "", origin: "attached" },
  ]);
});

test("a tombstone is a line like any other for whoever reads transcripts", () => {
  const line = { v: 1 as const, run: "run_1", i: 0, n: 2, ...tombstone(said({})) };
  expect(transcriptLineSchema.parse(JSON.parse(JSON.stringify(line)))).toEqual(line);
});

test("of a message only certain calls can be emptied, and a message without them stays the same object", () => {
  const call = said({
    role: "assistant",
    origin: "model",
    blocks: [
      { type: "text", text: "I will look." },
      { type: "tool_use", callId: "call_1", toolId: "t", input: { q: "rhubarb" } },
      { type: "tool_use", callId: "call_2", toolId: "t", input: { q: "spinach" } },
    ],
  });
  expect(wordsIn(withoutCalls(call, new Set(["call_1"])))).toEqual(["I will look.", "spinach"]);
  expect(withoutCalls(call, new Set(["call_3"]))).toBe(call);
});

test("a summary is emptied, and no longer stands for what it covered", () => {
  const line = said({
    role: "assistant",
    origin: "gateway",
    blocks: [
      { type: "text", text: "Summed up 4 messages." },
      {
        type: "compaction",
        summary: "about rhubarb",
        from: "msg_a",
        to: "msg_b",
        quotes: [{ ts: 1, text: "no rhubarb" }],
      },
    ],
  });
  expect(withoutSummaries(line).blocks).toEqual([
    { type: "text", text: "Summed up 4 messages." },
    { type: "compaction", summary: "", from: "msg_a", to: "msg_b" },
  ]);
});
