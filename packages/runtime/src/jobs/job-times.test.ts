import { expect, test } from "vitest";
import { JobTimetable } from "./job-times.ts";

const HOUR = 3_600_000;
const timetable = new JobTimetable({ cron: { next: async () => [] }, timeZone: "UTC", hash: () => "" });

test("an interval is due for the first time when a whole one has passed, whatever the clock said before it began", async () => {
  const from = Date.parse("2026-11-16T08:00:00Z");
  const schedule = { kind: "every", everyMs: HOUR, from } as const;
  for (const before of [0, 1, HOUR, 30 * HOUR])
    expect(await timetable.next(schedule, from - before, 2)).toEqual([from + HOUR, from + 2 * HOUR]);
  expect(await timetable.next(schedule, from + HOUR, 1)).toEqual([from + 2 * HOUR]);
});
