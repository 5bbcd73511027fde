import { expect, test } from "vitest";
import { recalledWords } from "./recalled.ts";

test("what memory brought along is told in plain words, each place once, without paths or ids", () => {
  const at = Date.UTC(2026, 10, 15);
  const item = { ts: at, speaker: "you", origin: "owner", score: 1 } as const;
  const talk = "sessions/default/ses_01m7gsjq0953wzkemzwwmm1fjg.jsonl";
  const items = [
    { ...item, source: "memory/default/bike.md", line: 1 },
    { ...item, source: "memory/default/bike.md", line: 2 },
    { ...item, source: talk, line: 4 },
    { ...item, source: talk, line: 9 },
  ];
  const words = (now?: number) => recalledWords(items, now);
  const hour = 3_600_000;
  expect(words()).toBe("From memory: your note “bike”, a conversation of 15 Nov 2026.");
  expect(words(at + 5 * hour)).toBe("From memory: your note “bike”, a conversation from today.");
  expect(words(at + 30 * hour)).toBe("From memory: your note “bike”, a conversation from yesterday.");
  expect(words(at + 50 * hour)).toBe(words());
});
