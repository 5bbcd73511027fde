/** Times as the owner's wall clock shows them. Pure: the moment and the zone are handed in. */

interface WallClock {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly hour: string;
  readonly minute: string;
  readonly second: string;
  readonly weekday: string;
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** `Sun 2026-11-15 09:12` */
export function formatLocal(ts: number, timeZone: string): string {
  const w = wallClock(ts, timeZone);
  return `${w.weekday} ${w.year}-${w.month}-${w.day} ${w.hour}:${w.minute}`;
}

/** The moment the owner's day began. Days of 23 and 25 hours are handled by asking the zone again. */
export function startOfDay(ts: number, timeZone: string): number {
  const day = dayOf(ts, timeZone);
  const w = wallClock(ts, timeZone);
  const sinceMidnightMs =
    (Number(w.hour) * 3600 + Number(w.minute) * 60 + Number(w.second)) * 1000 + (ts % 1000);
  let start = ts - sinceMidnightMs;
  const HOUR = 3_600_000;
  if (dayOf(start, timeZone) !== day) start += HOUR;
  else if (dayOf(start - HOUR, timeZone) === day) start -= HOUR;
  return start;
}

function dayOf(ts: number, timeZone: string): string {
  const w = wallClock(ts, timeZone);
  return `${w.year}-${w.month}-${w.day}`;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function wallClock(ts: number, timeZone: string): WallClock {
  // Building a formatter costs a millisecond, using one a microsecond; the few zones in use are kept.
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hourCycle: "h23",
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    if (formatters.size >= 16) formatters.clear();
    formatters.set(timeZone, formatter);
  }
  const parts: Record<string, string> = {};
  for (const part of formatter.formatToParts(ts)) parts[part.type] = part.value;
  return parts as unknown as WallClock;
}
