import { expect, test } from "vitest";
import { ZoneClock } from "../base/zone-clock.ts";
import { isActiveAt, type ActiveHours } from "./active-hours.ts";

const MINUTE = 60_000;

/** The stretches of some time in which they are active, as moments in UTC. */
function activeTimes(hours: ActiveHours, zone: string, from: string, to: string): string[] {
  const clock = new ZoneClock(zone);
  const edges: string[] = [];
  let before = isActiveAt(Date.parse(from) - MINUTE, hours, clock);
  for (let at = Date.parse(from); at < Date.parse(to); at += MINUTE) {
    const now = isActiveAt(at, hours, clock);
    if (now !== before) edges.push(`${now ? "from" : "until"} ${new Date(at).toISOString().slice(5, 16)}`);
    before = now;
  }
  return edges;
}

test("active hours go by the wall clock of the owner's zone, not by UTC", () => {
  const hours = { start: 8, end: 22 };
  const day = ["2026-11-16T00:00Z", "2026-11-17T00:00Z"] as const;
  expect(activeTimes(hours, "Europe/Berlin", ...day)).toEqual(["from 11-16T07:00", "until 11-16T21:00"]);
  expect(activeTimes(hours, "Asia/Kolkata", ...day)).toEqual(["from 11-16T02:30", "until 11-16T16:30"]);
  expect(activeTimes(hours, "America/Los_Angeles", ...day)).toEqual([
    "until 11-16T06:00",
    "from 11-16T16:00",
  ]);
});

test("active hours whose end is before their start go over midnight", () => {
  expect(
    activeTimes({ start: 22, end: 6 }, "Europe/Berlin", "2026-11-16T00:00Z", "2026-11-17T00:00Z"),
  ).toEqual(["until 11-16T05:00", "from 11-16T21:00"]);
});

test("where the end is the start, no hour is active; from 0 to 24 every hour is", () => {
  const day = ["2026-11-16T00:00Z", "2026-11-17T00:00Z"] as const;
  const zone = new ZoneClock("Europe/Berlin");
  expect(activeTimes({ start: 8, end: 8 }, "Europe/Berlin", ...day)).toEqual([]);
  expect(isActiveAt(Date.parse(day[0]), { start: 8, end: 8 }, zone)).toBe(false);
  expect(activeTimes({ start: 0, end: 24 }, "Europe/Berlin", ...day)).toEqual([]);
  expect(isActiveAt(Date.parse(day[0]), { start: 0, end: 24 }, zone)).toBe(true);
});

test("when the clocks go forward, active hours over midnight are an hour shorter, and still end by the wall clock", () => {
  // In Berlin 02:00 becomes 03:00 on 29 March 2026, at 01:00 UTC.
  expect(
    activeTimes({ start: 22, end: 6 }, "Europe/Berlin", "2026-03-28T12:00Z", "2026-03-29T12:00Z"),
  ).toEqual(["from 03-28T21:00", "until 03-29T04:00"]);
  // Hours that begin in the hour that is skipped begin at the jump.
  expect(
    activeTimes({ start: 2, end: 8 }, "Europe/Berlin", "2026-03-29T00:00Z", "2026-03-29T12:00Z"),
  ).toEqual(["from 03-29T01:00", "until 03-29T06:00"]);
});

test("when the clocks go back, active hours over midnight are an hour longer, and an hour that comes twice counts twice", () => {
  // In Berlin 03:00 becomes 02:00 on 25 October 2026, at 01:00 UTC.
  expect(
    activeTimes({ start: 22, end: 6 }, "Europe/Berlin", "2026-10-24T12:00Z", "2026-10-25T12:00Z"),
  ).toEqual(["from 10-24T20:00", "until 10-25T05:00"]);
  expect(
    activeTimes({ start: 2, end: 3 }, "Europe/Berlin", "2026-10-24T12:00Z", "2026-10-25T12:00Z"),
  ).toEqual(["from 10-25T00:00", "until 10-25T02:00"]);
});
