import { ZoneClock } from "./zone-clock.ts";

/** Times as the owner's wall clock shows them. A conversation shows the same minutes again with every message, so that what was asked is kept, up to a limit. */
export class LocalTime {
  readonly timeZone: string;
  readonly #clock: ZoneClock;
  readonly #minutes = new Map<number, string>();
  /** When the day began, by the minute for which somebody asked: every turn asks for its own, and whoever names a day for that. */
  readonly #days = new Map<number, number>();

  /** Where there is no such zone, the first use throws a RangeError; ask isTimeZone first. */
  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.#clock = new ZoneClock(timeZone);
  }

  /** `Sun 2026-11-15 09:12` */
  format(ts: number): string {
    const minute = Math.floor(ts / 60_000);
    const known = this.#minutes.get(minute);
    if (known !== undefined) return known;
    const wall = this.#wallClock(ts);
    const text = `${WEEKDAYS[wall.getUTCDay()]} ${dateOf(wall)} ${twoDigits(wall.getUTCHours())}:${twoDigits(wall.getUTCMinutes())}`;
    if (this.#minutes.size >= MINUTES_KEPT_MAX) this.#minutes.clear();
    this.#minutes.set(minute, text);
    return text;
  }

  /** The moment the owner's day began. Days of 23 and 25 hours are handled by asking the zone again. */
  startOfDay(ts: number): number {
    const minute = Math.floor(ts / 60_000);
    const known = this.#days.get(minute);
    if (known !== undefined) return known;
    const start = this.#startOfDay(ts);
    if (this.#days.size >= DAYS_KEPT_MAX) this.#days.clear();
    this.#days.set(minute, start);
    return start;
  }

  #startOfDay(ts: number): number {
    const day = this.#dayOf(ts);
    const wall = this.#wallClock(ts);
    const sinceMidnightMs =
      (wall.getUTCHours() * 3600 + wall.getUTCMinutes() * 60 + wall.getUTCSeconds()) * 1000 + (ts % 1000);
    const start = ts - sinceMidnightMs;
    if (this.#dayOf(start) !== day) return start + HOUR_MS;
    return this.#dayOf(start - HOUR_MS) === day ? start - HOUR_MS : start;
  }

  /** The moment the owner's month began. */
  startOfMonth(ts: number): number {
    const day = this.#wallClock(ts).getUTCDate();
    // Noon of the first: an hour more or less does not leave the day.
    return this.startOfDay(this.startOfDay(ts) - (day - 1) * 24 * HOUR_MS + 12 * HOUR_MS);
  }

  #dayOf(ts: number): string {
    return dateOf(this.#wallClock(ts));
  }

  /** A date whose UTC fields are what the wall clock shows. */
  #wallClock(ts: number): Date {
    return new Date(this.#clock.wallTime(ts));
  }
}

function dateOf(wall: Date): string {
  return `${wall.getUTCFullYear()}-${twoDigits(wall.getUTCMonth() + 1)}-${twoDigits(wall.getUTCDate())}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const HOUR_MS = 3_600_000;
const MINUTES_KEPT_MAX = 10_000;
const DAYS_KEPT_MAX = 1_000;

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** One time, once. Whoever formats many keeps a LocalTime. */
export function formatLocal(ts: number, timeZone: string): string {
  return new LocalTime(timeZone).format(ts);
}
