import type { ActivityItem } from "../tool/activity.ts";
import { ALL } from "./amount-words.ts";
import { denies, hasCue } from "./claim-features.ts";
import type { ReadClaim } from "./claim-model.ts";
import { deedsNamedIn } from "./concepts.ts";
import { OF_OTHERS, TOUCHED } from "./denial-words.ts";
import type { FactSheet } from "./fact-sheet.ts";
import { NOTHING, OPENED, SMOOTHLY, SUCCESS } from "./outcome-words.ts";
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
import { fitsActs, isOpenEnded } from "./tool-acts.ts";
import { folded, isPartOf, namesIn, numbersSaid, partSaid, valuesOf } from "./values.ts";

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

const CLAUSE_UNSURE = 0.15;

export const NO_CALL: Verdict = { kind: "no-call", items: [] };
export const NOT_LOOKED: Verdict = { kind: "not-looked", items: [] };

/**
 * What speaks against a sentence that is marked; undefined where nothing does that can be named.
 * Where the run changed something and all of it succeeded, that a value cannot be found is no reason.
 */
export function verdictOf(
  { text, plain, read, cited }: ReadSentence,
  facts: FactSheet,
  { changed, looked, bad: notDone, madeGood }: SortedCalls,
  isPlain: () => boolean,
): Verdict | undefined {
  const fact = (name: string) => facts.factNamed(name);
  const has = (...names: readonly string[]) => names.some((name) => fact(name) > 0);
  // It says which calls it tells of, and they succeeded: the others count only where it names them.
  const isCited = cited.length > 0 && cited.every(isGood);
  const bad = isCited ? notDone.filter((item) => item.risk !== "read" && isNamed(plain, item)) : notDone;
  const acts = actsIn(read);
  const changes = acts.filter((act) => CHANGES.includes(act) || act === "done");
  const fits = (item: ActivityItem) =>
    changes.length === 0 ? item.risk === "read" : item.risk !== "read" && fitsActs(changes, item);
  // What one call did to a thing is told of, though another failed on it.
  const isToldOf = changed.some((item) => (fits(item) || mostChange(read) < SURE) && isNamed(plain, item));
  const named = bad.filter((item) => isNamed(plain, item) && !(isToldOf && isSame(item, changed)));
  // It names what came about, and nothing of what did not.
  const namesDone = changed.some((item) => namesFile(plain, item)) && !bad.some(hasFile);
  const isElsewhere =
    named.length === 0 && !ALL.test(plain) && (namesDone || (isToldOf && mostChange(read) < SURE));
  const open = named.length > 0 ? named : isElsewhere ? [] : bad.filter(fits);
  const done = changed.filter(fits);
  if (read.later >= LIKELY) {
    const wakes = changed.some((item) => fitsActs(["schedule"], item) && !isOpenEnded(item.toolId));
    return wakes ? undefined : { kind: "promise", items: open };
  }
  if (acts.every((act) => act === "approve")) return { kind: "not-asked", items: changed };
  // A file that none of them changed: "`red.png` has no date in its name, so I left it."
  const isLeft = hasFile({ target: plain }) && !changed.some((item) => namesFile(plain, item));
  const isDenial = read.unsuccessful >= ACT_FROM && hasCue(read.cues, "denies", "keeps");
  if (isLeft && isDenial && bad.length === 0) return undefined;
  if (read.unsuccessful >= LIKELY) {
    if (open.length > 0) return { kind: "other-outcome", items: open };
    // It failed at first, which a sentence may say of it.
    if (madeGood.some(fits)) return undefined;
    // "It went through with your approval": without a word for it, nothing is denied.
    const isDenied =
      hasCue(read.cues, "fails", "keeps") ||
      (hasCue(read.cues, "denies") && denies(plain.replace(SMOOTHLY, " ")));
    // "I couldn't book it at seven", where it was booked at eight: that is something else.
    const isOther = has("numbers not found", "names not in calls") && fact("others claim") >= SURE;
    if (done.length > 0 && isDenied && !isOther && !isLeft) return { kind: "was-done", items: done };
  }
  // "Not at all!" denies no deed.
  if (read.claims < CLAIMS_MIN && mostChange(read) < ACT_FROM && deedsNamedIn(plain).length === 0)
    if (!NOTHING.test(plain) && !TOUCHED.test(plain)) return undefined;
  // "If it was renamed and not deleted, …": what may be so denies nothing.
  if (hasCue(read.cues, "denies") && hasCue(read.cues, "depends") && read.claims < LIKELY) return undefined;
  if (hasCue(read.cues, "denies") && read.claims < LIKELY && changed.length > 0)
    if (isLeft || !denies(plain.replace(OF_OTHERS, " "))) return undefined;
    else return { kind: "was-done", items: done.length > 0 ? done : changed };
  // "Three of the four are in it": as many as came about.
  if (open.length > 0 && done.length > 0 && partSaid(plain) === done.length) return undefined;
  if (open.length > 0 && (done.length === 0 || named.length > 0)) {
    // A program that ended badly ran all the same; only that all went well is more than that.
    const ran = open.every(({ status }) => status === "succeeded") && !SUCCESS.test(plain);
    return ran ? undefined : { kind: "not-succeeded", items: open };
  }
  if (changes.length === 0) {
    // How it stands after a change: "The office is at 17 and dark."
    const isState = !hasCue(read.cues, "self") && !OPENED.test(plain);
    if (isState && bad.length === 0 && changed.some((item) => isNamed(plain, item))) return undefined;
    // "I entered it before" tells of no look.
    if (bad.length === 0 && !OPENED.test(plain) && namesTheirDeeds(plain, changed)) return undefined;
    // What a cited call did not give costs the tick; only another place is no look at this one.
    if (isCited && !has("places not visited")) return undefined;
    const unread = looked.length === 0 ? bad.filter(({ risk }) => risk === "read") : [];
    // Nothing was looked at, and all that was tried is changes: it is them that it tells of.
    const tried = looked.length + changed.length + unread.length === 0 && read.acts.look < SURE ? bad : [];
    if (tried.length > 0) return { kind: "not-succeeded", items: tried };
    return unread.length > 0 ? { kind: "not-succeeded", items: unread } : { kind: "not-looked", items: [] };
  }
  // They asked, it was looked up, and nobody says who did what it tells of.
  const asks = has("wish question", "wish look", "wish status") && !has("asks of you");
  const isFound =
    asks &&
    looked.length > 0 &&
    bad.length === 0 &&
    !hasCue(read.cues, "self") &&
    deedsNamedIn(plain, "done").length === 0;
  if (changed.length === 0) return isFound ? undefined : { kind: "no-call", items: [] };
  // "A table for four" counts guests, not calls; "`list.md` with three lines" names the file of the one call.
  const smooth = bad.length === 0;
  const only = smooth && done.length === 1 && namesFile(plain, done[0]!);
  // "The office is at 17": a number of what they were about counts nothing.
  const isTheirs = numbersSaid(done.map(({ target }) => target ?? "").join("\n"), "").includes(
    fact("count said"),
  );
  const isOfOne = [...changed, ...looked].some(({ count }) => count === fact("count said"));
  const counts =
    !isOfOne && has("count over") && (done.length > 1 || ALL.test(plain)) && !isPartOf(plain) && !isTheirs;
  // Of what is listed the calls know some: then it is their objects that are listed.
  const ofEach = done.length > 1 || changes.some(isOfOneEach);
  const lists = ofEach && ["listed over", "listed found", "listed not found"].every((name) => has(name));
  if (!only && (counts || lists || has("other count"))) return { kind: "count", items: done };
  if (has("other value", "other day", "asked twins")) return { kind: "other-target", items: done };
  const areNamed = changed.every((item) => isNamed(plain, item) || isNamedInPart(plain, item));
  // A name in quotes is none of the words, and stands there all the same.
  const isQuoted = done.some(({ target = "" }) => target.length > 2 && text.includes(target));
  if (!only && !areNamed && !isQuoted && has("names not in calls", "numbers unsaid"))
    return { kind: "other-target", items: done };
  // A clause for itself says less clearly what it tells of.
  const unmet = Math.max(fact("unmet change"), fact("clause unmet change") - CLAUSE_UNSURE);
  if ((!isOfOne && unmet >= (namesTheirDeeds(plain, changed) ? SURE : ACT_FROM)) || has("places not visited"))
    return { kind: "other-action", items: changed };
  // "…, and confirmed that it arrived."
  if (fact("clause deeds not made") >= LIKELY) return { kind: "other-action", items: changed };
  if (!isCited && Math.max(fact("unmet look"), fact("clause unmet look")) >= SLIGHT)
    return { kind: "not-looked", items: [] };
  if (!smooth) return isElsewhere ? undefined : { kind: "not-succeeded", items: bad };
  if (!isCited && done.length === 1 && isMissingUnspaced(plain, done[0]!))
    return { kind: "other-target", items: done };
  // Where all went well, only what can be named speaks against a sentence.
  // "Those I deleted earlier" names nothing else.
  const isBare =
    namesTheirDeeds(plain, changed) && !has("asked words", "values", "numbers", "names not in calls");
  if (isQuoted || isBare) return undefined;
  return !isCited && !only && !isOfOne && isPlain() ? likeliestOf(plain, read, fact, changed) : undefined;
}

/** By the house of an address, or by a name with another ending: "Voss" for "office@voss.example", "ortodonty" for "ortodonta". */
function isNamedInPart(plain: string, { target = "" }: ActivityItem): boolean {
  const text = folded(plain);
  const houses = [...target.matchAll(/@([\p{L}\p{N}-]{3,})\./gu)].map(([, house = ""]) => folded(house));
  const stems = namesIn(target).flatMap((name) => (name.length >= STEM_MIN ? [name.slice(0, -1)] : []));
  return [...houses, ...stems].some((part) => text.includes(part));
}

const STEM_MIN = 6;

function hasFile({ target = "" }: Pick<ActivityItem, "target">): boolean {
  return valuesOf(target, "file").length > 0;
}

/** One of these dealt with the same file or the same target. */
function isSame({ target = "" }: ActivityItem, items: readonly ActivityItem[]): boolean {
  const [file] = valuesOf(target, "file");
  return items.some((other) => other.target === target || (file !== undefined && namesFile(file, other)));
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
