/** A moment as a clock on a wall shows it. Months count from one. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const DAY_MS = 86_400_000;
const FORMATS_MAX = 64;

/** Wall clocks of time zones, by the zone data of this machine. */
export class Zones {
  readonly #formats = new Map<string, Intl.DateTimeFormat>();

  isKnown(zone: string): boolean {
    try {
      this.#format(zone);
      return true;
    } catch (cause) {
      if (cause instanceof RangeError) return false;
      throw cause;
    }
  }

  wallAt(instant: number, zone: string): WallTime {
    const parts = new Map(
      this.#format(zone)
        .formatToParts(instant)
        .map(({ type, value }) => [type, Number(value)]),
    );
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    return {
      year: part("year"),
      month: part("month"),
      day: part("day"),
      hour: part("hour"),
      minute: part("minute"),
      second: part("second"),
    };
  }

  /** What clocks there are ahead of UTC, in milliseconds. */
  offsetAt(instant: number, zone: string): number {
    const whole = Math.floor(instant / 1_000) * 1_000;
    return utcOf(this.wallAt(whole, zone)) - whole;
  }

  /** A time that clocks skip is taken an hour later; of one that they show twice, the first. */
  instantOf(wall: WallTime, zone: string): number {
    const asUtc = utcOf(wall);
    const before = this.offsetAt(asUtc - DAY_MS, zone);
    const after = this.offsetAt(asUtc + DAY_MS, zone);
    const first = asUtc - before;
    if (before === after || this.offsetAt(first, zone) === before) return first;
    const second = asUtc - after;
    return this.offsetAt(second, zone) === after ? second : first;
  }

  #format(zone: string): Intl.DateTimeFormat {
    const known = this.#formats.get(zone);
    if (known) return known;
    const made = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const [oldest] = this.#formats.keys();
    if (this.#formats.size >= FORMATS_MAX && oldest !== undefined) this.#formats.delete(oldest);
    this.#formats.set(zone, made);
    return made;
  }
}

function utcOf({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** `2026-11-17T09:00`, or `2026-11-17` for a whole day. */
export function writeWall({ year, month, day, hour, minute }: WallTime, allDay: boolean): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  return allDay ? date : `${date}T${two(hour)}:${two(minute)}`;
}

const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A date alone is a whole day. Undefined where it is no time, or none that there is. */
export function readTime(
  text: string,
  zone: string,
  zones: Zones,
): { readonly instant: number; readonly allDay: boolean } | undefined {
  const found = WRITTEN.exec(text.trim());
  if (!found) return undefined;
  const [year, month, day, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const wall: WallTime = { year: year!, month: month!, day: day!, hour, minute, second };
  const asUtc = new Date(utcOf(wall));
  if (
    asUtc.getUTCMonth() + 1 !== month ||
    asUtc.getUTCDate() !== day ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    return undefined;
  const allDay = found[4] === undefined;
  const offset = found[7];
  if (offset === undefined) return { instant: zones.instantOf(wall, zone), allDay };
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const ahead = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { instant: utcOf(wall) - ahead, allDay };
}
