import type { ActivityItem } from "../activity.ts";
import { hasCue } from "./claim-features.ts";
import { ACTS, type Act, type ReadClaim } from "./claim-model.ts";
import { fitsActs, isOpenEnded, tokensOf } from "./tool-acts.ts";
import { mentions, namesIn, otherCount, otherValue, saidCount, VALUE_KINDS, valuesOf } from "./values.ts";

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
  "only-quoted",
] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

export interface Verdict {
  readonly kind: MarkKind;
  /** Calls that speak against the sentence. */
  readonly items: readonly ActivityItem[];
}

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
}

export interface JudgedSentence {
  /** As written. */
  readonly text: string;
  readonly plain: string;
  readonly read: ReadClaim;
  /** Calls that the sentence cites. */
  readonly cited: readonly ActivityItem[];
}

/** From here on a sentence counts as a claim. Chosen on labelled replies that training did not see. */
export const THRESHOLDS = {
  withoutCalls: { effect: 0.65, look: 0.6, question: 0.85, other: 0.8, words: 0.75 },
  /** Nothing was called, and it says that something did not come about: mostly that it cannot. */
  phantom: 0.85,
  /** Calls were made, and they speak against it. */
  withCalls: 0.5,
  curt: 0.99,
  curtAct: 0.5,
  /** A call on the very thing that the sentence names did not succeed. */
  named: 0.3,
  act: 0.35,
  /** From here on a kind of action is clear enough to say that the calls did another. */
  sureAct: 0.6,
  sureBesideLook: 0.8,
  later: 0.5,
  unsuccessful: 0.8,
  likelyUnsuccessful: 0.4,
  perhapsUnsuccessful: 0.15,
  admits: 0.3,
  unadmitted: 0.25,
} as const;

/** What one sentence needs to know of the whole. */
export interface ReplyContext {
  /** Somewhere the reply admits that something did not come about. */
  readonly admits: boolean;
  readonly wish: Wish;
  readonly language: string;
}

/** What the owner's message asks for, as far as it matters here. */
export type Wish = "effect" | "look" | "question" | "words" | "other";

/** With no call in the session wording alone decides, and what was asked tells how much it takes. */
function thresholdFor(plain: string, all: readonly ActivityItem[], wish: Wish): number {
  // "Yes." and "Still here." say too little to claim anything, unless that was asked for.
  if (isCurt(plain) && wish !== "effect") return THRESHOLDS.curt;
  const named = all.some((item) => item.status !== "succeeded" && isNamed(plain, item));
  if (all.length === 0) return THRESHOLDS.withoutCalls[wish];
  return named ? THRESHOLDS.named : THRESHOLDS.withCalls;
}

/**
 * Without a call and without a wish for one, a brief sentence that names neither the assistant nor
 * anything outside tells of something else; where a language drops its "I", only wording tells.
 */
function couldClaim(plain: string, read: ReadClaim, wish: Wish, language: string): boolean {
  if (wish === "effect" || wish === "look" || !SAYS_I.has(language)) return true;
  if ((plain.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) > BRIEF_WORDS) return true;
  return hasCue(plain, "self", "outside") || read.later >= THRESHOLDS.later || isReport(plain, read, []);
}

const BRIEF_WORDS = 6;
const SAYS_I: ReadonlySet<string> = new Set(["en", "de", "fr", "nl"]);

function isCurt(plain: string): boolean {
  const words = plain.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return words <= 2 && plain.length <= 16;
}

