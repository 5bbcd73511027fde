import { formatLocal } from "../base/local-time.ts";
import { LIMITS } from "../base/limits.ts";
import { err, ok, type Result } from "../base/result.ts";
import { readInstant, ZoneClock } from "../base/zone-clock.ts";
import { cronProblem } from "./cron-expression.ts";
import type { JobSchedule } from "./job.ts";
import { zoneNamed } from "./zone-name.ts";

/** A schedule as people and models write it: one of the three. */
export interface WrittenSchedule {
  /** `2026-11-17T09:00` by the owner's clock, or with an offset. */
  readonly at?: string | undefined;
  /** `30m`, `2h`, `1d`. */
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
  /** A zone, or a city that one is called after; the owner's where none is named. */
  readonly timeZone?: string | undefined;
}

/** The schedule that is meant, or a sentence on what is wrong with it. */
export function readSchedule(
  written: WrittenSchedule,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): Result<JobSchedule, string> {
  const { at, every, cron } = written;
  const given = [at, every, cron].filter((each) => each !== undefined).length;
  if (given !== 1)
    return err(
      "A job needs one of at (once), every (an interval) or cron, and this has " +
        `${given === 0 ? "none" : String(given)}.`,
    );
  const zone = zoneNamed(written.timeZone ?? timeZone);
  if (zone === undefined)
    return err(`"${written.timeZone ?? timeZone}" is no time zone. Write one such as Europe/Berlin.`);
  if (at !== undefined) return readAt(at, new ZoneClock(zone), now);
  if (every !== undefined) return readEvery(every, now);
  const expression = (cron ?? "").trim().replaceAll(/\s+/gu, " ");
  const problem = cronProblem(expression);
  if (problem !== undefined) return err(`The cron expression "${expression}" ${problem}.`);
  return ok({
    kind: "cron",
    expression,
    ...(written.timeZone === undefined ? {} : { timeZone: zone }),
  });
}

function readAt(text: string, clock: ZoneClock, now: number): Result<JobSchedule, string> {
  const at = readInstant(text, clock);
  const today = () => `it is ${formatLocal(now, clock.timeZone)} (${clock.timeZone})`;
  if (at === undefined)
    return err(`"${text}" is no date and time. Write it as 2026-11-17T09:00; ${today()}.`);
  if (at <= now) return err(`${text} has passed already: ${today()}.`);
  return ok({ kind: "at", at });
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readEvery(text: string, now: number): Result<JobSchedule, string> {
  const found = /^(\d{1,6})\s?(m|h|d)$/u.exec(text.trim());
  const everyMs = Number(found?.[1] ?? 0) * (UNITS[found?.[2] ?? ""] ?? 0);
  if (everyMs < LIMITS.jobEveryMsMin || everyMs > LIMITS.jobEveryMsMax)
    return err(`"${text}" is no interval. Write one from 1m to 366d, such as 30m, 2h or 1d.`);
  return ok({ kind: "every", everyMs, from: now });
}
