import type { Card } from "@elwood/core/card/card";
import { groupWhy } from "@elwood/core/card/alike";
import { cardAsLine, cardAsText, detailsAsText, type TextStyle } from "@elwood/core/card/card-text";
import { outcomeOf, type Outcome, type OutcomeSource } from "@elwood/core/card/outcome";
import { LocalTime } from "@elwood/core/base/local-time";
import { showLine } from "@elwood/core/base/show";
import { wrapWords } from "@elwood/core/base/wrap-words";
import { ownName, type Io } from "./io.ts";
import { paintFor, type Style } from "./paint.ts";
import { spokenCard } from "./words/say.ts";

/** A card as this terminal shows it; a pipe gets its lines unbroken. */
export function cardText(io: Io, to: Io["stdout"], card: Card, details = false): string {
  return cardInColumns(io, card, columnsOf(to), details);
}

/** The input, the rule and the ids, which a card does not need to be understood. */
export function detailsText(io: Io, to: Io["stdout"], card: Card): string {
  const paint = paintFor(io);
  return detailsAsText(card, columnsOf(to), { paint: (style, text) => paint(STYLES[style], text) });
}

function cardInColumns(io: Io, card: Card, columns: number, details: boolean): string {
  const paint = paintFor(io);
  return cardAsText(spokenCard(io, card), columns, {
    details,
    paint: (style, text) => paint(STYLES[style], text),
  });
}

function columnsOf(to: Io["stdout"]): number {
  return to.isTTY === true ? (to.columns ?? COLUMNS_UNLESS_TOLD) : Infinity;
}

/** What is told once for all calls of a kind. */
export interface InCommon {
  readonly note: string | undefined;
  readonly why: string | undefined;
}

export function inCommon(cards: readonly Card[]): InCommon {
  const [first] = cards;
  return {
    note: cards.every(({ note }) => note === first?.note) ? first?.note : undefined,
    why: groupWhy(cards),
  };
}

interface Numbered {
  readonly card: Card;
  readonly number: number;
}

/** Cards below each other, each with its number and without what is told once for all. */
export function groupLines(io: Io, to: Io["stdout"], cards: readonly Numbered[], once: InCommon): string[] {
  return cards.flatMap(({ card, number }) => {
    const mark = markOf(number);
    const text = cardInColumns(io, withoutCommon(card, once), columnsOf(to) - mark.length, false);
    return text.split("\n").map((line, n) => `${n === 0 ? mark : " ".repeat(mark.length)}${line}`);
  });
}

/** One line for each. */
export function groupNames(cards: readonly Numbered[]): string[] {
  return cards.map(({ card, number }) => `${markOf(number)}${cardAsLine(card)}`);
}

/** Why all of them ask, in lines that fit; none where each has a reason of its own. */
export function groupWhyLines(io: Io, to: Io["stdout"], why: string | undefined): string[] {
  if (why === undefined || why === "") return [];
  const paint = paintFor(io);
  return wrapWords(showLine(why), columnsOf(to)).map((line) => paint("dim", line));
}

function markOf(number: number): string {
  return `${number}. `.padStart(MARK_COLUMNS);
}

function withoutCommon(card: Card, once: InCommon): Card {
  const { note, ...rest } = card;
  return {
    ...rest,
    ...(note === undefined || note === once.note ? {} : { note }),
    why: once.why === undefined ? card.why : "",
  };
}

const MARK_COLUMNS = 4;
const COLUMNS_UNLESS_TOLD = 80;

const STYLES: Readonly<Record<TextStyle, Style>> = {
  title: "bold",
  quiet: "dim",
  added: "green",
  removed: "red",
  danger: "red",
  warn: "yellow",
  ok: "green",
};

/** How to allow it for longer than this once, with the command for it. */
export function longerLines(io: Io, { allow }: Card, id: string): string[] {
  return allow.flatMap(({ decision, scope, minutes, words }) => {
    if (decision === "once") return [];
    const howLong = decision === "always" ? "--always" : `--for ${minutes}`;
    const command = `${ownName(io.env)} approvals allow ${id} ${howLong}${scope ? ` --scope ${scope}` : ""}`;
    return [`${showLine(words)}: ${command}`];
  });
}

/** What was decided and what became of it: `⊘ Not changed: notes/plan.md · you denied it`. */
export function outcomeText(source: OutcomeSource, timeZone?: string): string {
  const { glyph, words, how } = outcomeParts(source, timeZone);
  return `${glyph} ${words}${how === "" ? "" : ` · ${how}`}`;
}

/** The time zone is for a call that was undone; no other outcome tells a time. */
export function outcomeParts(source: OutcomeSource, timeZone = "UTC"): Outcome {
  return outcomeOf(source, {
    surface: "cli",
    clock: (at) => new LocalTime(timeZone).format(at),
    name: (id) => (id === "owner" ? "you" : showLine(id)),
  });
}
