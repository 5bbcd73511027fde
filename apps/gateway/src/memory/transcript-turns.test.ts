import type { TranscriptLine } from "@elwood/core/message";
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
