import { withoutClosing } from "./note-pieces.ts";

/**
 * Facts of a note: its bullets, each with the time for which it holds. A fact ceases to hold
 * because somebody wrote so (`until`, `~~struck~~`), or because a bullet about the same thing
 * says since when it holds instead. Nothing else ends one: of two bullets about the same
 * thing without dates both stand, and whoever shows one shows the other beside it.
 */
export interface Fact {
  /** Line in the note, from 1. */
  readonly line: number;
  /** What it is about, in the form in which two facts are compared: `ada / city`. */
  readonly subject?: string;
  /** The bullet without its marks and dates. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly validFrom?: number;
  /** The first moment at which it no longer holds. */
  readonly validTo?: number;
  /** Crossed out by hand. */
  readonly struck: boolean;
  /** Line of the bullet that holds in its place. */
  readonly supersededBy?: number;
  /** Less than 1 where the bullet itself doubts it. */
  readonly confidence: number;
}

const FACTS_MAX = 2_000;
const FACT_CHARS_MAX = 2_000;
const SUBJECT_CHARS_MAX = 60;
const UNSURE = 0.5;

const HEADING = /^ {0,3}(#{1,6})\s+(\S[^\n]*)$/;
const BULLET = /^\s{0,12}(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(\S[^\n]*)$/;
const STRUCK = /^~~([^\n]+?)~~\s*/;
const FENCE = /^ {0,3}(?:```|~~~(?!~))/;

export function parseFacts(markdown: string): Fact[] {
  return superseded(bulletsIn(markdown).map(factIn));
}

/** A bullet of a note that was not read yet. */
export interface Bullet {
  readonly line: number;
  readonly text: string;
  /** Those that it stands below. */
  readonly headings: readonly string[];
}

export function bulletsIn(markdown: string): Bullet[] {
  const found: Bullet[] = [];
  let headings: readonly string[] = [];
  let fenced = false;
  for (const [index, raw] of markdown.split("\n").entries()) {
    const line = raw.replace(/\r$/, "").slice(0, FACT_CHARS_MAX);
    if (FENCE.test(line)) fenced = !fenced;
    if (fenced) continue;
    const heading = HEADING.exec(line);
    if (heading) headings = below(headings, heading[1]!.length, folded(withoutClosing(heading[2]!)));
    const bullet = heading ? null : BULLET.exec(line);
    if (bullet && found.length < FACTS_MAX) found.push({ line: index + 1, text: bullet[1]!, headings });
  }
  return found;
}

/** Whether it holds at a moment. */
export function isActive(fact: Fact, at: number): boolean {
  if (fact.struck || (fact.validTo !== undefined && fact.validTo <= at)) return false;
  return fact.validFrom === undefined || fact.validFrom <= at;
}

/** Facts about the same thing as this one, itself included, the newest first. */
export function aboutTheSame(fact: Fact, facts: readonly Fact[]): readonly Fact[] {
  if (fact.subject === undefined) return [fact];
  return facts
    .filter(({ subject }) => subject === fact.subject)
    .sort((a, b) => (b.validFrom ?? -Infinity) - (a.validFrom ?? -Infinity) || b.line - a.line);
}

/** A heading ends those of its own level and below. */
function below(headings: readonly string[], level: number, title: string): string[] {
  const kept = headings.slice(0, level - 1);
  while (kept.length < level - 1) kept.push("");
  return [...kept, title];
}

/** What a bullet says by itself: others of the same note may have ended it since. */
export function factIn({ text, line, headings }: Bullet): Fact {
  const crossed = STRUCK.exec(text);
  const times = takeTimes(crossed ? `${crossed[1]} ${text.slice(crossed[0].length)}` : text);
  const unsure = /\s*\((?:\?|unsure|maybe|unsicher)\)\s*$/i;
  const confidence = unsure.test(times.text) ? UNSURE : 1;
  const words = times.text.replace(unsure, "").trim();
  const label = /^(?:\*\*|__)?([^:*_\n]{1,60}?)(?:\*\*|__)?\s*:(?:\*\*|__)?\s+\S/.exec(words)?.[1];
  // "See https://…" and "at 10:30" have colons too, but no blank behind them.
  const subject = label === undefined ? undefined : [...headings.filter(Boolean), folded(label)].join(" / ");
  const { from, to } = times;
  return {
    line,
    ...(subject === undefined ? {} : { subject }),
    text: words,
    ...(from === undefined ? {} : { validFrom: from }),
    ...(to === undefined ? {} : { validTo: to }),
    struck: crossed !== null,
    confidence,
  };
}

const DAY = String.raw`\d{4}(?:-\d{2}(?:-\d{2})?)?`;
const SINCE = new RegExp(String.raw`\b(?:since|from|as of|seit|ab)\s+(${DAY})(?![\d-])`, "i");
const UNTIL = new RegExp(String.raw`\b(?:until|till|to|up to|ended|bis)\s+(${DAY})(?![\d-])`, "i");
const SPAN = new RegExp(
  String.raw`(?<![\d-])(${DAY})\s*(?:\u2013|\u2014|\.\.|\sto\s|\s-\s)\s*(${DAY})(?![\d-])`,
  "i",
);
const BRACKET = /\s*[([]([^()[\]\n]{4,60})[)\]]/g;
const LEADING = new RegExp(String.raw`^(?:\[(${DAY})\]|(\d{4}-\d{2}-\d{2}))\s*[:,\u2013-]?\s+`);
const TRAILING = /[\s,;]+((?:since|until|till|as of|seit|bis)\s+\d{4}(?:-\d{2}(?:-\d{2})?)?)\s*[.]?$/i;

/** Takes the words about time out of a bullet: in brackets, before it, or at its end. */
function takeTimes(text: string): { text: string; from?: number; to?: number } {
  let from: number | undefined;
  let to: number | undefined;
  const read = (words: string): boolean => {
    const span = SPAN.exec(words);
    const since = span?.[1] ?? SINCE.exec(words)?.[1];
    const until = span?.[2] ?? UNTIL.exec(words)?.[1];
    const starts = since === undefined ? undefined : startOf(since);
    const ends = until === undefined ? undefined : endOf(until);
    from ??= starts;
    to ??= ends;
    return starts !== undefined || ends !== undefined;
  };
  let rest = text.replaceAll(BRACKET, (whole, inside: string) => (read(inside) ? "" : whole));
  rest = rest.replace(TRAILING, (whole, words: string) => (read(words) ? "" : whole));
  rest = rest.replace(LEADING, (whole, bracketed?: string, plain?: string) => {
    const start = startOf(bracketed ?? plain ?? "");
    if (start === undefined) return whole;
    from ??= start;
    return "";
  });
  return { text: rest.trim(), ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

interface Day {
  readonly year: number;
  /** From 0. */
  readonly month?: number;
  readonly date?: number;
}

function startOf(day: string): number | undefined {
  const { year, month = 0, date = 1 } = dayOf(day);
  const at = new Date(Date.UTC(year, month, date));
  // 2024-02-31 is no day, and would become one in March.
  return at.getUTCMonth() === month && at.getUTCDate() === date ? at.getTime() : undefined;
}

/** The first moment after it: what held until May held in May. */
function endOf(day: string): number | undefined {
  if (startOf(day) === undefined) return undefined;
  const { year, month, date } = dayOf(day);
  if (month === undefined) return Date.UTC(year + 1, 0, 1);
  return date === undefined ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, date + 1);
}

function dayOf(day: string): Day {
  const [year = "", month, date] = day.split("-");
  return {
    year: Number(year),
    ...(month === undefined ? {} : { month: Number(month) - 1 }),
    ...(date === undefined ? {} : { date: Number(date) }),
  };
}

/** A bullet that says since when it holds ends those about the same thing that held before it, and no others. */
export function superseded(facts: readonly Fact[]): Fact[] {
  const dated = Map.groupBy(
    facts
      .filter(({ validFrom, struck }) => validFrom !== undefined && !struck)
      .sort((a, b) => a.validFrom! - b.validFrom! || a.line - b.line),
    ({ subject }) => subject,
  );
  return facts.map((fact) => {
    if (fact.subject === undefined) return fact;
    const next = firstAfter(dated.get(fact.subject) ?? [], fact.validFrom);
    if (next === undefined) return fact;
    const validTo = Math.min(fact.validTo ?? Infinity, next.validFrom!);
    return { ...fact, validTo, supersededBy: next.line };
  });
}

/** Of facts by their beginning the first that begins later; the first of all where nobody knows since when. */
function firstAfter(dated: readonly Fact[], since: number | undefined): Fact | undefined {
  if (since === undefined) return dated[0];
  let from = 0;
  let to = dated.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (dated[middle]!.validFrom! > since) to = middle;
    else from = middle + 1;
  }
  return dated[from];
}

function folded(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[*_`~]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, SUBJECT_CHARS_MAX);
}
