import type { Card, CardBody, CardEffect, CardField } from "./card.ts";

/** A card for terminals and plain-text channels: lines that fit, nothing cut. */

export type TextStyle = "title" | "quiet" | "added" | "removed" | "danger" | "warn" | "ok";

export interface CardTextOptions {
  /** Colours a piece of a line; plain where absent. */
  readonly paint?: (style: TextStyle, text: string) => string;
  /** The input, the rule and the ids as well. */
  readonly details?: boolean;
}

const WIDTH_MIN = 20;

/** All that the owner decides by, in lines of at most `width` columns. Long lines are wrapped, never cut. */
export function cardAsText(card: Card, width: number, options: CardTextOptions = {}): string {
  const columns = Math.max(WIDTH_MIN, width);
  const paint = options.paint ?? ((_style, text) => text);
  const say = (text: string, style?: TextStyle, indent = "") =>
    wrapped(text, columns - indent.length).map(
      (line) => `${indent}${style === undefined ? line : paint(style, line)}`,
    );
  const out: string[] = [...say(card.title, card.destructive ? "danger" : "title")];
  if (card.note !== undefined) out.push(...say(card.note, "quiet"));
  out.push(...bodyLines(card.body, card.fields, say, ""));
  out.push(...effectLines(card.effects, say, ""));
  if (!card.whole) out.push(...say("Too long to be shown whole, so it cannot be allowed.", "danger"));
  if (card.why !== "") out.push(...say(card.why, "quiet"));
  if (options.details) {
    const { rows, input, asked, surroundings } = card.details;
    out.push("");
    for (const { name, text } of rows) out.push(...say(`${name}: ${text}`, "quiet"));
    for (const block of [surroundings, asked === undefined ? undefined : `Asked for: ${asked}`, input])
      if (block !== undefined) for (const line of block.split("\n")) out.push(...say(line));
  }
  return out.join("\n");
}

type Say = (text: string, style?: TextStyle, indent?: string) => string[];

function bodyLines(body: CardBody, fields: readonly CardField[], say: Say, indent: string): string[] {
  const out: string[] = [];
  switch (body.kind) {
    case "diff":
      for (const { mark, line } of body.lines) {
        const style = mark === "+" ? "added" : mark === "-" ? "removed" : "quiet";
        out.push(
          ...say(`${mark === "-" ? "−" : mark} ${line}`, mark === " " ? undefined : style, `${indent}  `),
        );
      }
      break;
    case "command":
      for (const line of body.parts
        .map(({ text }) => text)
        .join("")
        .split("\n"))
        out.push(...say(line, undefined, `${indent}  `));
      break;
    case "request":
      out.push(...say(body.text, undefined, `${indent}  `));
      break;
    case "plan":
      for (const [i, step] of body.steps.entries()) {
        out.push(...say(`${i + 1}. ${step.title}`, step.destructive ? "danger" : "title", indent));
        out.push(...bodyLines(step.body, step.fields, say, `${indent}   `));
        out.push(...effectLines(step.effects, say, `${indent}   `));
      }
      break;
    case "none":
      break;
    default:
      return body satisfies never;
  }
  for (const { name, text } of fields)
    for (const [i, line] of text.split("\n").entries())
      out.push(...say(i === 0 ? `${name}: ${line}` : line, undefined, `${indent}  `));
  return out;
}

const MARKS = { bad: "!", warn: "!", ok: "✓", muted: "·" } as const;
const STYLES = { bad: "danger", warn: "warn", ok: "ok", muted: "quiet" } as const;

function effectLines(effects: readonly CardEffect[], say: Say, indent: string): string[] {
  return effects.flatMap(({ words, tone }) => say(`${MARKS[tone]} ${words}`, STYLES[tone], `${indent}  `));
}

/** Breaks at spaces where there are some, else wherever the line is full. */
function wrapped(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const out: string[] = [];
  let line = "";
  let used = 0;
  let space = -1;
  for (const character of text.replaceAll("\t", "    ")) {
    const wide = columnsOf(character);
    if (used + wide > room) {
      if (character === " ") {
        out.push(line);
        [line, used, space] = ["", 0, -1];
        continue;
      }
      const cut = space > 0 ? space : line.length;
      out.push(line.slice(0, cut));
      line = line.slice(space > 0 ? cut + 1 : cut);
      used = Array.from(line).reduce((sum, each) => sum + columnsOf(each), 0);
      space = -1;
    }
    if (character === " " && line.trim() !== "") space = line.length;
    line += character;
    used += wide;
  }
  out.push(line);
  return out;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NARROWLESS = /\p{Mn}|\p{Me}/u;

function columnsOf(character: string): number {
  if (NARROWLESS.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
