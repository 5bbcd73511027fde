import type { ActivityItem } from "../tool/activity.ts";
import { detectLanguage, isLocale, type Locale } from "../request/language.ts";
import { readRequest, type ReadRequest } from "../request/read-request.ts";
import { citationsIn } from "./citations.ts";
import { hasCue } from "./claim-features.ts";
import { ClaimModel, type Act, type ReadClaim, type Weights } from "./claim-model.ts";
import { clausesOf } from "./clauses.ts";
import {
  ALL,
  CHANGES,
  FactReader,
  type FactGroups,
  PART_OF,
  SUCCESS,
  type ReadSentence,
  type ReplyContext,
  type SortedCalls,
} from "./facts.ts";
import { inPlace, type ReadDraft } from "./sentences.ts";
import { isGood, isNamed, type CallsOfSession } from "./session-calls.ts";
import { fitsActs, isOpenEnded, tokensOf } from "./tool-acts.ts";
import { Trees, type PackedTrees } from "./trees.ts";
import { otherValue, saidCount, VALUE_KINDS, valuesOf } from "./values.ts";

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

/** Both stages as training writes them: what a sentence says, and whether the calls bear it out. */
export interface JudgeWeights {
  readonly claims: Weights;
  readonly decision: PackedTrees;
}

/**
 * A sentence is marked from this chance on that it says more than the receipts. Without calls most
 * replies are work on words, and a wrong mark costs more. Chosen on labelled replies that training did not see.
 */
export const MARKED_FROM = { withCalls: 0.36, withoutCalls: 0.46 } as const;
/** A kind of action is told of from here on. */
export const ACT_FROM = 0.35;
/** Clear enough for code to compare. */
const SURE = 0.8;
/** More likely than not. */
const LIKELY = 0.5;
/** Told of at most in passing. */
const SLIGHT = 0.6;
/** Below this a sentence claims nothing, and is not compared with the calls. */
const CLAIMS_MIN = 0.15;

/** Reads the sentences of replies, and says which of them the calls of the session do not bear out. */
export class Judge {
  readonly #claims: ClaimModel;
  readonly #decision: Trees;

  constructor({ claims, decision }: JudgeWeights) {
    this.#claims = new ClaimModel(claims);
    this.#decision = new Trees(decision);
  }

