import { parseJson } from "../base/parse-json.ts";
import { showLine, showText } from "../base/show.ts";
import { wrapWords } from "../base/wrap-words.ts";
import {
  valueText,
  type Card,
  type CardBody,
  type CardDetails,
  type CardEffect,
  type CardField,
} from "./card.ts";

/** A card for terminals and plain-text channels: lines that fit, nothing cut. */

export type TextStyle = "title" | "quiet" | "added" | "removed" | "danger" | "warn" | "ok";

export interface CardTextOptions {
  /** Colours a piece of a line; plain where absent. */
  readonly paint?: (style: TextStyle, text: string) => string;
  /** The input, the rule and the ids as well. */
  readonly details?: boolean;
}

const WIDTH_MIN = 20;

/**
 * All that the owner decides by, in lines of at most `width` columns (`Infinity` for a pipe). Long
 * lines are wrapped, never cut. What follows a break stands to the right of the mark, so that it
 * cannot pass for a line of its own.
 */
export function cardAsText(card: Card, width: number, options: CardTextOptions = {}): string {
  const say = sayIn(width, options);
  const out: string[] = [...say(card.title, { style: card.destructive ? "danger" : "title" })];
  if (card.note !== undefined) out.push(...say(card.note, { style: "quiet" }));
  out.push(...bodyLines(card.body, card.fields, say, "  "));
  out.push(...effectLines(card.effects, say, "  "));
  if (!card.whole)
    out.push(...say("Too long to be shown whole, so it cannot be allowed.", { style: "danger" }));
  if (card.why !== "") out.push(...say(card.why, { style: "quiet" }));
  if (options.details) out.push("", ...detailLines(card.details, say));
  return out.join("\n");
}

/** What stands behind a card: tool, rule, ids and the input as it would run. */
export function detailsAsText(card: Card, width: number, options: CardTextOptions = {}): string {
  return detailLines(card.details, sayIn(width, options)).join("\n");
}

function sayIn(width: number, options: CardTextOptions): Say {
  const columns = Math.max(WIDTH_MIN, width);
  const paint = options.paint ?? ((_style, text) => text);
  return (text, { style, indent = "", mark = "" } = {}) =>
    // The gateway writes tricks out; a terminal does not rely on it.
    showText(text)
      .split("\n")
      .flatMap((each) => wrapWords(each, columns - indent.length - mark.length))
      .map((line, i) => `${i === 0 ? mark : " ".repeat(mark.length)}${line}`)
      .map((line) => `${indent}${style === undefined ? line : paint(style, line)}`);
}

/** A card in one line, for lists: the title, and what it would run where the title does not say so. */
export function cardAsLine({ title, body }: Pick<Card, "title" | "body">): string {
  const { kind } = body;
  const what =
    kind === "command"
      ? body.parts.map(({ text }) => text).join("")
      : kind === "request"
        ? body.text
        : kind === "plan"
          ? body.steps.map((step) => step.title).join(", ")
          : "";
  return showLine(what === "" ? title : `${title}: ${what.replaceAll(/\s+/g, " ").trim()}`);
}

type Say = (
  text: string,
  how?: {
    readonly style?: TextStyle | undefined;
    readonly indent?: string;
    /** Before the first line; the lines after it begin below its end. */
    readonly mark?: string;
  },
) => string[];

function bodyLines(body: CardBody, fields: readonly CardField[], say: Say, indent: string): string[] {
  const out: string[] = [];
  switch (body.kind) {
    case "diff":
      for (const { mark, line } of body.lines)
        out.push(...say(line, { style: DIFF_STYLES[mark], indent, mark: `${mark} ` }));
      break;
    case "command":
      out.push(...say(body.parts.map(({ text }) => text).join(""), { indent, mark: "$ " }));
      break;
    case "request":
      out.push(...say(body.text, { indent }));
      break;
    case "plan":
      for (const [i, step] of body.steps.entries()) {
        const mark = `${i + 1}. `;
        out.push(...say(step.title, { style: step.destructive ? "danger" : "title", indent, mark }));
        const below = `${indent}${" ".repeat(mark.length)}`;
        out.push(...bodyLines(step.body, step.fields, say, below), ...effectLines(step.effects, say, below));
      }
      break;
    case "none":
      break;
    default:
      return body satisfies never;
  }
  return [...out, ...fields.flatMap((field) => fieldLines(field, say, indent))];
}

const DIFF_STYLES = { "+": "added", "-": "removed", " ": undefined, "…": "quiet" } as const;

/** What has several lines stands below its name, set in: none of them can pass for another field. */
function fieldLines({ name, text }: CardField, say: Say, indent: string): string[] {
  const whole = text.replace(/\n$/, "");
  if (!whole.includes("\n")) return say(`${name}: ${whole}`, { indent });
  return [...say(`${name}:`, { indent }), ...say(whole, { indent: `${indent}  ` })];
}

function detailLines({ rows, input, asked, surroundings }: CardDetails, say: Say): string[] {
  return [
    ...rows.flatMap(({ name, text }) => say(`${name}: ${text}`, { style: "quiet" })),
    ...(surroundings === undefined ? [] : ["", ...say(surroundings)]),
    ...(asked === undefined ? [] : ["", ...say("Asked for:"), ...inputLines(asked, say)]),
    "",
    ...say("Input:"),
    ...inputLines(input, say),
  ];
}

/** Each value by its name, text as it is; JSON only where it is no longer whole or has no names. */
function inputLines(json: string, say: Say): string[] {
  const indent = "  ";
  const input = parseJson(json);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return say(json, { indent });
  return Object.entries(input).flatMap(([name, value]) =>
    fieldLines({ name, text: valueText(value) }, say, indent),
  );
}

const MARKS = { bad: "!", warn: "!", ok: "✓", muted: "·" } as const;
const STYLES = { bad: "danger", warn: "warn", ok: "ok", muted: "quiet" } as const;

function effectLines(effects: readonly CardEffect[], say: Say, indent: string): string[] {
  return effects.flatMap(({ words, tone }) =>
    say(words, { style: STYLES[tone], indent, mark: `${MARKS[tone]} ` }),
  );
}
