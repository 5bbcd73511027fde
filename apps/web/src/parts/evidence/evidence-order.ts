import type { MethodResult } from "@elwood/core/protocol/results";
import { callWord } from "@elwood/core/base/state-words";
import { countText, deciderName } from "../format.ts";
import { deedText } from "../../words/deeds.ts";
import { stateText, surfaceText } from "../../words/states.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";

export type ActivityItem = MethodResult<"runs.activity">["activity"][number];

/** What the owner looks for first comes first: what did not succeed, then what changed something, then the reads. */
export interface OrderedActivity {
  /** Also what was done by a program that ended with another code than 0. */
  readonly notDone: readonly ActivityItem[];
  readonly changes: readonly ActivityItem[];
  readonly reads: readonly ActivityItem[];
  /** What the owner undid, or tried to; the run made none of these calls. */
  readonly undos: readonly ActivityItem[];
}

export function ordered(activity: readonly ActivityItem[]): OrderedActivity {
  const own = withoutShells(activity).filter(({ undoes }) => undoes === undefined);
  const done = own.filter(isDone);
  return {
    notDone: own.filter((item) => !isDone(item)),
    changes: done.filter((item) => item.risk !== "read"),
    reads: done.filter((item) => item.risk === "read"),
    undos: activity.filter(({ undoes }) => undoes !== undefined),
  };
}

/** A program that went well is what its calls did, and those are listed. */
function withoutShells(activity: readonly ActivityItem[]): readonly ActivityItem[] {
  const parents = new Set(activity.flatMap(({ parent, rehearsal }) => (rehearsal ? [] : [parent])));
  return activity.filter((item) => !(isDone(item) && parents.has(item.callId)));
}

function isDone({ status, exitCode }: ActivityItem): boolean {
  return status === "succeeded" && exitCode === undefined;
}

/** `2 done, 1 failed, 1 waiting for you`. */
export function countsText(activity: readonly ActivityItem[]): string {
  const counts = new Map<string, number>();
  for (const item of withoutShells(activity)) {
    const { status, exitCode, undoes } = item;
    if (undoes !== undefined && status !== "succeeded") continue;
    const word = undoes === undefined ? stateText(callWord(stateOf(item), exitCode).word) : say.undoneByYou;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}

/** What was allowed, and not made since it had changed, was not denied. */
export function stateOf({ status, approval }: ActivityItem): string {
  const by = approval?.by;
  return status === "denied" && by?.kind === "policy" && by.rule === "gate.changed" ? "changed" : status;
}

/** `3 reads, 2 of them for a preview`: those are not among the reads that the line under a reply counts. */
export function readsText(reads: readonly ActivityItem[]): string {
  const seen = reads.filter(({ rehearsal }) => rehearsal).length;
  const all = countText(reads.length, say.read, say.reads);
  if (seen === 0) return all;
  return seen === reads.length ? fill(say.forAPreview, all) : fill(say.ofThemForAPreview, all, seen);
}

/** What a call did, and to what; of an undo, that it was one. */
export function whatWords({ toolId, status, target = "", undone, undoes }: ActivityItem): string {
  if (undoes === undefined) {
    const { words, about } = deedText(toolId, status === "succeeded" ? "done" : "todo", target);
    return `${words}${about === "" ? "" : ` · ${about}`}${undone ? say.undoneSince : ""}`;
  }
  return `${status === "succeeded" ? say.undone2 : say.undoOf}: ${target}`;
}

/** Who allowed a call, or made the undo. */
export function approvalWords({ approval, undoes }: ActivityItem): string {
  if (!approval?.required) return say.notAsked;
  const { decision, by } = approval;
  if (decision === undefined) return say.asked2;
  if (by?.kind === "owner") {
    const who = fill(say.by, deciderName(by.id), surfaceText(by.surface));
    return undoes === undefined ? `${stateText(decision)} ${who}` : who;
  }
  if (by?.kind === "grant") return say.byAStandingPermission;
  return by?.kind === "expiry" ? say.nobodyDecidedInTime : stateText(decision);
}
