/**
 * Times as the owner's wall clock shows them. Asking the system for a wall clock is slow,
 * and a conversation shows the same minutes again with every message, so that what was
 * asked is kept, up to a limit.
 */
export class LocalTime {
  readonly timeZone: string;
  /** Made for the first time that is shown: a start shows none, and making it costs 13 ms. */
  #formatter: Intl.DateTimeFormat | undefined;
  readonly #minutes = new Map<number, string>();
  /** When the day began, by the minute for which somebody asked: every turn asks for its own, and whoever names a day for that. */
  readonly #days = new Map<number, number>();

  /** Where there is no such zone, the first use throws a RangeError; ask isTimeZone first. */
  constructor(timeZone: string) {
    this.timeZone = timeZone;
  }

  /** `Sun 2026-11-15 09:12` */
  format(ts: number): string {
    const minute = Math.floor(ts / 60_000);
    const known = this.#minutes.get(minute);
    if (known !== undefined) return known;
    const w = this.#wallClock(ts);
    const text = `${w["weekday"]} ${w["year"]}-${w["month"]}-${w["day"]} ${w["hour"]}:${w["minute"]}`;
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
    const w = this.#wallClock(ts);
    const sinceMidnightMs =
      (Number(w["hour"]) * 3600 + Number(w["minute"]) * 60 + Number(w["second"])) * 1000 + (ts % 1000);
    const start = ts - sinceMidnightMs;
    if (this.#dayOf(start) !== day) return start + HOUR_MS;
    return this.#dayOf(start - HOUR_MS) === day ? start - HOUR_MS : start;
  }

  /** The moment the owner's month began. */
  startOfMonth(ts: number): number {
    const day = Number(this.#wallClock(ts)["day"]);
    // Noon of the first: an hour more or less does not leave the day.
    return this.startOfDay(this.startOfDay(ts) - (day - 1) * 24 * HOUR_MS + 12 * HOUR_MS);
  }

  #dayOf(ts: number): string {
    const w = this.#wallClock(ts);
    return `${w["year"]}-${w["month"]}-${w["day"]}`;
  }

  #wallClock(ts: number): Record<string, string> {
    this.#formatter ??= wallClockOf(this.timeZone);
    return Object.fromEntries(this.#formatter.formatToParts(ts).map((part) => [part.type, part.value]));
  }
}

function wallClockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", {
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
}

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
