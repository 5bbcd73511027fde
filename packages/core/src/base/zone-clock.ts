/**
 * The wall clock of a time zone, as arithmetic. A wall time is the number of milliseconds that
 * the same figures would be since 1970 in UTC: 09:00 in Berlin is `Date.UTC(…, 9, 0)`.
 *
 * Z1 Every moment has one wall time.
 * Z2 A wall time that the clocks skip means the moment at which they jump.
 * Z3 A wall time that the clocks show twice means the first of the two moments.
 */
export class ZoneClock {
  readonly timeZone: string;
  /** Made for the first time that is asked for: a start asks for none, and making it costs 13 ms. */
  #formatter: Intl.DateTimeFormat | undefined;
  /** The offset of each span of days; undefined where it changes within the span. Asking the system is slow. */
  readonly #spans = new Map<number, number | undefined>();

  /** Where there is no such zone, the first use throws a RangeError; ask isTimeZone first. */
  constructor(timeZone: string) {
    this.timeZone = timeZone;
  }

  /** Z1 */
  wallTime(instant: number): number {
    return instant + this.#offset(instant);
  }

  /** Z2, Z3 */
  instantOf(wallTime: number): number {
    // No zone is further from UTC than this, so that both sides of a change are looked at.
    const early = this.#offset(wallTime - OFFSET_MS_MAX);
    const late = this.#offset(wallTime + OFFSET_MS_MAX);
    const candidates = [wallTime - Math.max(early, late), wallTime - Math.min(early, late)];
    const found = candidates.find((instant) => this.wallTime(instant) === wallTime);
    return found ?? this.#jumpBetween(candidates[0]!, candidates[1]!, wallTime);
  }

  /** The first moment from which on the wall shows at least this time. */
  #jumpBetween(before: number, after: number, wallTime: number): number {
    let low = before;
    let high = after;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.wallTime(middle) >= wallTime) high = middle;
      else low = middle;
    }
    return high;
  }

  #offset(instant: number): number {
    const span = Math.floor(instant / SPAN_MS);
    if (!this.#spans.has(span)) {
      if (this.#spans.size >= SPANS_KEPT_MAX) this.#spans.clear();
      const first = this.#askedOffset(span * SPAN_MS);
      const last = this.#askedOffset((span + 1) * SPAN_MS - 1);
      this.#spans.set(span, first === last ? first : undefined);
    }
    return this.#spans.get(span) ?? this.#askedOffset(instant);
  }

  #askedOffset(instant: number): number {
    this.#formatter ??= new Intl.DateTimeFormat("en-GB", {
      timeZone: this.timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const second = Math.floor(instant / 1000) * 1000;
    const parts = this.#formatter.formatToParts(second);
    const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
    return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second")) - second;
  }
}

const OFFSET_MS_MAX = 15 * 3_600_000;
/** Since 1970 no zone changed its offset and changed it back within so short a time; parts of Brazil did within a week, in 2000. */
const SPAN_MS = 4 * 24 * 3_600_000;
/** Of about forty years. */
const SPANS_KEPT_MAX = 4_000;

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?$/u;

/**
 * The moment that `2026-11-17T09:00` means on this clock, or `…+01:00` anywhere; undefined where it
 * is no such text or no such day.
 */
export function readInstant(text: string, clock: ZoneClock): number | undefined {
  const found = LOCAL.exec(text.trim());
  if (!found) return undefined;
  const [year, month, day, hour, minute] = found.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const second = Number(found[6] ?? 0);
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  const back = new Date(wall);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  if (back.getUTCMonth() !== month - 1 || back.getUTCDate() !== day) return undefined;
  const offset = found[7];
  if (offset === undefined) return clock.instantOf(wall);
  if (offset === "Z") return wall;
  const sign = offset.startsWith("-") ? -1 : 1;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  return wall - sign * (hours * 60 + minutes) * 60_000;
}
