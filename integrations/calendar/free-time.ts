import type { Zones } from "./zones.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface FreeTimeQuestion extends Span {
  readonly minutes: number;
  /** Minutes since midnight between which a day counts. */
  readonly dayStart: number;
  readonly dayEnd: number;
  /** Monday to Friday only. */
  readonly weekdays: boolean;
  readonly zone: string;
}

const DAYS_MAX = 400;

/** Spans of at least so many minutes, within the hours of each day, in which nothing of `busy` lies. */
export function findFreeTime(question: FreeTimeQuestion, busy: readonly Span[], zones: Zones): Span[] {
  const { minutes, zone, dayStart, dayEnd, weekdays } = question;
  const taken = merged(busy);
  const found: Span[] = [];
  const first = zones.wallAt(question.from, zone);
  for (let at = 0; at < DAYS_MAX; at++) {
    const date = new Date(Date.UTC(first.year, first.month - 1, first.day + at));
    const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    const moment = (minute: number) =>
      zones.instantOf({ ...day, hour: Math.floor(minute / 60), minute: minute % 60, second: 0 }, zone);
    const from = Math.max(moment(dayStart), question.from);
    // 24:00 is the beginning of the next day.
    const to = Math.min(dayEnd === 1_440 ? moment(1_439) + 60_000 : moment(dayEnd), question.to);
    if (moment(0) >= question.to) break;
    if (weekdays && [0, 6].includes(date.getUTCDay())) continue;
    found.push(...gaps({ from, to }, taken).filter((gap) => gap.to - gap.from >= minutes * 60_000));
  }
  return found;
}

function gaps({ from, to }: Span, taken: readonly Span[]): Span[] {
  const found: Span[] = [];
  let at = from;
  for (const each of taken) {
    if (each.to <= at) continue;
    if (each.from >= to) break;
    if (each.from > at) found.push({ from: at, to: each.from });
    at = Math.max(at, each.to);
  }
  if (at < to) found.push({ from: at, to });
  return found;
}

function merged(spans: readonly Span[]): Span[] {
  const sorted = spans.filter(({ from, to }) => to > from).toSorted((a, b) => a.from - b.from);
  const together: { from: number; to: number }[] = [];
  for (const span of sorted) {
    const last = together.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else together.push({ ...span });
  }
  return together;
}
