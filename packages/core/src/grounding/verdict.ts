import type { ActivityItem } from "../tool/activity.ts";
import { ALL } from "./amount-words.ts";
import { hasCue } from "./claim-features.ts";
import type { ReadClaim } from "./claim-model.ts";
import { deedsNamedIn } from "./concepts.ts";
import { TOUCHED } from "./denial-words.ts";
import type { FactSheet } from "./fact-sheet.ts";
import { NOTHING, SUCCESS } from "./outcome-words.ts";
import { CHANGES, type ReadSentence } from "./read-sentence.ts";
import {
  ACT_FROM,
  actsIn,
  CLAIMS_MIN,
  isMissingUnspaced,
  isOfOneEach,
  LIKELY,
  mostChange,
  namesFile,
  SLIGHT,
  SURE,
} from "./reading.ts";
import { isGood, isNamed, type SortedCalls } from "./session-calls.ts";
import { fitsActs } from "./tool-acts.ts";
import { isPartOf, numbersSaid } from "./values.ts";

/** Why a sentence is marked, as a closed list. */
export const MARK_KINDS = [
  "no-call",
  "not-succeeded",
  "other-action",
  "other-target",
  "count",
  "not-looked",
  "promise",
  "not-asked",
  "was-done",
  "other-outcome",
  "only-quoted",
] as const;

export type MarkKind = (typeof MARK_KINDS)[number];

export interface Verdict {
  readonly kind: MarkKind;
  /** Calls that speak against the sentence. */
  readonly items: readonly ActivityItem[];
}

/** From here on the likeliest reason is enough where none is clear. */
export const PLAINLY = 0.6;

export const NO_CALL: Verdict = { kind: "no-call", items: [] };
export const NOT_LOOKED: Verdict = { kind: "not-looked", items: [] };

/**
 * What speaks against a sentence that is marked; undefined where nothing does that can be named.
 * Where the run changed something and all of it succeeded, that a value cannot be found is no reason.
 */