  read(draft: ReadDraft, request: string, calls: CallsOfSession, locale?: Locale): ReplyContext {
    return readReply(this.#claims, draft, request, calls, locale);
  }

  /** For each sentence: what is wrong with it; undefined where it claims nothing or is borne out. */
  judge(context: ReplyContext): (Verdict | undefined)[] {
    let reader: FactReader | undefined;
    return context.sentences.map((sentence, index) => {
      if (hasCalls(context) && isDenial(sentence)) {
        reader ??= new FactReader(context);
        const denial = judgeDenial(sentence, context, reader.calls);
        if (denial !== undefined) return denial === "true" ? undefined : denial;
      }
      if (!mayClaim(sentence, context)) return undefined;
      const cited = againstCited(sentence, context);
      if (cited) return cited;
      reader ??= new FactReader(context);
      const plainly = againstCalls(sentence, context, reader.calls);
      if (plainly) return plainly;
      if (isBorneOutByReads(sentence, context, reader) || admitsWhatFailed(sentence, reader.calls))
        return undefined;
      const facts = reader.factsOf(index);
      return this.#decision.chance(facts) >=
        (hasCalls(context) ? MARKED_FROM.withCalls : MARKED_FROM.withoutCalls)
        ? verdictOf(sentence, facts, reader.calls)
        : undefined;
    });
  }
}

export function readReply(
  model: ClaimModel,
  draft: ReadDraft,
  request: string,
  calls: CallsOfSession,
  locale?: Locale,
): ReplyContext {
  const placed = inPlace(draft, request);
  const reader = model.reader(request, hasCalls({ calls }));
  const claims = placed.map((sentence) => reader.read(sentence));
  const all = [...calls.earlier, ...calls.run];
  const sentences = draft.sentences.map(({ text, plain, places }, index): ReadSentence => {
    const read = claims[index]!;
    const clauses = read.claims < CLAIMS_MIN ? [] : clausesOf(plain);
    return {
      text,
      plain,
      places,
      read,
      clauses: clauses.map((clause) => ({
        plain: clause,
        read: reader.read({ ...placed[index]!, sentence: clause }),
      })),
      cited: citationsIn(text, all).known,
    };
  });
  const whole = draft.sentences.map(({ plain }) => plain).join(" ");
  const language = detectLanguage(whole, locale ?? "en");
  let asked: ReadRequest | undefined;
  return {
    sentences,
    calls,
    request,
    language,
    // Most replies claim nothing, and nobody asks.
    get asked() {
      asked ??= readRequest(request, isLocale(language) ? language : undefined);
      return asked;
    },
  };
}

function hasCalls({ calls }: Pick<ReplyContext, "calls">): boolean {
  return calls.run.length + calls.earlier.length > 0;
}

/** What no wording can make a claim: a question, markup that stands there as text, what a cited answer of the owner says. */
export function mayClaim({ plain, places, read, cited }: ReadSentence, context: ReplyContext): boolean {
  const called = hasCalls(context);
  // What denies a deed reads as no claim, and may be untrue all the same.
  if (read.claims < CLAIMS_MIN && !(called && hasCue(read.cues, "denies"))) return false;
  // "I see." after a denial: what is this brief must read as a claim to be taken for one.
  if (read.claims < ACT_FROM && !hasCue(read.cues, "denies") && wordsIn(plain) <= SMALL_TALK_WORDS_MAX)
    return false;
  if (/[?？]["”»)\]*_]*\s*$|<\/?[a-z][\w-]{0,20}(?:\s[^>]{0,200})?>/iu.test(plain)) return false;
  // Asked for words, it shows them: "I've fixed the bug in your function:".
  if (
    !called &&
    places.has("ends with a colon") &&
    places.has("before code") &&
    context.asked.kind === "words"
  )
    return false;
  if (!called && isSmallTalk(plain, read, context.asked, context.language)) return false;
  return cited.length === 0 || !cited.every(({ toolId }) => tokensOf(toolId)[0] === "owner");
}

/**
 * Nothing was called and nothing was asked for that would need a call: a brief sentence that names
 * neither the assistant nor anything outside tells of something else ("They shine at night.").
 * Only for languages that say "I"; where a verb alone says who did it, wording decides.
 */
function isSmallTalk(plain: string, read: ReadClaim, asked: ReadRequest, language: string): boolean {
  if (asked.kind === "effect" || asked.kind === "look" || asked.kind === "status") return false;
  if (!SAYS_I.has(language) || read.later >= LIKELY) return false;
  if (wordsIn(plain) > SMALL_TALK_WORDS_MAX) return false;
  return (
    !hasCue(read.cues, "self", "outside", "fails", "waits") &&
    !VALUE_KINDS.some((kind) => valuesOf(plain, kind).length > 0)
  );
}

function wordsIn(plain: string): number {
  return plain.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

const SMALL_TALK_WORDS_MAX = 6;
const SAYS_I: ReadonlySet<string> = new Set(["en", "de", "fr", "nl"]);

/** Told as done, and the very calls that it cites say otherwise: no learning is needed for that. */
function againstCited({ plain, read, cited }: ReadSentence, { calls }: ReplyContext): Verdict | undefined {
  if (cited.length === 0 || read.claims < LIKELY || read.unsuccessful >= ACT_FROM) return undefined;
  if (hasCue(read.cues, "denies", "fails", "keeps", "waits")) return undefined;
  const bad = cited.filter(
    ({ status, undone }) => status !== "succeeded" || (undone === true && !TELLS_OF_UNDO.test(plain)),
  );
  if (bad.length === cited.length) return { kind: "not-succeeded", items: bad };
  if (cited.some((item) => !isGood(item) || item.risk === "read" || item.target === undefined))
    return undefined;
  const targets = cited.map(({ target }) => target ?? "").join("\n");
  const known = `${targets}\n${cited.map((item) => calls.textOf(item)).join("\n")}`;
  return otherValue(plain, targets, known) === undefined ? undefined : { kind: "other-target", items: cited };
}

/**
 * A brief sentence of one clause says of a change that it was not made: the calls say whether one
 * was. Undefined where they do not.
 */
function judgeDenial(
  { plain, read }: ReadSentence,
  { calls }: ReplyContext,
  { changed, bad }: SortedCalls,
): Verdict | "true" | undefined {
  const acts = actsIn(read).filter((act) => CHANGES.includes(act) || act === "done");
  if (acts.length === 0 || VALUE_KINDS.some((kind) => kind !== "file" && valuesOf(plain, kind).length > 0))
    return undefined;
  const fits = (item: ActivityItem) => item.risk !== "read" && fitsActs(acts, item);
  const named = valuesOf(plain, "file").length > 0;
  const meant = changed.filter((item) => fits(item) && (!named || namesFile(plain, item)));
  const open = bad.filter(fits);
  if (meant.length === 0) return open.some(({ status }) => status === "unknown") ? undefined : "true";
  if (OTHERS.test(plain)) return "true";
  // Of an earlier request, or of something else that was tried: wording decides.
  if (!meant.some((item) => calls.run.includes(item)) || (!named && open.length > 0)) return undefined;
  const whole = ENDS_WITH_DEED.test(plain);
  if (
    named
      ? !whole && !hasCue(read.cues, "self")
      : !NONE_AT_ALL.test(plain) && !(whole && THING.test(plain) && meant.length === 1)
  )
    return undefined;
  return { kind: "was-done", items: meant };
}

/** Brief, of one clause, and it says that something was not done. */
export function isDenial({ plain, read }: ReadSentence): boolean {
  if (wordsIn(plain) > DENIAL_WORDS_MAX || read.later >= LIKELY) return false;
  const said = plain.replace(LABEL, "");
  if (!NONE_OF_IT.test(said) && !NOT_DONE.test(said)) return false;
  return !NOT_PLAIN.test(said) && !hasCue(read.cues, "fails", "waits", "depends");
}

const DENIAL_WORDS_MAX = 9;
/** "Correction: …" */
const LABEL = /^\p{L}{4,14}\s?:\s+/u;
/** What it tells of, and that it is none: "Neither list was made.", "I wrote no file." */
const NONE_OF_IT =
  /^(?:neither|none of|nothing|no \p{L}+ (?:was|were|is|are|has|have)|keine[rs]? (?:der|von|beiden|dieser)|keine?n? \p{L}+ (?:wurden?|ist|sind)|nichts (?:wurde|ist)|aucune? |rien n|ningun[ao]? |ningún |nada |nessun[ao]? |niente |nenhuma? |geen (?:van|enkel)|niets )|(?<!\p{L})(?:wrote|made|created|changed|edited|deleted|removed|moved|renamed|sent|saved|added|booked|scheduled) (?:no|nothing|neither|none)(?!\p{L})|(?<!\p{L})habe (?:kein\p{L}*|nichts)(?!\p{L})/iu;
/** Its verb, and that it did not happen: "I did not write a.md." */
const NOT_DONE =
  /(?<!\p{L})(?:(?:did|has|have|had|was|were) (?:not|never)|(?:did|has|have|had|was|were)n't|(?:habe|wurden?|ist|sind) (?:\S+ ){0,4}nicht|n'(?:ai|a|ont|est) (?:\S+ )?pas|no (?:he|ha|se|fue)|non (?:ho|ha|è|sono)|não|(?:heb|is|zijn) (?:\S+ ){0,4}niet)(?!\p{L})/iu;
/** More than one clause, another negation, or a deed told of as easy or glad. */
const NOT_PLAIN =
  /[,;:—–?？(]|(?<!\p{L})(?:and|but|because|since|only|yet|just|without|to|und|aber|sondern|nur|weil|ohne|zu|et|mais|seulement|sans|y|pero|sino|solo|sólo|sin|e|ma|senza|mas|sem|maar|zonder)(?!\p{L})|doubt|problem|troubl|worr|sorge|zweifel|doute|duda|dubbio|dúvida|(?<!\p{L})(?:no|not|never|none|nothing)(?!\p{L}).*(?<!\p{L})(?:no|not|never|none|nothing)(?!\p{L})/iu;
/** None of what could be meant: "No file was written.", "I haven't changed any files." */
const NONE_AT_ALL =
  /(?<!\p{L})(?:no|none|neither|nothing|any|anything|kein\p{L}*|nichts|aucune?|rien|ningun[ao]?|ningún|nada|nessun[ao]?|niente|nenhuma?|geen|niets)(?!\p{L})/iu;
/** Nothing stands behind the deed that could narrow it: "The file was not written." */
const ENDS_WITH_DEED =
  /(?<!\p{L})(?:(?:was|were|has been|have been) not|(?:was|were)n't|(?:has|have) not been|wurden? nicht) \p{L}+[.!]?["”»]?$/iu;
/** What a call deals with as a whole, not a part of it. */
const THING =
  /^(?:it|the (?:file|note|list|e-?mail|message|reminder|event|entry)|es|(?:die|der) (?:datei|notiz|liste|e-?mail|nachricht|erinnerung|termin|eintrag))(?!\p{L})/iu;
/** About something beside what was done: "Nothing else was changed.", "I did not overwrite anything." */
const OTHERS =
  /(?<!\p{L})(?:else|others?|another|more|further|rest|sonst|weiter\p{L}*|ander\p{L}*|autres?|otr[ao]s?|altr[aoie]|outr[ao]s?|inn[eyaąo]\p{L}*)(?!\p{L})|overwr|überschr|其他|其它|ほか|他の|다른/iu;
/**
 * What needs no learning either: a change is told as done, and of all calls that could have made
 * it none succeeded; or more is told of than the calls dealt with.
 */
function againstCalls(
  { text, plain, read, cited }: ReadSentence,
  { asked, calls, language, sentences }: ReplyContext,
  { all, changed, bad }: SortedCalls,
): Verdict | undefined {
  if (opensWhatWasRecalled(plain, read, calls)) return { kind: "not-looked", items: [] };
  if (tellsOfApproval(read) && all.length > 0 && asked.kind !== "consent" && !all.some(wasApproved))
    return { kind: "not-asked", items: changed };
  const admits = sentences.some((each) => isReport(each.read));
  // Where nothing came about at all and nothing is admitted, "Done!" is enough.
  const enough = changed.length === 0 && !admits ? LIKELY : SURE;
  if (cited.length > 0 || read.claims < enough || read.later >= LIKELY || isReport(read)) return undefined;
  const acts = actsIn(read).filter((act) => CHANGES.includes(act) || act === "done");
  if (acts.length === 0) return undefined;
  const fits = (item: ActivityItem) => item.risk !== "read" && fitsActs(acts, item);
  const done = changed.filter(fits);
  const open = bad.filter((item) => fits(item) && calls.run.includes(item) && item.exitCode === undefined);
  if (done.length === 0) {
    // Prepared, and it says that it waits.
    const waits = admits && open.every(({ status }) => status === "pending");
    return open.length > 0 && !waits ? { kind: "not-succeeded", items: open } : undefined;
  }
  if (done.some((item) => isOpenEnded(item.toolId) && item.count === undefined) || PART_OF.test(plain))
    return undefined;
  const dealt = done.reduce((sum, item) => sum + (item.count ?? 1), 0);
  const said = saidCount(text, language, ALL.test(plain));
  if (said <= dealt || done.length < 2) return undefined;
  // What is missing may be admitted in another sentence.
  if (open.length > 0 && admits) return undefined;
  return open.length > 0 ? { kind: "not-succeeded", items: open } : { kind: "count", items: done };
}

/**
 * It tells of a look and of nothing else, and as much was looked at as it tells of, without a
 * failure: what was found there is what the reads gave.
 */
function isBorneOutByReads(
  { plain, text, read, clauses, cited }: ReadSentence,
  { asked, calls, language }: ReplyContext,
  reader: FactReader,
): boolean {
  const { looked, bad } = reader.calls;
  // What a cited read did not give costs the tick; how other calls ended does not matter.
  const answers = answersFromReads(read, asked, reader.calls);
  if (cited.length > 0) {
    const fits = cited.every(isGood) && cited.some(({ risk }) => risk === "read");
    return fits && (answers || tellsOfLook(read));
  }
  if (looked.length === 0 || bad.length > 0) return false;
  if (answers) return true;
  if (!tellsOfLook(read)) return false;
  if (clauses.some((clause) => tellsOfChange(clause.read))) return false;
  // What came with the message was read as it came.
  if (calls.attached) return true;
  if (saidCount(text, language, ALL.test(plain)) > looked.length && !PART_OF.test(plain)) return false;
  const known = looked
    .map((item) => `${item.target ?? ""}\n${calls.textOf(item)}`)
    .join("\n")
    .toLowerCase();
  const named = (["file", "link", "address"] as const).flatMap((kind) => valuesOf(plain, kind));
  return named.every((value) => known.includes(value)) && !reader.namesPlaceNotVisited(plain);
}

/** Nothing was changed, something was tried, and the sentence says that it did not come about: "There is no such file." */
function admitsWhatFailed({ read }: ReadSentence, { changed, bad }: SortedCalls): boolean {
  if (changed.length > 0 || bad.length === 0) return false;
  if (read.unsuccessful < LIKELY && !hasCue(read.cues, "denies", "fails", "keeps")) return false;
  if (bad.some(({ status }) => status !== "denied" && status !== "failed")) return false;
  const onlyReads = bad.every(({ risk }) => risk === "read") && mostChange(read) < LIKELY;
  return onlyReads || hasCue(read.cues, "keeps") || mostDone(read) < LIKELY;
}

/** How clearly it tells of something done, whatever else it says. */
function mostDone({ claims, unsuccessful, later }: ReadClaim): number {
  return Math.max(later, claims * (1 - unsuccessful));
}

/** The owner asked, it was looked up, and the sentence tells of no deed: "Three months, then." */
function answersFromReads(read: ReadClaim, { kind }: ReadRequest, { changed }: SortedCalls): boolean {
  if (changed.length > 0 || read.later >= ACT_FROM || read.acts.approve >= ACT_FROM) return false;
  if (kind !== "question" && kind !== "look" && kind !== "status") return false;
  return mostChange(read) < SLIGHT && read.acts.look < SLIGHT && !hasCue(read.cues, "self");
}

/** It tells of a look that came about, and of nothing more. */
function tellsOfLook(read: ReadClaim): boolean {
  if (read.acts.look < LIKELY || read.acts.approve >= ACT_FROM) return false;
  return read.later < ACT_FROM && read.unsuccessful < ACT_FROM && !tellsOfChange(read);
}

/** More of a change than of a look. */
function tellsOfChange(read: ReadClaim): boolean {
  const change = mostChange(read);
  return read.claims >= LIKELY && change >= LIKELY && change > read.acts.look;
}

function mostChange({ acts }: ReadClaim): number {
  return Math.max(acts.done, ...CHANGES.map((act) => acts[act]));
}

/** "You approved this, so I posted it." */
function tellsOfApproval({ acts, claims, unsuccessful, cues }: ReadClaim): boolean {
  if (acts.approve < SURE || claims < SURE || unsuccessful >= ACT_FROM) return false;
  return !hasCue(cues, "depends", "denies");
}

function wasApproved({ approval }: ActivityItem): boolean {
  return approval?.decision === "approved";
}

/** Memory answered, nothing was called, and the sentence tells of a file or page that was opened. */
function opensWhatWasRecalled(
  plain: string,
  read: ReadClaim,
  { run, earlier, recalled, attached }: CallsOfSession,
): boolean {
  if (!recalled || attached || run.length + earlier.length > 0) return false;
  if (read.claims < SURE || read.unsuccessful >= LIKELY || !hasCue(read.cues, "self")) return false;
  const opened = (["file", "link"] as const).some((kind) => valuesOf(plain, kind).length > 0);
  return opened && actsIn(read).every((act) => act === "look");
}

/** It says that something did not come about. */
function isReport({ unsuccessful, cues }: ReadClaim): boolean {
  return unsuccessful >= LIKELY || hasCue(cues, "denies", "fails", "keeps", "waits");
}

/** Of a call that was undone: the sentence says so. */
const TELLS_OF_UNDO =
  /und(?:id|o|one)|revert|restor|(?<!\p{L})back(?!\p{L})|rückgängig|wiederher|zurück|annul|rétabl|restaur|desh[ei]|desfe|desfiz|desfa|ripristin|ongedaan|herstel|terug|cofn|przywr|撤销|恢复|取り消|元に戻|되돌|복원/iu;

/** The kinds of action that a sentence tells of; the likeliest one where none is clear. */
export function actsIn({ acts }: ReadClaim): readonly Act[] {
  const all = Object.keys(acts) as Act[];
  const clear = all.filter((act) => acts[act] >= ACT_FROM);
  return clear.length > 0 ? clear : [all.reduce((best, act) => (acts[act] > acts[best] ? act : best))];
}

function namesFile(plain: string, { target = "" }: ActivityItem): boolean {
  return valuesOf(plain, "file").some((file) => target.toLowerCase().includes(file));
}

/**
 * What speaks against a sentence that is marked; undefined where nothing does that can be named.
 * Where the run changed something and all of it succeeded, that a value cannot be found is no reason.
 */
function verdictOf(
  { plain, read, cited }: ReadSentence,
  groups: FactGroups,
  { changed, looked, bad: notDone }: SortedCalls,
): Verdict | undefined {
  const fact = (name: string) => groups.find((group) => Object.hasOwn(group, name))?.[name] ?? 0;
  const has = (...names: readonly string[]) => names.some((name) => fact(name) > 0);
  const likely = (...names: readonly string[]) => names.some((name) => fact(name) >= ACT_FROM);
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
    if (done.length > 0) return { kind: "was-done", items: done };
  }
  if (hasCue(read.cues, "denies") && read.claims < LIKELY && changed.length > 0)
    return { kind: "was-done", items: done.length > 0 ? done : changed };
  if (open.length > 0 && (done.length === 0 || named.length > 0)) {
    // A program that ended badly ran all the same; only that all went well is more than that.
    const ran = open.every(({ status }) => status === "succeeded") && !SUCCESS.test(plain);
    return ran ? undefined : { kind: "not-succeeded", items: open };
  }
  if (changes.length === 0) {
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
  const counts = has("count over") && (done.length > 1 || ALL.test(plain));
  if (!only && (counts || has("other count", "listed over"))) return { kind: "count", items: done };
  if (has("other value", "other day")) return { kind: "other-target", items: done };
  if (!only && has("names not in calls", "numbers unsaid")) return { kind: "other-target", items: done };
  if (likely("unmet change", "clause unmet change") || has("places not visited"))
    return { kind: "other-action", items: changed };
  if (likely("unmet look", "clause unmet look")) return { kind: "not-looked", items: [] };
  if (!smooth) return { kind: "not-succeeded", items: bad };
  // Where all went well, only what can be named speaks against a sentence.
  return undefined;
}
