import { showLine, showText } from "@elwood/core/show";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { deciderName } from "../format.ts";

/** What a card says and asks for, apart from how it looks. */

/** An answer that comes sooner than anybody can read was meant for something else. */
export const MISFIRE_MS = 400;

/** How long the button of a call that destroys something is held. */
export const HOLD_MS = 900;

/** Typed instead of holding, where the gateway asks for no word of its own. */
export const OWN_WORD = "allow";

export const WINDOW_MINUTES = [15, 60, 480, 1_440] as const;

/** A plan is as risky as the worst of its calls. */
export function riskOf({ risk, plan }: Pick<WireApproval, "risk" | "plan">): string {
  const risks = new Set([risk, ...(plan ?? []).map((each) => each.risk)]);
  return ["destructive", "write"].find((each) => risks.has(each)) ?? risk;
}

/** Whether a press is not enough to allow it. */
export function needsCare({ risk, confirm }: WireApproval): boolean {
  return confirm !== undefined || risk === "destructive";
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

/** The fields of an input as they are edited: text as it is, the rest as JSON. */
export function fieldsOf(details: Readonly<Record<string, unknown>>): readonly Field[] {
  return Object.entries(details).map(([name, value]) =>
    typeof value === "string"
      ? { name, text: value, json: false }
      : { name, text: JSON.stringify(value, undefined, 2) ?? "null", json: true },
  );
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
      return { problem: `“${name}” is not valid JSON. Nothing was decided.` };
    }
  }
  return { input };
}

/** How it was decided, and by whom, in one sentence. */
export function outcomeText({ kind, decided, editedInput }: WireApproval): string {
  const { status, by, decision, note } = decided;
  const who = by?.kind === "owner" ? ` by ${deciderName(by.id)} on ${showLine(by.surface)}` : "";
  if (status === "expired") return "Expired: nobody decided in time. It was not done.";
  if (kind !== "approval")
    return `Answered${who}: ${kind === "settle" ? settleWords(note ?? "") : showText(note ?? "")}`;
  if (status === "denied") return `Denied${who}.`;
  const longer = decision === "window" ? " for a while" : decision === "always" ? " until revoked" : " once";
  return `Allowed${longer}${editedInput === undefined ? "" : ", edited,"}${who}.`;
}

export function settleWords(option: string): string {
  if (option === "happened") return "It happened";
  return option === "did-not-happen" ? "It did not happen" : option;
}

export function minutesText(minutes: number): string {
  if (minutes < 60) return `${minutes} minutes`;
  if (minutes === 60) return "1 hour";
  return minutes < 1_440 ? `${minutes / 60} hours` : "1 day";
}
