import type { ActivityItem } from "../tool/activity.ts";
import { hasCue } from "./claim-features.ts";
import { type Act, ACTS, type ReadClaim } from "./claim-model.ts";
import { deedsNamedIn, saysDone } from "./concepts.ts";
import { CHANGES, type ReadSentence, type ReplyContext } from "./read-sentence.ts";
import { isNamed } from "./session-calls.ts";
import { namedIn, valuesOf } from "./values.ts";

/** A kind of action is told of from here on. */
export const ACT_FROM = 0.35;

/** Clear enough for code to compare. */
export const SURE = 0.8;

/** More likely than not. */
export const LIKELY = 0.5;

/** Told of at most in passing. */
export const SLIGHT = 0.6;

/** Below this a sentence claims nothing, and is not compared with the calls. */
export const CLAIMS_MIN = 0.15;

export function hasCalls({ calls }: Pick<ReplyContext, "calls">): boolean {
  return calls.run.length + calls.earlier.length > 0;
}

export function namesSomething(text: string): boolean {
  return namedIn(text).length > 0;
}

export function wordsIn(plain: string): number {
  return plain.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

export const SMALL_TALK_WORDS_MAX = 6;

/** Each call of such a kind deals with one; what is made can be for several. */
export function isOfOneEach(act: Act): boolean {
  return act === "send" || act === "pay" || act === "delete" || act === "move";
}

/** One of its words says that something was changed or dealt with. */
export function namesChange(plain: string): boolean {
  return saysDone(plain) || deedsNamedIn(plain, "done").some((deed) => deed !== "look");
}

/** One of the clauses says that something was done. */
export function tellsOfDeedBeside(clauses: ReadSentence["clauses"]): boolean {
  return clauses.some(({ plain, read }) => {
    if (hasCue(read.cues, "denies")) return false;
    if (read.claims >= SURE && mostChange(read) >= SURE) return true;
    return read.claims >= LIKELY && deedsNamedIn(plain, "done").length > 0;
  });
}

/** How clearly it tells of something done, whatever else it says. */
export function mostDone({ claims, unsuccessful, later }: ReadClaim): number {
  return Math.max(later, claims * (1 - unsuccessful));
}

/** It tells of a look that came about, and of nothing more. */
export function tellsOfLook(read: ReadClaim): boolean {
  if (read.acts.look < LIKELY || read.acts.approve >= ACT_FROM) return false;
  return read.later < ACT_FROM && read.unsuccessful < ACT_FROM && !tellsOfChange(read);
}

/** More of a change than of a look. */
export function tellsOfChange(read: ReadClaim): boolean {
  const change = mostChange(read);
  return read.claims >= LIKELY && change >= LIKELY && change > read.acts.look;
}

export function mostChange({ acts }: ReadClaim): number {
  let most = acts.done;
  for (let at = 0; at < CHANGES.length; at += 1) most = Math.max(most, acts[CHANGES[at]!]);
  return most;
}

/** Kinds of action of which each has a matter of its own. */
export const TO_OTHERS: readonly Act[] = ["send", "pay", "schedule"];

/** It says that something did not come about. */
export function isReport({ unsuccessful, cues }: ReadClaim): boolean {
  return unsuccessful >= LIKELY || hasCue(cues, "denies", "fails", "keeps", "waits");
}

/** The kinds of action that a sentence tells of; the likeliest one where none is clear. */
export function actsIn({ acts }: ReadClaim): readonly Act[] {
  const clear = ACTS.filter((act) => acts[act] >= ACT_FROM);
  return clear.length > 0 ? clear : [ACTS.reduce((best, act) => (acts[act] > acts[best] ? act : best))];
}

export function namesFile(plain: string, { target = "" }: ActivityItem): boolean {
  return valuesOf(plain, "file").some((file) => target.toLowerCase().includes(file));
}

/** Without spaces no other name can be told from its neighbours; that the one of the call is missing can. */
export function isMissingUnspaced(plain: string, item: ActivityItem): boolean {
  return UNSPACED.test(item.target ?? "") && !isNamed(plain, item);
}

/** A name of Han, kana or hangul alone. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]{2,}$/u;
