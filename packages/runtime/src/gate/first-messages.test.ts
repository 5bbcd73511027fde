import { LIMITS } from "@elwood/core/base/limits";
import { expect, test } from "vitest";
import { FirstMessages, NOTHING_TYPED, type FirstMessage } from "./first-messages.ts";

const typed = (text: string): FirstMessage => ({ ...NOTHING_TYPED, typed: [text] });

function kept(count: number, text: string): { messages: FirstMessages; has: (n: number) => boolean } {
  const messages = new FirstMessages();
  for (let n = 0; n < count; n++) messages.set(`run_${n}`, typed(text));
  return { messages, has: (n) => messages.get(`run_${n}`) !== undefined };
}

test("thousands of short ones are kept, and of more those that were asked for last", () => {
  const { messages, has } = kept(5_000, "x".repeat(120));
  expect(has(0)).toBe(true);
  for (let n = 5_000; n < 9_000; n++) messages.set(`run_${n}`, typed("x".repeat(120)));
  expect([has(0), has(1), has(8_999)]).toEqual([true, false, true]);
});

test("they are kept by their bytes: one that is long takes the place of many, and a very long one of none", () => {
  const half = LIMITS.firstMessageBytesMax / 2;
  const fit = Math.floor(LIMITS.firstMessagesBytesMax / (half + 1_000));
  expect(kept(fit, "x".repeat(half)).has(0)).toBe(true);
  expect(kept(2 * fit, "x".repeat(half)).has(0)).toBe(false);
  // Two bytes each.
  const wide = kept(fit, "ж".repeat(half - 1_000));
  expect([wide.has(0), wide.has(fit - 1)]).toEqual([false, true]);
  const { messages, has } = kept(100, "short");
  messages.set("run_100", typed("x".repeat(LIMITS.firstMessageBytesMax)));
  expect([has(0), has(100)]).toEqual([true, false]);
  // Nor is what was known of it before.
  messages.set("run_0", typed("x".repeat(LIMITS.firstMessageBytesMax)));
  expect(has(0)).toBe(false);
});
