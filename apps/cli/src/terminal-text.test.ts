import { expect, test } from "vitest";
import { relativeTime } from "@elwood/core/base/relative-time";
import { cutToWidth, displayWidth, visibleText } from "./terminal-text.ts";

test("text keeps its lines, tabs and emoji, and loses what a terminal would act on", () => {
  expect(visibleText("a\r\nb\tc\u001b[31m\u0007\u0085\u202e👩‍👧\ufeff")).toBe("a\nb\tc[31m👩‍👧");
});

test("a line is as wide as its cells", () => {
  expect(displayWidth("plain")).toBe(5);
  expect(displayWidth("漢字")).toBe(4);
  expect(displayWidth("👩‍👧")).toBe(2);
  expect(displayWidth("a · b")).toBe(5);
  expect(displayWidth("e\u0301té")).toBe(3);
});

test("a cut line is never wider than asked and never cuts through a character", () => {
  expect(cutToWidth("漢字漢字", 8)).toBe("漢字漢字");
  expect(cutToWidth("漢字漢字", 6)).toBe("漢字…");
  expect(cutToWidth("one two", 5)).toBe("one…");
});

test.each([
  [0, "just now"],
  [-30_000, "just now"],
  [59_999, "just now"],
  [60_000, "1 min ago"],
  [3_600_000, "1 h ago"],
  [86_400_000, "1 day ago"],
  [3 * 86_400_000, "3 days ago"],
  [8 * 86_400_000, "2026-11-07"],
  [-86_400_000, "Mon 2026-11-16 09:00"],
])("%d ms ago is %s", (ago, words) => {
  const now = Date.UTC(2026, 10, 15, 9);
  expect(relativeTime(now - ago, now, "UTC")).toBe(words);
});
