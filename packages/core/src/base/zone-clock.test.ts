import { expect, test } from "vitest";
import { readInstant, ZoneClock } from "./zone-clock.ts";

const berlin = new ZoneClock("Europe/Berlin");
const iso = (instant: number | undefined) =>
  instant === undefined ? undefined : new Date(instant).toISOString();

test("a wall time that the clocks skip means the moment of the jump, and one that they show twice the first of the two", () => {
  // 29 March 2026: 02:00 becomes 03:00. 25 October 2026: 03:00 becomes 02:00.
  expect(iso(berlin.instantOf(Date.UTC(2026, 2, 29, 1, 59)))).toBe("2026-03-29T00:59:00.000Z");
  expect(iso(berlin.instantOf(Date.UTC(2026, 2, 29, 2, 0)))).toBe("2026-03-29T01:00:00.000Z");
  expect(iso(berlin.instantOf(Date.UTC(2026, 2, 29, 2, 45)))).toBe("2026-03-29T01:00:00.000Z");
  expect(iso(berlin.instantOf(Date.UTC(2026, 2, 29, 3, 0)))).toBe("2026-03-29T01:00:00.000Z");
  expect(iso(berlin.instantOf(Date.UTC(2026, 9, 25, 2, 30)))).toBe("2026-10-25T00:30:00.000Z");
  expect(iso(berlin.instantOf(Date.UTC(2026, 9, 25, 3, 0)))).toBe("2026-10-25T02:00:00.000Z");
});

test.each(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"])(
  "around every change of the clocks in %s a wall time is read back, but for those that do not exist",
  (zone) => {
    const clock = new ZoneClock(zone);
    const spring = [Date.UTC(2026, 2, 6), Date.UTC(2026, 3, 7)] as const;
    const autumn = [Date.UTC(2026, 9, 2), Date.UTC(2026, 10, 3)] as const;
    let moved = 0;
    for (const [from, to] of [spring, autumn])
      for (let wall = from; wall < to; wall += 1_800_000) {
        const back = clock.wallTime(clock.instantOf(wall));
        if (back === wall) continue;
        moved += 1;
        expect(back).toBeGreaterThan(wall);
        expect(back - wall).toBeLessThanOrEqual(3_600_000);
      }
    expect(moved).toBeLessThanOrEqual(2);
  },
);

test("a date and time is read on the owner's clock, or by the offset that it brings", () => {
  expect(iso(readInstant("2026-11-17T09:00", berlin))).toBe("2026-11-17T08:00:00.000Z");
  expect(iso(readInstant("2026-11-17 09:00:30", berlin))).toBe("2026-11-17T08:00:30.000Z");
  expect(iso(readInstant("2026-11-17T09:00Z", berlin))).toBe("2026-11-17T09:00:00.000Z");
  expect(iso(readInstant("2026-11-17T09:00-05:30", berlin))).toBe("2026-11-17T14:30:00.000Z");
  expect(iso(readInstant("2028-02-29T09:00", berlin))).toBe("2028-02-29T08:00:00.000Z");
});

test.each([
  "2026-02-29T09:00",
  "2026-04-31T09:00",
  "2026-11-17T24:00",
  "2026-11-17T09:60",
  "tomorrow",
  "2026-11-17",
  "",
])("%j is no date and time", (text) => {
  expect(readInstant(text, berlin)).toBeUndefined();
});

test.each([
  // Forward on Sunday, and back on the next: the shortest that there ever was.
  ["America/Recife", Date.UTC(2000, 9, 1), Date.UTC(2000, 9, 22)],
  // A change of half an hour.
  ["Australia/Lord_Howe", Date.UTC(2026, 2, 25), Date.UTC(2026, 3, 15)],
  ["Europe/London", Date.UTC(1968, 1, 10), Date.UTC(1968, 1, 25)],
])("every hour around the changes in %s is as the system has it", (zone, from, to) => {
  const clock = new ZoneClock(zone);
  const shown = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  const offsets = new Set<number>();
  for (let at = from; at < to; at += 3_600_000) {
    const wall = clock.wallTime(at);
    offsets.add(wall - at);
    expect(new Date(wall).toISOString().slice(0, 19).replace("T", " ")).toBe(shown.format(at));
  }
  expect(offsets.size).toBe(2);
});
