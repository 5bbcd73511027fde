import { confirmWord } from "@elwood/core/card/confirm-word";
import { outcomeOf, type Outcome } from "@elwood/core/card/outcome";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { showLine } from "@elwood/core/base/show";
import { clockText } from "../format.ts";
import { gatewayText } from "../../words/gateway.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";

/** What a card asks for, apart from how it looks. What it says is made by the gateway. */

/** An answer that comes sooner than anybody can read was meant for something else. */
export const MISFIRE_MS = 400;

/** How long the button of a call that destroys something is held. */
export const HOLD_MS = 900;

/** What is typed to allow it: the word that the gateway asks for, or one instead of holding the button. */
export function wordOf({ confirm, card }: Pick<WireApproval, "confirm" | "card">): string {
  return confirm ?? confirmWord(card) ?? "allow";
}

/** A plan is as risky as the worst of its calls, and a command as what it does. */
export function riskOf({ risk, plan, card }: Pick<WireApproval, "risk" | "plan" | "card">): string {
  if (card.destructive) return "destructive";
  return plan?.some((each) => each.risk === "write") ? "write" : risk;
}

/** Whether a press is not enough to allow it. */
export function needsCare({ confirm, card }: Pick<WireApproval, "confirm" | "card">): boolean {
  return confirm !== undefined || card.destructive;
}

/**
 * Whether it can be edited here. What is shown has its tricks written out; where there are
 * some, or a secret stands behind a handle, sending it back would run something else.
 */
export function isEditable({ kind, plan, details, showable }: WireApproval): boolean {
  if (kind !== "approval" || plan || !showable) return false;
  if (typeof details !== "object" || details === null || Array.isArray(details)) return false;
  return !/\\\\u(?:[0-9a-f]{4}|\{[0-9a-f]+\})|\\\\r/.test(JSON.stringify(details));
}

/** The fields of an input as they are edited: text as it is, the rest as JSON; what is long comes first. */
export function fieldsOf(details: Readonly<Record<string, unknown>>): readonly Field[] {
  return Object.entries(details)
    .map(([name, value]) =>
      typeof value === "string"
        ? { name, text: value, json: false }
        : { name, text: JSON.stringify(value, undefined, 2) ?? "null", json: true },
    )
    .toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
}

function isLong({ name, text, json }: Field): boolean {
  return !json && (text.includes("\n") || name === "content" || name === "command");
}

export interface Field {
  readonly name: string;
  readonly text: string;
  /** The text is JSON; otherwise it is the value itself. */
  readonly json: boolean;
}

/** The input that the fields make, or which of them is not JSON. */
export function inputOf(fields: readonly Field[]): { input: Record<string, unknown> } | { problem: string } {
  const input: Record<string, unknown> = {};
  for (const { name, text, json } of fields) {
    try {
      input[name] = json ? (JSON.parse(text) as unknown) : text;
    } catch {
      return { problem: fill(say.isNotValidJsonNothingWas, name) };
    }
  }
  return { input };
}

/** What became of it, in one line: all of it as the gateway says it, and then in the page's language. */
export function outcomeLine(approval: WireApproval): Outcome {
  const name = (id: string) => (id === "owner" || id === "browser" ? "you" : showLine(id));
  const outcome = outcomeOf(approval, { surface: "web", clock: clockText, name });
  return { ...outcome, words: gatewayText(outcome.words), how: gatewayText(outcome.how) };
}

export function settleWords(option: string): string {
  if (option === "happened") return say.itHappened;
  return option === "did-not-happen" ? say.itDidNotHappen : option;
}
