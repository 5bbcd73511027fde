import { ZoneClock } from "@elwood/core/base/zone-clock";
import { namesHours } from "@elwood/core/schedule/cron-expression";
import type { CronTimes } from "@elwood/runtime/ports/jobs";

/** Making the clock of a zone takes longer than asking it. */
const ZONES_KEPT_MAX = 50;

type Croner = typeof import("croner");

/**
 * The times of cron expressions. Croner knows the calendar; what a change of the clocks means is
 * decided here, since Croner passes over most times that are skipped.
 *
 * K1 A time of day that the clocks skip comes at the moment of the jump, one that they show twice
 *    comes the first time. So a daily job runs once on every day.
 * K2 An expression for every hour goes by the hours that pass: one more in autumn, one less in spring.
 */
export function cronTimes(): CronTimes {
  let croner: Promise<Croner> | undefined;
  const clocks = new Map<string, ZoneClock>();
  const clockOf = (timeZone: string): ZoneClock => {
    const known = clocks.get(timeZone);
    if (known) return known;
    if (clocks.size >= ZONES_KEPT_MAX) clocks.clear();
    const made = new ZoneClock(timeZone);
    clocks.set(timeZone, made);
    return made;
  };
  return {
    async next(expression, timeZone, after, count) {
      const { Cron } = await (croner ??= import("croner"));
      const options = { paused: true, mode: "5-part" } as const;
      const times: number[] = [];
      if (!namesHours(expression)) {
        // K2
        const cron = new Cron(expression, { ...options, timezone: timeZone });
        let last = after;
        while (times.length < count) {
          const next = cron.nextRun(new Date(last));
          if (next === null) break;
          times.push((last = next.getTime()));
        }
        return times;
      }
      // K1: the calendar of the wall clock alone, and only then the moments.
      const cron = new Cron(expression, { ...options, timezone: "UTC" });
      const clock = clockOf(timeZone);
      let wall = clock.wallTime(after);
      let last = after;
      while (times.length < count) {
        const next = cron.nextRun(new Date(wall));
        if (next === null) break;
        wall = next.getTime();
        const instant = clock.instantOf(wall);
        // In the second of two equal hours the wall shows times that were there before.
        if (instant <= last) continue;
        times.push((last = instant));
      }
      return times;
    },
  };
}
