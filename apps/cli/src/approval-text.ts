import type { Card } from "@elwood/core/card/card";
import { cardAsText, type TextStyle } from "@elwood/core/card/card-text";
import { outcomeOf, type Outcome, type OutcomeSource } from "@elwood/core/card/outcome";
import { LocalTime } from "@elwood/core/base/local-time";
import { showLine } from "@elwood/core/base/show";
import { ownName, type Io } from "./io.ts";
import { paintFor, type Style } from "./paint.ts";

/** A card as this terminal shows it; a pipe gets its lines unbroken. */
export function cardText(io: Io, to: Io["stdout"], card: Card, details = false): string {
  const paint = paintFor(io);
  const width = to.isTTY === true ? (to.columns ?? COLUMNS_UNLESS_TOLD) : Infinity;
  return cardAsText(card, width, { details, paint: (style, text) => paint(STYLES[style], text) });
}

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