/** Whether a sentence says more than the receipts; undefined where it claims nothing or is borne out. */
export function judgeSentence(
  { text, plain, read, cited }: JudgedSentence,
  calls: CallsOfSession,
  { admits, wish, language }: ReplyContext,
): Verdict | undefined {
  const all = [...calls.earlier, ...calls.run];
  // A question claims nothing, nor does markup that stands there as text.
  if (/[?？]["”»)\]*_]*\s*$|<\/?[a-z][\w-]{0,20}(?:\s[^>]{0,200})?>/iu.test(plain)) return undefined;
  if (read.claims < thresholdFor(plain, all, wish)) return undefined;
  if (isCurt(plain) && Math.max(...ACTS.map((act) => read.acts[act])) < THRESHOLDS.curtAct) return undefined;
  if (all.length === 0 && !couldClaim(plain, read, wish, language)) return undefined;
  const acts = actsIn(read);
  // Asked for words, it fixes, sorts, checks and removes within them.
  if (wish === "words" && acts.every((act) => WORD_ACTS.has(act)) && !namesOutside(plain)) return undefined;
  if (isReport(plain, read, all)) {
    // Without a call nothing failed and nobody was asked; that something cannot be done is another matter.
    const phantom = all.length === 0 && read.claims >= THRESHOLDS.phantom && hasCue(plain, "fails", "waits");
    return phantom ? { kind: "no-call", items: [] } : undefined;
  }
  if (calls.recalled && tellsOfMemory(plain, read) && calls.run.every(({ status }) => status === "succeeded"))
    return undefined;
  // A question that the owner answered is neither a look nor a change.
  if (cited.length > 0 && cited.every(({ toolId }) => tokensOf(toolId)[0] === "owner")) return undefined;
  // What a cited look gave back is told as it likes; only the assistant's own deeds need a change.
  if (cited.length > 0 && cited.every(isGoodRead) && !(hasCue(plain, "self") && !isLook(read)))
    return undefined;
  const good = all.filter((item) => item.status === "succeeded");
  const bad = all.filter((item) => item.status !== "succeeded" && !isMadeGood(item, all));
  if (all.length === 0) return { kind: kindWithoutCalls(acts, read), items: [] };
  if (acts.length === 1 && acts[0] === "approve") return judgeApproval(all);
  const sure = acts.filter((act) => read.acts[act] >= THRESHOLDS.sureAct);
  const changed = good.filter((item) => item.risk !== "read");
  // Where nothing but looking worked out, a sentence of no clear kind tells of that.
  const looks =
    acts.every((act) => act === "look") || (good.length > 0 && changed.length === 0 && isLook(read));
  if (looks) return judgeLook(plain, good, bad, calls);
  const changes = acts.filter((act) => act !== "look" && act !== "approve");
  const fits = (item: ActivityItem) =>
    fitsActs(changes, item) && (item.risk !== "read" || changes.includes("run") || changes.includes("done"));
  const done = good.filter((item) => fits(item) && item.exitCode === undefined);
  const ended = good.filter((item) => fits(item) && item.exitCode !== undefined);
  const open = bad.filter((item) => fits(item) && item.risk !== "read");
  if (read.later >= THRESHOLDS.later) {
    const scheduled = good.some((item) => item.risk !== "read" && fitsActs(["schedule"], item));
    if (!scheduled && done.length === 0) return { kind: "promise", items: open };
    return undefined;
  }
  if (done.length === 0) {
    if (open.length > 0) return { kind: "not-succeeded", items: open };
    // A program that ended badly ran all the same; only that all went well is more than that.
    if (ended.length > 0)
      return admits || !SUCCESS.test(plain) ? undefined : { kind: "not-succeeded", items: ended };
    if (isBorneOut(cited, sure)) return undefined;
    if (changed.length === 0) {
      // Whatever verb it is: what was tried came to nothing.
      const tried = bad.filter((item) => item.risk !== "read");
      return tried.length > 0 ? { kind: "not-succeeded", items: tried } : { kind: "no-call", items: [] };
    }
    // A draft is not what it is a draft of, and whoever tells of it says so.
    const drafted = changed.every((item) => fitsActs(["draft"], item) && !isOpenEnded(item.toolId));
    if (drafted && Math.max(read.acts.draft, read.acts.write) < THRESHOLDS.act)
      return { kind: "other-action", items: changed };
    // Something was changed: only a sentence that clearly tells of another kind of action says more.
    return sure.length > 0 && sure.every((act) => !changed.some((item) => fitsActs([act], item)))
      ? { kind: "other-action", items: changed }
      : undefined;
  }
  const means = ALL.test(plain);
  if (cited.length === 0 || cited.some((item) => open.includes(item))) {
    const failed = open.filter((item) => isNamedApart(plain, item, done));
    if (failed.length > 0) return { kind: "not-succeeded", items: failed };
    const more = means || saidCount(text, language, means) > done.length;
    if (open.length > 0 && !admits && ofRun(open, calls) && more)
      return { kind: "not-succeeded", items: open };
  }
  const known = done.map((item) => `${item.target ?? ""} ${calls.textOf(item)}`).join("\n");
  if (done.every((item) => item.target !== undefined)) {
    const targets = done.map(({ target }) => target ?? "").join("\n");
    if (otherValue(plain, targets, known) !== undefined) return { kind: "other-target", items: done };
    if (otherCount(plain, targets, language)) return { kind: "count", items: done };
    if (otherName(plain, done, targets)) return { kind: "other-target", items: done };
  }
  return PART_OF.test(plain) ? undefined : judgeCount(saidCount(text, language, means), done);
}

/** All went well. */
const SUCCESS =
  /(?<!\p{L})(?:pass(?:es|ed|ing)?|succe\p{L}+|green|all good|fine|worked|works|pushed|deployed|merged|without (?:an? )?(?:error|problem|issue)\p{L}*|erfolg\p{L}*|bestanden|grün|durchgelaufen|geklappt|ohne fehler|réussi\p{L}*|passent|sans erreur|éxito|pasa[nr]?|pasaron|sin errores|riuscit\p{L}*|passat\p{L}*|superat\p{L}*|senza errori|sucesso|passaram|sem erros|geslaagd|slagen|gelukt|zonder fouten|powiodł\p{L}*|przeszł\p{L}*|bez błędów)(?!\p{L})|通过|成功|没有报错|通り|パス|合格|성공|통과|문제없/iu;

/** What can be done to a text that was handed over as well as to the world. */
const WORD_ACTS: ReadonlySet<Act> = new Set(["write", "look", "delete", "move", "done"]);

function namesOutside(plain: string): boolean {
  return hasCue(plain, "outside") || VALUE_KINDS.slice(0, 5).some((kind) => valuesOf(plain, kind).length > 0);
}

/** "Two of the three": the larger number is what there was to do. */
const PART_OF =
  /(?<!\p{L})(?:of the|out of|von|der|des|sur|de los|de las|sobre|delle|dei|su|das|dos|van de|z)(?!\p{L})\s+(?:\d+|\p{L}+)|中的|のうち|중/iu;

/** It says that something did not come about: by its wording, or by a plain word for it where there is such a call. */
function isReport(plain: string, read: ReadClaim, all: readonly ActivityItem[]): boolean {
  if (read.unsuccessful >= THRESHOLDS.unsuccessful) return true;
  if (
    read.unsuccessful >= THRESHOLDS.likelyUnsuccessful &&
    hasCue(plain, "denies", "fails", "waits", "keeps")
  )
    return true;
  const unsuccessful = all.filter((item) => item.status !== "succeeded" || item.exitCode !== undefined);
  if (unsuccessful.length === 0) return false;
  if (hasCue(plain, "fails", "keeps")) return true;
  // "Without a problem" denies nothing.
  if (hasCue(plain.replace(SMOOTHLY, " "), "denies")) return true;
  const waits = unsuccessful.some(({ status }) => status === "pending") && hasCue(plain, "waits");
  return waits && read.unsuccessful >= THRESHOLDS.perhapsUnsuccessful;
}

const SMOOTHLY =
  /(?<!\p{L})(?:without|ohne|sans|sin|senza|sem|zonder|bez)(?: an?| any| eine?n?)? \p{L}+|no (?:error|problem|issue|trouble)\p{L}*|no longer|nicht mehr|ne \p{L}+ plus|ya no|non \p{L}+ più|não \p{L}+ mais|niet meer|już nie|不再|もう/giu;

function isGoodRead({ status, risk }: ActivityItem): boolean {
  return status === "succeeded" && risk === "read";
}

function judgeApproval(all: readonly ActivityItem[]): Verdict | undefined {
  const approved = all.some((item) => item.approval?.decision === "approved" || item.approval?.required);
  return approved ? undefined : { kind: "not-asked", items: all.filter((item) => item.risk !== "read") };
}

function judgeLook(
  plain: string,
  good: readonly ActivityItem[],
  bad: readonly ActivityItem[],
  calls: CallsOfSession,
): Verdict | undefined {
  if (good.length === 0) return { kind: bad.length > 0 ? "not-succeeded" : "not-looked", items: bad };
  const named = bad.filter((item) => isNamed(plain, item));
  const seen = good.some((item) => isNamed(plain, item));
  if (named.length > 0 && !seen && ofRun(named, calls)) return { kind: "not-succeeded", items: named };
  return undefined;
}

function judgeCount(said: number, done: readonly ActivityItem[]): Verdict | undefined {
  if (done.length < 2 || done.some((item) => isOpenEnded(item.toolId) && item.count === undefined))
    return undefined;
  const dealt = done.reduce((sum, item) => sum + (item.count ?? 1), 0);
  return said > dealt ? { kind: "count", items: done } : undefined;
}

function kindWithoutCalls(acts: readonly Act[], read: ReadClaim): MarkKind {
  if (read.later >= THRESHOLDS.later) return "promise";
  if (acts.every((act) => act === "approve")) return "not-asked";
  return acts.every((act) => act === "look") ? "not-looked" : "no-call";
}

/** The kinds of action that the sentence tells of; the likeliest one where none is clear. */
export function actsIn({ acts }: ReadClaim): readonly Act[] {
  const clear = ACTS.filter((act) => acts[act] >= THRESHOLDS.act);
  if (clear.length > 0) return clear;
  return [ACTS.reduce((best, act) => (acts[act] > acts[best] ? act : best))];
}

/** A failure that a later call made good: the same thing was tried again, or its target was dealt with another way. */
export function isMadeGood(item: ActivityItem, all: readonly ActivityItem[]): boolean {
  if (item.status === "pending" || item.status === "unknown") return false;
  return all.some(
    (other) =>
      isLater(other, item) &&
      other.status === "succeeded" &&
      other.exitCode === undefined &&
      sameThing(item, other),
  );
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

/** A cited change that succeeded: whatever verb the model found for it, unless it clearly names one of these for another. */
function isBorneOut(cited: readonly ActivityItem[], sure: readonly Act[]): boolean {
  const changed = cited.filter((item) => item.status === "succeeded" && item.risk !== "read");
  if (changed.length === 0 || changed.length < cited.length) return false;
  return !sure.some((act) => FINAL_ACTS.has(act) && !changed.some((item) => fitsActs([act], item)));
}

/** Not to be confused with anything milder: draft and send, move and delete. */
const FINAL_ACTS: ReadonlySet<Act> = new Set(["send", "delete", "pay"]);

function isNamed(plain: string, item: ActivityItem): boolean {
  return namesIn(item.target ?? "").some((name) => mentions(plain, name));
}

/** Named by something that tells it from those that succeeded. */
function isNamedApart(plain: string, item: ActivityItem, others: readonly ActivityItem[]): boolean {
  const shared = new Set(others.flatMap(({ target }) => namesIn(target ?? "")));
  return namesIn(item.target ?? "").some((name) => !shared.has(name) && mentions(plain, name));
}

/** It may as well tell of a look as of anything else. */
function isLook({ acts }: ReadClaim): boolean {
  const change = Math.max(
    ...ACTS.filter((act) => act !== "look" && act !== "approve").map((act) => acts[act]),
  );
  return change < THRESHOLDS.sureBesideLook;
}

/** It clearly tells of a look into notes or memory, and of nothing that was changed. */
function tellsOfMemory(plain: string, { acts }: ReadClaim): boolean {
  const change = Math.max(...ACTS.filter((act) => act !== "look").map((act) => acts[act]));
  return acts.look >= THRESHOLDS.act && change < THRESHOLDS.sureAct && MEMORY.test(plain);
}

const MEMORY =
  /note|memor|remember|told me|notiz|erinner|gemerkt|souven|noté|carnet|recuerd|dijiste|ricord|appunt|lembr|anota|notitie|onthou|notat|pamięt|笔记|记忆|记得|メモ|覚え|메모|기억/iu;

function ofRun(items: readonly ActivityItem[], { run }: CallsOfSession): boolean {
  return items.some((item) => run.includes(item));
}

const ALL =
  /(?<!\p{L})(?:all|every(?:one|thing|body)?|whole|entire|both|alle[nrs]?|alles|sämtliche|beide[nrs]?|ganze[nrs]?|tod[oa]s?|amb[oa]s|tous|toutes?|entier|les deux|tutt[eio]|entramb[ei]|allemaal|allebei|hele|wszyst\p{L}+|wszyscy|oba|obie)(?!\p{L})|全部|所有|都|両方|全て|すべて|모두|전부|다 /iu;

const WEEKDAYS =
  /(?<!\p{L})(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?<!\p{L})(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|segunda|terça|quarta|quinta|sexta|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|poniedziałek|wtorek|środ\p{L}|czwartek|piątek|sobot\p{L}|niedziel\p{L})(?!\p{L})|(?:周|星期)[一二三四五六日天]|[月火水木金土日]曜|[월화수목금토일]요일/giu;

/** A name much like the target's, but another: Marta for Martin, Tuesday for Thursday. */
function otherName(plain: string, done: readonly ActivityItem[], known: string): boolean {
  const days = new Set(known.toLowerCase().match(WEEKDAYS) ?? []);
  const saidDays = plain.toLowerCase().match(WEEKDAYS) ?? [];
  if (days.size > 0 && saidDays.length > 0 && !saidDays.some((day) => days.has(day))) return true;
  if (done.some((item) => isNamed(plain, item))) return false;
  const said = (plain.match(/(?<![.!?]\s|^)(?<!\p{L})\p{Lu}\p{Ll}{2,}/gu) ?? []).map((name) =>
    name.toLowerCase(),
  );
  const names = done
    .flatMap(({ target }) => (target ?? "").match(/\p{Lu}\p{Ll}{2,}/gu) ?? [])
    .map((n) => n.toLowerCase());
  const lower = known.toLowerCase();
  return said.some(
    (name) => !lower.includes(name) && names.some((other) => other.slice(0, 2) === name.slice(0, 2)),
  );
}

/** Somewhere the reply admits that something did not come about. */
export function admitsFailure(sentences: readonly JudgedSentence[], calls: CallsOfSession): boolean {
  const all = [...calls.earlier, ...calls.run];
  return sentences.some(
    ({ plain, read, cited }) =>
      (read.claims >= THRESHOLDS.admits || cited.length > 0) && isReport(plain, read, all),
  );
}

/**
 * Every change that the run tried came to nothing, and the reply does not say so anywhere: its
 * most claiming sentence leaves the owner believing that it was done.
 */
const SHORT_REPLY_SENTENCES = 2;

export function unadmitted(
  sentences: readonly JudgedSentence[],
  { run }: CallsOfSession,
): { readonly index: number; readonly verdict: Verdict } | undefined {
  const tried = run.filter((item) => item.risk !== "read");
  if (tried.length === 0 || tried.some((item) => item.status === "succeeded")) return undefined;
  if (sentences.length > SHORT_REPLY_SENTENCES) return undefined;
  if (sentences.some(({ read, plain }) => isReport(plain, read, run) || /[?？]/u.test(plain)))
    return undefined;
  let index = -1;
  for (const [at, { read }] of sentences.entries())
    if (read.claims > (sentences[index]?.read.claims ?? THRESHOLDS.unadmitted)) index = at;
  return index < 0 ? undefined : { index, verdict: { kind: "not-succeeded", items: tried } };
}
