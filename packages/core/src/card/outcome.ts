import { showLine } from "../base/show.ts";
import type { Card } from "./card.ts";

/** One line for what was decided, the same wherever and whenever it is read. */

export interface Outcome {
  readonly glyph: string;
  /** The name of a drawing, for surfaces that draw. */
  readonly icon: "check" | "cross" | "denied" | "hourglass" | "undo" | "play" | "question" | "warning";
  readonly tone: "ok" | "bad" | "warn" | "info" | "muted";
  /** "Changed notes/plan.md +2 −1" */
  readonly words: string;
  /** "you allowed it" */
  readonly how: string;
  readonly canUndo: boolean;
}

/** The state of its call, from the receipts. */
export interface CallSummary {
  readonly status: "succeeded" | "failed" | "denied" | "expired" | "pending" | "unknown";
  readonly exitCode?: number | undefined;
  /** When it was undone. */
  readonly undoneAt?: number | undefined;
  readonly canUndo: boolean;
}

export interface OutcomeSource {
  readonly kind: "approval" | "question" | "settle";
  readonly card: Card;
  readonly decided: {
    readonly status: "pending" | "approved" | "answered" | "denied" | "expired";
    readonly decision?: string | undefined;
    readonly by?:
      | { readonly kind: "owner"; readonly id: string; readonly surface: string }
      | { readonly kind: "grant" | "policy" | "expiry" | "none" }
      | undefined;
    readonly note?: string | undefined;
  };
  readonly editedInput?: unknown;
  readonly call?: CallSummary | undefined;
}

export interface OutcomeAbout {
  /** Where this is read: what was decided there needs no place. */
  readonly surface: string;
  /** The time of day, as people write it here. */
  readonly clock: (at: number) => string;
  /** What the owner calls whoever decided. */
  readonly name?: (id: string) => string;
}

export function outcomeOf(source: OutcomeSource, about: OutcomeAbout): Outcome {
  const { kind, card, decided, call } = source;
  const { told } = card;
  const how = howDecided(source, about);
  const plain = { how, canUndo: false };
  if (kind !== "approval") {
    const answer = answerWords(decided.note ?? "");
    return decided.status === "expired"
      ? { ...plain, ...EXPIRED, words: card.title }
      : { ...plain, ...DONE, words: card.title, how: joined(`${how}: ${answer}`) };
  }
  if (decided.status === "pending") return { ...plain, ...RUNNING, words: card.title };
  if (decided.status === "denied") return { ...plain, ...DENIED, words: told.notDone };
  if (decided.status === "expired") return { ...plain, ...EXPIRED, words: told.notDone };
  if (call?.undoneAt !== undefined)
    return { ...plain, ...UNDONE, words: told.done, how: `undone ${about.clock(call.undoneAt)}` };
  switch (call?.status) {
    case "succeeded":
      if (call.exitCode !== undefined && call.exitCode !== 0)
        return { ...plain, ...ENDED, words: told.done, how: `ended with code ${call.exitCode} · ${how}` };
      return { ...DONE, words: told.done, how, canUndo: call.canUndo };
    case "failed":
      return { ...plain, ...FAILED, words: told.notDone, how: `it failed · ${how}` };
    case "unknown":
      return {
        ...plain,
        ...UNKNOWN,
        words: told.notDone.replace(/^Not /, "Maybe "),
        how: `no answer came · ${how}`,
      };
    case "denied":
    case "expired":
      return { ...plain, ...DENIED, words: told.notDone, how: `it had changed · ${how}` };
    case "pending":
    case undefined:
    default:
      return { ...plain, ...RUNNING, words: `${told.doing}…` };
  }
}

const DONE = { glyph: "✓", icon: "check", tone: "ok" } as const;
const FAILED = { glyph: "✗", icon: "cross", tone: "bad" } as const;
const DENIED = { glyph: "⊘", icon: "denied", tone: "bad" } as const;
const EXPIRED = { glyph: "⌛", icon: "hourglass", tone: "warn" } as const;
const UNDONE = { glyph: "↩", icon: "undo", tone: "info" } as const;
const RUNNING = { glyph: "▸", icon: "play", tone: "info" } as const;
const UNKNOWN = { glyph: "⁇", icon: "question", tone: "warn" } as const;
const ENDED = { glyph: "↯", icon: "warning", tone: "warn" } as const;

const NOTE_CHARS = 120;

function howDecided({ kind, decided, editedInput }: OutcomeSource, about: OutcomeAbout): string {
  const { status, by, decision, note } = decided;
  if (status === "expired") return "nobody decided in time";
  if (by?.kind !== "owner") return status === "denied" ? "its run was over" : "";
  const who = about.name?.(by.id) ?? showLine(by.id);
  const where = by.surface === about.surface ? "" : placeOf(by.surface);
  if (kind !== "approval") return `${who} answered${where}`;
  if (status === "denied") {
    if (note === undefined || note === "") return `${who} denied it${where}`;
    const words = showLine(note);
    return `${who} said “${words.length > NOTE_CHARS ? `${words.slice(0, NOTE_CHARS)}…` : words}”${where}`;
  }
  const longer = decision === "window" ? " for a while" : decision === "always" ? " for good" : "";
  if (editedInput !== undefined) return `${who} edited it first${where}`;
  return `${who} allowed it${longer}${where}`;
}

const PLACES: Readonly<Record<string, string>> = {
  cli: " in the terminal",
  web: " on the page",
  telegram: " in Telegram",
  discord: " in Discord",
};

/** Where somebody decided, with a blank in front. */
export function placeOf(surface: string): string {
  return PLACES[surface] ?? ` on ${showLine(surface)}`;
}

function answerWords(note: string): string {
  if (note === "happened") return "it happened";
  return note === "did-not-happen" ? "it did not happen" : showLine(note);
}

function joined(words: string): string {
  return words.replace(/: $/, "");
}
