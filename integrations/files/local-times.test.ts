import { expect, test } from "vitest";
import { localTimes } from "./local-times.ts";

test("a moment is shown with the offset that its zone has then", () => {
  expect(localTimes("Asia/Tokyo")(Date.UTC(2026, 10, 17, 13, 26, 5, 900))).toBe("2026-11-17T22:26:05+09:00");
  expect(localTimes("America/St_Johns")(Date.UTC(2026, 6, 1, 12))).toBe("2026-07-01T09:30:00-02:30");
});

test("a start asks the system for no clock: where there is no such zone, only showing a moment says so", () => {
  const shown = localTimes("Nowhere/At_All");
  expect(() => shown(0)).toThrow(RangeError);
});
