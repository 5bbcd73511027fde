import type { LocalTime } from "../base/local-time.ts";
import { calendarSpans, type CalendarSpan, type Day } from "./date-words.ts";

/** A stretch of time that a question speaks of. `to` is not part of it. */
export interface DateWindow {
  readonly from: number;
  readonly to: number;
  readonly grain: "day" | "week" | "month" | "year";
  /** A date that was named, or one reckoned from now ("last week"). */
  readonly named: boolean;
}

export const DATE_WINDOWS_MAX = 4;
const QUESTION_CHARS_MAX = 2_000;
const HOUR_MS = 3_600_000;

/**
 * The times a question names, as the owner's calendar has them: "on 7 May", "in June 2023",
 * "last week", "vor drei Tagen". Where a day or month is named without its year, the last one that
 * has begun is meant. Where dates are named, words such as "last week" are taken as quoted and give none.
 */
export function dateWindows(question: string, now: number, zone: LocalTime): DateWindow[] {
  const text = question.slice(0, QUESTION_CHARS_MAX);
  if (!MAYBE_DATE.test(text)) return [];
  const spans = calendarSpans(text, dayAt(zone, now));
  const named = spans.some((span) => span.named);
  return spans
    .filter((span) => span.named === named)
    .slice(0, DATE_WINDOWS_MAX)
    .map((span) => windowOf(span, zone));
}

/** "What is my current address?" asks for the last word on it, and only then age counts. */
export function asksForLatest(question: string): boolean {
  return LATEST.test(question.slice(0, QUESTION_CHARS_MAX));
}

const LATEST =
  /\b(current(ly)?|latest|newest|most recent(ly)?|nowadays|these days|at the moment|right now|as of now|up to date|still)\b|\b(aktuell\w*|derzeit\w*|neueste\w*|zuletzt|momentan|inzwischen)\b/iu;

const MAYBE_DATE =
  /\d|\b(jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|spring|summer|autumn|fall|winter|frühling|sommer|herbst)\p{L}*|day|week|month|year|night|morning|heute|gestern|woche|monat|jahr|tag/iu;

function windowOf(span: CalendarSpan, zone: LocalTime): DateWindow {
  return {
    from: startOf(zone, span.from),
    to: startOf(zone, span.to),
    grain: span.grain,
    named: span.named,
  };
}

function dayAt(zone: LocalTime, ts: number): Day {
  const [, date] = zone.format(ts).split(" ");
  const [year, month, day] = date!.split("-").map(Number);
  return { year: year!, month: month!, day: day! };
}

/** Zones lie up to 14 hours from UTC, so midnight there is looked for from noon there. */
function startOf(zone: LocalTime, { year, month, day }: Day): number {
  const noon = Date.UTC(year, month - 1, day, 12);
  const there = dayAt(zone, noon);
  const late = Date.UTC(there.year, there.month - 1, there.day, 12) - noon;
  return zone.startOfDay(noon - Math.sign(late) * 12 * HOUR_MS);
}
