import { expect, test } from "vitest";
import type { CompactionBlock, Message, Usage } from "../message/message.ts";
import { tokensInUse } from "./in-use.ts";

let next = 0;

function message(more: Partial<Message>): Message {
  return { id: `m${next++}`, ts: 0, role: "user", origin: "owner", blocks: [], ...more };
}

function reply(usage?: Partial<Usage>): Message {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return message({
    role: "assistant",
    origin: "model",
    ...(usage ? { meta: { usage: { ...none, ...usage } } } : {}),
  });
}

function line(more: Partial<CompactionBlock>): Message {
  const block: CompactionBlock = { type: "compaction", summary: "so far", from: "a", to: "b", ...more };
  return message({ role: "assistant", origin: "gateway", blocks: [block] });
}

test("a conversation takes what its last lap was counted as, cached tokens and the answer included", () => {
  const counted = reply({ inputTokens: 10, cacheReadTokens: 700, cacheWriteTokens: 50, outputTokens: 40 });
  expect(tokensInUse([message({}), reply({ inputTokens: 5 }), message({}), counted, message({})])).toBe(800);
});

test("nothing is told where nothing was counted", () => {
  expect(tokensInUse([])).toBeUndefined();
  expect(tokensInUse([message({}), reply()])).toBeUndefined();
});

test("a summary since then counts, until a lap after it was counted", () => {
  const long = [message({}), reply({ inputTokens: 90_000 })];
  const summed = [...long, line({ tokensBefore: 90_000, tokensAfter: 12_000 })];
  expect(tokensInUse(summed)).toBe(12_000);
  expect(tokensInUse([...summed, message({}), reply({ inputTokens: 13_000 })])).toBe(13_000);
});

test("a summary that was taken back, or failed, counts for nothing", () => {
  const long = [message({}), reply({ inputTokens: 90_000 })];
  const summary = line({ tokensAfter: 12_000 });
  expect(tokensInUse([...long, summary, line({ summary: "", undoes: [summary.id] })])).toBe(90_000);
  expect(tokensInUse([...long, line({ summary: "", failed: "no answer", tokensAfter: 1 })])).toBe(90_000);
});
