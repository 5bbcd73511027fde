import type { TranscriptLine } from "@elwood/core/message/message";
import { expect, test } from "vitest";
import { turnsOf } from "./transcript-turns.ts";

const line = (more: Partial<TranscriptLine>): TranscriptLine => ({
  v: 1,
  run: "run_1",
  i: 0,
  n: 4,
  id: "m",
  ts: 1,
  role: "assistant",
  origin: "model",
  blocks: [{ type: "text", text: "The key is under the mat." }],
  ...more,
});
const learned = (message: TranscriptLine) =>
  turnsOf(message, { line: 1, start: 0, end: 9 }, "ses_1", (text) => text).map(({ text }) => text);

test("an answer is learned once, and what Elwood told the model about it never", () => {
  expect(learned(line({}))).toEqual(["The key is under the mat."]);
  expect(learned(line({ meta: { continued: true } }))).toEqual([]);
  expect(learned(line({ role: "user", origin: "gateway" }))).toEqual([]);
});

test("a sentence that was marked as not verified is not learned, in whatever blocks the reply came", () => {
  const segments = [
    { by: "model", text: "Hello Ada. " },
    { by: "model", text: "I've emailed the plan to Anna. ", verified: "unsupported" },
    { by: "model", text: "The plan is in plan.md." },
  ] as const;
  const blocks = [
    { type: "text", text: "Hello Ada. I've emailed the plan to Anna. " },
    { type: "text", text: "The plan is in plan.md." },
  ] as const;
  const reply = line({ blocks: [...blocks], meta: { segments: [...segments] } });
  expect(learned(reply)).toEqual(["Hello Ada. The plan is in plan.md."]);
});

test("of a reply that holds nothing but what is not verified, nothing is learned", () => {
  const text = "Done, check.py is deleted.";
  const reply = line({
    blocks: [{ type: "text", text }],
    meta: { segments: [{ by: "model", text, verified: "unsupported" }] },
  });
  expect(learned(reply)).toEqual([]);
});
