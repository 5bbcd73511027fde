import { expect, test } from "vitest";
import { formatLocal, isTimeZone, startOfDay } from "./local-time.ts";

const at = (iso: string) => Date.parse(iso);

test("a moment is shown as the owner's wall clock shows it", () => {
  expect(formatLocal(at("2026-11-15T08:12:00Z"), "Europe/Berlin")).toBe("Sun 2026-11-15 09:12");
  expect(formatLocal(at("2026-11-15T23:30:00Z"), "Asia/Tokyo")).toBe("Mon 2026-11-16 08:30");
});

test("a day begins at the owner's midnight", () => {
  expect(startOfDay(at("2026-11-15T08:12:33.250Z"), "Europe/Berlin")).toBe(at("2026-11-14T23:00:00Z"));
  expect(startOfDay(at("2026-11-15T08:12:00Z"), "UTC")).toBe(at("2026-11-15T00:00:00Z"));
  expect(startOfDay(at("2026-11-15T00:00:00Z"), "UTC")).toBe(at("2026-11-15T00:00:00Z"));
});

test("days of 23 and 25 hours begin at their midnight too", () => {
  // Berlin: clocks forward on 2026-03-29, back on 2026-10-25.
  expect(startOfDay(at("2026-03-29T10:00:00Z"), "Europe/Berlin")).toBe(at("2026-03-28T23:00:00Z"));
  expect(startOfDay(at("2026-10-25T10:00:00Z"), "Europe/Berlin")).toBe(at("2026-10-24T22:00:00Z"));
});

test("a name that is no time zone is told apart from one that is", () => {
  expect(isTimeZone("Europe/Berlin")).toBe(true);
  expect(isTimeZone("Europe/Atlantis")).toBe(false);
});
