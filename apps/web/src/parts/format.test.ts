import { expect, test } from "vitest";
import { agoText, clockText, logTimeText } from "./format.ts";

test("a line of a log has the time of day only for today: what was before says how long ago, or its day", () => {
  const noon = new Date(2026, 10, 15, 12).getTime();
  const hours = (count: number) => noon - count * 3_600_000;
  expect(logTimeText(hours(3), noon)).toBe(clockText(hours(3)));
  expect(logTimeText(hours(15), noon)).toBe("15 h ago");
  expect(logTimeText(hours(75), noon)).toBe(agoText(hours(75), noon));
  expect(logTimeText(hours(75), noon)).toContain("12");
});