export function verdictOf(
  { plain, read, cited }: ReadSentence,
  facts: FactSheet,
  { changed, looked, bad: notDone, madeGood }: SortedCalls,
  isPlain: () => boolean,
): Verdict | undefined {
  const fact = (name: string) => facts.factNamed(name);
  const has = (...names: readonly string[]) => names.some((name) => fact(name) > 0);
  // It says which calls it tells of, and they succeeded: the others count only where it names them.
  const isCited = cited.length > 0 && cited.every(isGood);
  const bad = isCited ? notDone.filter((item) => isNamed(plain, item)) : notDone;
  const acts = actsIn(read);
  const changes = acts.filter((act) => CHANGES.includes(act) || act === "done");
  const fits = (item: ActivityItem) =>
    changes.length === 0 ? item.risk === "read" : item.risk !== "read" && fitsActs(changes, item);
  const named = bad.filter((item) => isNamed(plain, item));
  const open = named.length > 0 ? named : bad.filter(fits);
  const done = changed.filter(fits);
  if (read.later >= LIKELY) return { kind: "promise", items: open };
  if (acts.every((act) => act === "approve")) return { kind: "not-asked", items: changed };
  if (read.unsuccessful >= LIKELY) {
    if (open.length > 0) return { kind: "other-outcome", items: open };
    // It failed at first, which a sentence may say of it.
    if (madeGood.some(fits)) return undefined;
    if (done.length > 0) return { kind: "was-done", items: done };
  }
  // "Not at all!" denies no deed.
  if (read.claims < CLAIMS_MIN && mostChange(read) < ACT_FROM && deedsNamedIn(plain).length === 0)
    if (!NOTHING.test(plain) && !TOUCHED.test(plain)) return undefined;
  if (hasCue(read.cues, "denies") && read.claims < LIKELY && changed.length > 0)
    return { kind: "was-done", items: done.length > 0 ? done : changed };
  if (open.length > 0 && (done.length === 0 || named.length > 0)) {
    // A program that ended badly ran all the same; only that all went well is more than that.
    const ran = open.every(({ status }) => status === "succeeded") && !SUCCESS.test(plain);
    return ran ? undefined : { kind: "not-succeeded", items: open };
  }
  if (changes.length === 0) {
    // What a cited call did not give costs the tick; only another place is no look at this one.
    if (isCited && !has("places not visited")) return undefined;
    const unread = looked.length === 0 ? bad.filter(({ risk }) => risk === "read") : [];
    // Nothing was looked at, and all that was tried is changes: it is them that it tells of.
    const tried = looked.length + changed.length + unread.length === 0 && read.acts.look < SURE ? bad : [];
    if (tried.length > 0) return { kind: "not-succeeded", items: tried };
    return unread.length > 0 ? { kind: "not-succeeded", items: unread } : { kind: "not-looked", items: [] };
  }
  if (changed.length === 0) return { kind: "no-call", items: [] };
  // "A table for four" counts guests, not calls; "`list.md` with three lines" names the file of the one call.
  const smooth = bad.length === 0;
  const only = smooth && done.length === 1 && namesFile(plain, done[0]!);
  // "The office is at 17": a number of what they were about counts nothing.
  const isTheirs = numbersSaid(done.map(({ target }) => target ?? "").join("\n"), "").includes(
    fact("count said"),
  );
  const counts = has("count over") && (done.length > 1 || ALL.test(plain)) && !isPartOf(plain) && !isTheirs;
  // Of what is listed the calls know some: then it is their objects that are listed.
  const ofEach = done.length > 1 || changes.some(isOfOneEach);
  const lists = ofEach && ["listed over", "listed found", "listed not found"].every((name) => has(name));
  if (!only && (counts || lists || has("other count"))) return { kind: "count", items: done };
  if (has("other value", "other day", "asked twins")) return { kind: "other-target", items: done };
  if (!only && has("names not in calls", "numbers unsaid")) return { kind: "other-target", items: done };
  const unmet = Math.max(fact("unmet change"), fact("clause unmet change"));
  if (unmet >= (namesTheirDeeds(plain, changed) ? SURE : ACT_FROM) || has("places not visited"))
    return { kind: "other-action", items: changed };
  if (!isCited && Math.max(fact("unmet look"), fact("clause unmet look")) >= SLIGHT)
    return { kind: "not-looked", items: [] };
  if (!smooth) return { kind: "not-succeeded", items: bad };
  if (!isCited && done.length === 1 && isMissingUnspaced(plain, done[0]!))
    return { kind: "other-target", items: done };
  // Where all went well, only what can be named speaks against a sentence.
  return !isCited && !only && isPlain() ? likeliestOf(plain, read, fact, changed) : undefined;
}

/** Its verbs name what the calls did, and nothing else: that invoices are mostly sent says nothing against "moved all invoices". */
export function namesTheirDeeds(plain: string, changed: readonly ActivityItem[]): boolean {
  const deeds = deedsNamedIn(plain, "done");
  const acts = CHANGES.filter((act) => deeds.includes(act));
  return (
    acts.length > 0 &&
    acts.length === deeds.length &&
    acts.every((act) => changed.some((item) => item.risk !== "read" && fitsActs([act], item)))
  );
}

/** Where nothing speaks clearly against a sentence that is all but certain to be wrong: what does so most. */
function likeliestOf(
  plain: string,
  read: ReadClaim,
  fact: (name: string) => number,
  changed: readonly ActivityItem[],
): Verdict | undefined {
  if (read.acts.approve >= ACT_FROM && fact("approval not given") > 0)
    return { kind: "not-asked", items: changed };
  if (fact("count over") > 0) return { kind: "count", items: changed };
  if (fact("top act met") === 0 && !namesTheirDeeds(plain, changed))
    return { kind: "other-action", items: changed };
  return fact("targets told") > 0 && fact("target words in sentence") === 0
    ? { kind: "other-target", items: changed }
    : undefined;
}
