import { expect, test } from "vitest";
import { placeHref, placeWords, removedWords } from "./forget-words.ts";

const NOTHING = {
  notes: 0,
  noteLines: 0,
  sessions: 0,
  messages: 0,
  recalls: 0,
  summaries: 0,
  calls: 0,
  approvals: 0,
  bodies: 0,
  grants: 0,
  titles: 0,
  files: 0,
  copies: 0,
  backups: 0,
};

test("only what goes is named, each thing by its number", () => {
  expect(removedWords({ removed: NOTHING })).toEqual([]);
  const removed = { ...NOTHING, noteLines: 2, notes: 1, messages: 1, summaries: 2, bodies: 3 };
  expect(removedWords({ removed })).toEqual([
    "2 lines of 1 note",
    "1 message",
    "2 summaries",
    "contents behind 3 receipts",
  ]);
});

test("a place is named and linked by what it is in", () => {
  expect(placeWords("memory/default/home.md", 4)).toBe("home, line 4");
  expect(placeHref("memory/default/home.md", undefined)).toBe("/memory/home");
  expect(placeWords("sessions/default/ses_1.jsonl", 12)).toBe("conversation, line 12");
  expect(placeHref("sessions/default/ses_1.jsonl", undefined)).toBe("/c/ses_1");
  expect(placeHref("elsewhere", undefined)).toBeUndefined();
});
