import type { ActivityItem } from "../tool/activity.ts";
import { tokensOf } from "./tool-acts.ts";
import { folded, mentions, namesIn, valuesOf } from "./values.ts";

/** The calls that a reply may tell of. */
export interface CallsOfSession {
  /** Calls of this run. */
  readonly run: readonly ActivityItem[];
  /** Calls of earlier runs of the session. */
  readonly earlier: readonly ActivityItem[];
  /** What a call was given and gave back, where that is still known. */
  readonly textOf: (item: ActivityItem) => string;
  /** Something of memory was put before the model, so that it could look there without a call. */
  readonly recalled: boolean;
  /** The owner sent something along that the model could look at without a call. */
  readonly attached: boolean;
}

/** It did what it was called for, and that still stands; a program that ended with an error did not. */
export function isGood({ status, exitCode, undone }: ActivityItem): boolean {
  return status === "succeeded" && exitCode === undefined && undone !== true;
}

/** A failure that a later call made good: the same thing was tried again, or its target was dealt with another way. */
export function isMadeGood(item: ActivityItem, all: readonly ActivityItem[]): boolean {
  if (item.status === "pending" || item.status === "unknown") return false;
  return all.some((other) => isGood(other) && sameThing(item, other) && isLater(other, item));
}

/** By their numbers, which rise through a session; activity comes in any order. */
export function isLater(a: ActivityItem, b: ActivityItem): boolean {
  return Number(a.cite.slice(1)) > Number(b.cite.slice(1));
}

function sameThing(a: ActivityItem, b: ActivityItem): boolean {
  if (a.risk !== "read" && b.risk === "read") return false;
  if (a.toolId === b.toolId && a.target === b.target) return true;
  return sameTarget(a, b) && tokensOf(a.toolId)[0] === tokensOf(b.toolId)[0];
}

/** Of a move the source counts: it is the same thing, wherever it went. */
function sameTarget(a: ActivityItem, b: ActivityItem): boolean {
  if (a.target === undefined || b.target === undefined) return false;
  const [source] = valuesOf(a.target, "file");
  return (
    a.target.toLowerCase() === b.target.toLowerCase() ||
    (source !== undefined && a.toolId === b.toolId && source === valuesOf(b.target, "file")[0])
  );
}

export function isNamed(plain: string, item: ActivityItem): boolean {
  const text = folded(plain);
  return namesIn(item.target ?? "").some((name) => mentions(text, name));
}

/** Calls sorted by what came of them; once for a reply. */
export interface SortedCalls {
  readonly all: readonly ActivityItem[];
  readonly good: readonly ActivityItem[];
  readonly changed: readonly ActivityItem[];
  readonly looked: readonly ActivityItem[];
  /** Not succeeded, and not made good since. */
  readonly bad: readonly ActivityItem[];
  /** Not succeeded at first: a later call made it good. */
  readonly madeGood: readonly ActivityItem[];
}

export function sortCalls({ run, earlier, recalled, attached }: CallsOfSession): SortedCalls {
  const calls = [...earlier, ...run].filter(({ toolId }) => tokensOf(toolId)[0] !== "owner");
  // What memory or the owner put before the model is a look that nobody had to call for.
  const all = recalled || attached ? [RECALL, ...calls] : calls;
  const good = all.filter(isGood);
  const notGood = all.filter((item) => !isGood(item));
  const madeGood = notGood.filter((item) => isMadeGood(item, all));
  return {
    all,
    good,
    changed: good.filter(({ risk }) => risk !== "read"),
    looked: good.filter(({ risk }) => risk === "read"),
    bad: notGood.filter((item) => !madeGood.includes(item)),
    madeGood,
  };
}

const RECALL: ActivityItem = {
  cite: "c0",
  callId: "",
  toolId: "memory.note.search",
  status: "succeeded",
  risk: "read",
  when: 0,
  receiptRef: "",
  summary: "",
};
