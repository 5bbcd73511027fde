import { expect, test } from "vitest";
import { isTimeZone, LocalTime } from "./local-time.ts";

const at = (iso: string) => Date.parse(iso);

test("a moment is shown as the owner's wall clock shows it", () => {
  expect(new LocalTime("Europe/Berlin").format(at("2026-11-15T08:12:00Z"))).toBe("Sun 2026-11-15 09:12");
  expect(new LocalTime("Asia/Tokyo").format(at("2026-11-15T23:30:00Z"))).toBe("Mon 2026-11-16 08:30");
});

test("a day begins at the owner's midnight", () => {
  expect(new LocalTime("Europe/Berlin").startOfDay(at("2026-11-15T08:12:33.250Z"))).toBe(
    at("2026-11-14T23:00:00Z"),
  );
  expect(new LocalTime("UTC").startOfDay(at("2026-11-15T08:12:00Z"))).toBe(at("2026-11-15T00:00:00Z"));
  expect(new LocalTime("UTC").startOfDay(at("2026-11-15T00:00:00Z"))).toBe(at("2026-11-15T00:00:00Z"));
});

test("days of 23 and 25 hours begin at their midnight too", () => {
  // Berlin: clocks forward on 2026-03-29, back on 2026-10-25.
  expect(new LocalTime("Europe/Berlin").startOfDay(at("2026-03-29T10:00:00Z"))).toBe(
    at("2026-03-28T23:00:00Z"),
  );
  expect(new LocalTime("Europe/Berlin").startOfDay(at("2026-10-25T10:00:00Z"))).toBe(
    at("2026-10-24T22:00:00Z"),
  );
});

test("a name that is no time zone is told apart from one that is", () => {
  expect(isTimeZone("Europe/Berlin")).toBe(true);
  expect(isTimeZone("Europe/Atlantis")).toBe(false);
});
