import type { ActivityItem } from "../tool/activity.ts";
import { detectLanguage, hasSmallWord, isLocale, type Language, type Locale } from "../request/language.ts";
import { readRequest, type ReadRequest } from "../request/read-request.ts";
import { citationsIn } from "./citations.ts";
import { cuesIn, denies, hasCue, isPlaced, without } from "./claim-features.ts";
import { ACTS, ClaimModel, type Act, type ReadClaim, type Weights } from "./claim-model.ts";
import { clausesOf } from "./clauses.ts";
import { deedsNamedIn, saysDone } from "./concepts.ts";
import type { FactSheet } from "./fact-sheet.ts";
import {
  ALL,
  CHANGES,
  ELSE,
  FactReader,
  NOTHING,
  SMOOTHLY,
  SUCCESS,
  UNSURE,
  type ReadSentence,
  type ReplyContext,
  type SortedCalls,
} from "./facts.ts";
import { isOtherRoom } from "./rooms.ts";
import { inPlace, type ReadDraft } from "./sentences.ts";
import { isGood, isLater, isNamed, type CallsOfSession } from "./session-calls.ts";
import { actsOf, fitsActs, isLook, isOpenEnded, tokensOf } from "./tool-acts.ts";
import { Trees, type PackedTrees } from "./trees.ts";
import { allValuesOf, isPartOf, numbersSaid, otherValue, pathsIn, saidCount, valuesOf } from "./values.ts";

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
 * replies are work on words, and a wrong mark costs more; most of all where words were asked for, or
 * where it is small talk. Chosen on labelled replies that training did not see.
 */
export const MARKED_FROM = { withCalls: 0.34, withoutCalls: 0.46, amongWords: 0.7, smallTalk: 0.9 } as const;
const MARKED_FROM_LEAST = Math.min(...Object.values(MARKED_FROM));
/** From here on the likeliest reason is enough where none is clear. */
const PLAINLY = 0.6;
/** A kind of action is told of from here on. */
export const ACT_FROM = 0.35;
/** Clear enough for code to compare. */
export const SURE = 0.8;
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
    const verdictOn = (sentence: ReadSentence, index: number): Verdict | undefined => {
      if (hasCalls(context)) {
        reader ??= new FactReader(context);
        const tried = tellsOfWhatWasTried(sentence, reader.calls);
        if (tried) return tried;
      }
      if (reader && isGoneIndeed(sentence.plain, reader.calls)) return undefined;
      if (reader && saysNotFound(sentence.plain, context.calls)) return undefined;
      if (reader && hasCue(sentence.read.cues, "denies")) {
        const denial = judgeDenial(sentence, context, reader);
        if (denial !== undefined) return denial === "true" ? undefined : denial;
      }
      if (!mayClaim(sentence, context)) return undefined;
      const cited = againstCited(sentence, context);
      if (cited) return cited;
      reader ??= new FactReader(context);
      const plainly = againstCalls(sentence, context, reader);
      if (plainly) return plainly;
      if (
        isBorneOutByCited(sentence, context) ||
        isBorneOutByReads(sentence, context, reader) ||
        admitsCited(sentence) ||
        tellsWhatOwnerDid(sentence) ||
        admitsWhatFailed(sentence, reader.calls) ||
        admitsUnknown(sentence, reader.calls) ||
        tellsOfPrepared(sentence, reader.calls) ||
        deniesWhatNobodyTried(sentence, reader.calls)
      )
        return undefined;
      const facts = reader.sheetOf(index);
      const sum = this.#decision.sumOf(facts);
      // Most are not reached at all, and nobody need know from where on such a sentence is marked.
      if (!this.#decision.isAtLeast(MARKED_FROM_LEAST, sum)) return undefined;
      if (!this.#decision.isAtLeast(markedFrom(sentence, context), sum)) return undefined;
      return verdictOf(sentence, facts, reader.calls, () => this.#decision.isAtLeast(PLAINLY, sum));
    };
    return context.sentences.map((sentence, index) => {
      const verdict = verdictOn(sentence, index);
      return verdict && tellsOfBefore(sentence, verdict, context) ? undefined : verdict;
    });
  }
}

/**
 * "Not committed was one line of it [c2]", where c3 committed it, and the reply says so with that
 * citation: what a cited look found is how it was then, and what was done after it is told beside it.
 */
function tellsOfBefore(
  sentence: ReadSentence,
  { kind, items }: Verdict,
  { sentences }: ReplyContext,
): boolean {
  const { cited } = sentence;
  if (kind !== "was-done" || cited.length === 0 || !cited.every(isGood)) return false;
  const since = items.filter((item) => !cited.includes(item));
  const isTold = (item: ActivityItem) =>
    sentences.some((other) => other !== sentence && other.cited.includes(item) && !isReport(other.read));
  return since.every(isTold) && since.some((item) => cited.every((look) => isLater(item, look)));
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
  const whole = draft.sentences.map(({ plain }) => plain).join(" ");
  const language = detectLanguage(whole, locale ?? "en");
  const mayBePortuguese = language === "pt" || language === "es";
  const all = [...calls.earlier, ...calls.run];
  const sentences = draft.sentences.map(({ text, plain, places }, index): ReadSentence => {
    const read = mayBePortuguese ? deniesInPortuguese(claims[index]!, plain, whole, request) : claims[index]!;
    const clauses = read.claims < CLAIMS_MIN ? [] : clausesOf(plain);
    return {
      text,
      plain,
      places,
      read,
      clauses: clauses.map((clause) => ({
        plain: clause,
        read: reader.readClause(placed[index]!, clause, read.cues),
      })),
      cited: citationsIn(text, all).known,
    };
  });
  let asked: ReadRequest | undefined;
  let handsOver: boolean | undefined;
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
    get handsOver() {
      handsOver ??= handsOverWords(request);
      return handsOver;
    },
  };
}

/** There "no" is "in the". A few words do not say which language it is: the request helps. */
function deniesInPortuguese(read: ReadClaim, plain: string, whole: string, request: string): ReadClaim {
  if (!hasCue(read.cues, "denies") || !plain.includes(" no ")) return read;
  if (denies(plain.replace(PORTUGUESE_NO, " "))) return read;
  if (detectLanguage(`${whole} ${request}`) !== "pt") return read;
  return { ...read, cues: without(read.cues, "denies") };
}

const PORTUGUESE_NO = /(?<!\p{L})no(?!\p{L})/giu;

function hasCalls({ calls }: Pick<ReplyContext, "calls">): boolean {
  return calls.run.length + calls.earlier.length > 0;
}

/** What no wording can make a claim: a question, markup that stands there as text, what a cited answer of the owner says. */
export function mayClaim({ text, plain, places, read, cited }: ReadSentence, context: ReplyContext): boolean {
  const called = hasCalls(context);
  // What denies a deed reads as no claim, and may be untrue all the same.
  if (read.claims < CLAIMS_MIN && !(called && hasCue(read.cues, "denies"))) return false;
  // "I see." after a denial: what is this brief must read as a claim to be taken for one.
  if (read.claims < ACT_FROM && !hasCue(read.cues, "denies") && wordsIn(plain) <= SMALL_TALK_WORDS_MAX)
    return false;
  if (/[?？]["”»)\]*_]*\s*$|<\/?[a-z][\w-]{0,20}(?:\s[^>]{0,200})?>/iu.test(plain)) return false;
  // Asked for words, it shows them: "I've fixed the bug in your function:". What went to others is more than words.
  if (
    !called &&
    isPlaced(places, "ends with a colon") &&
    isPlaced(places, "before code") &&
    context.asked.kind === "words" &&
    !TO_OTHERS.some((act) => read.acts[act] >= SURE)
  )
    return false;
  if (TO_DO.test(text) || PLACEHOLDER.test(text)) return false;
  if (!called && (endsSteps({ plain, places, read }, context) || FROM_OWNER.test(plain))) return false;
  if (repeatsAnswer(plain, context.calls)) return false;
  return cited.length === 0 || !cited.every(({ toolId }) => tokensOf(toolId)[0] === "owner");
}

function markedFrom(sentence: ReadSentence, context: ReplyContext): number {
  if (hasCalls(context)) return MARKED_FROM.withCalls;
  const { plain, read } = sentence;
  if (isSmallTalk(plain, read, context) || isOfTheirWords(sentence, context)) return MARKED_FROM.smallTalk;
  return isAmongWords(plain, read, context) ? MARKED_FROM.amongWords : MARKED_FROM.withoutCalls;
}

/** Words were asked for, or how something is done, and the sentence names nobody's deed and nothing outside. */
function isAmongWords(
  plain: string,
  read: ReadClaim,
  { asked, language, request }: Pick<ReplyContext, "asked" | "language" | "request">,
): boolean {
  const { kind } = asked;
  if (kind === "effect" || kind === "status" || kind === "consent" || read.later >= LIKELY) return false;
  if (namesSomething(plain)) return false;
  if (MADE_UP.test(request)) return true;
  return (kind === "words" || HOW.test(request)) && !tellsOfDeed(plain, read, language);
}

/** Its words say that the assistant did something, or that it is done; where a verb alone may say who did it, any deed does. */
function tellsOfDeed(plain: string, read: ReadClaim, language: Language): boolean {
  if (hasCue(read.cues, "self", "outside") || BY_NOW.test(plain)) return true;
  return !SAYS_I.has(language) && deedsNamedIn(plain, "done").length > 0;
}

const BY_NOW =
  /(?<!\p{L})(?:already|by now|bereits|schon|inzwischen|mittlerweile|déjà|ya|già|ormai|já|inmiddels|reeds|już|zaten)(?!\p{L})|已经|已經|すでに|既に|もう|이미|벌써/iu;

/** A box that is not ticked. */
const TO_DO = /^\s{0,8}(?:[-*+]|\d{1,3}[.)])\s+\[ \]\s/u;
/** Words that somebody else fills in: "We've sent it to {{email}}." */
const PLACEHOLDER = /\{\{\s?[\p{L}_][^{}\n]{0,40}\}\}/u;

/** Asked how to do something, it lists steps, and says what they lead to: "Your reminder is now saved." */
function endsSteps(
  { plain, places, read }: Pick<ReadSentence, "plain" | "places" | "read">,
  { request, language, sentences }: ReplyContext,
): boolean {
  if (!HOW.test(request) || isPlaced(places, "in a list")) return false;
  if (tellsOfDeed(plain, { ...read, cues: without(read.cues, "outside") }, language)) return false;
  const steps = sentences.filter((each) => isPlaced(each.places, "in a list")).length;
  return steps >= STEPS_MIN && !isPlaced(places, "first");
}

const STEPS_MIN = 2;

/** "According to what you pasted, the bank answered: …" */
const FROM_OWNER =
  /what you (?:pasted|wrote|sent|shared|said|told)|(?:laut|nach) dem,? was du (?:geschickt|geschrieben|eingefügt|gesagt)|ce que (?:tu (?:as|m'as)|vous (?:avez|m'avez)) (?:coll|écri|envoy|dit|partag)|lo que (?:pegaste|escribiste|enviaste|compartiste|dijiste|me (?:pasaste|mandaste))|quello che hai (?:incollato|scritto|mandato|detto)|o que (?:você )?(?:colou|escreveu|enviou|disse|mandou)|wat je (?:plakte|schreef|stuurde|deelde|zei)|tego,? co (?:wkleił|napisał|wysłał|podał)|(?:贴|发|粘贴)的(?:内容|文字|文本)|貼(?:って|り)|붙여 ?넣|yapıştırdığın|gönderdiğin/iu;

/** A request for something to enjoy: whoever speaks in it is not the assistant. */
const MADE_UP =
  /(?<!\p{L})(?:joke|riddle|poem|limerick|haiku|lyrics|fairy ?tale|(?:short|bedtime) stor|witz|rätsel|gedicht|geschichte|märchen|blague|devinette|poème|conte(?!\p{L})|histoire|chiste|adivinanza|poema|cuento|barzellett|indovinell|poesia|racconto|filastrocca|piada|charada|conto(?!\p{L})|mop(?!\p{L})|grap(?!\p{L})|raadsel|verhaal|żart|dowcip|zagadk|wiersz|bajk|şaka|fıkra|bilmece|şiir|hik[aâ]ye|masal|role.?play|pretend|act as|rollenspiel|spiel(?:e)? (?:eine?n?|den|die|das|mal)(?!\p{L})|tu (?:sei|sois)(?!\p{L})|joue le rôle|haz de|actúa como|fai finta|finge|faz de conta|doe alsof|udawaj)|冗談|ジョーク|なぞなぞ|物語|俳句|笑话|谜语|谜|故事|诗|농담|수수께끼|이야기/iu;
/** A question about how something is done. */
const HOW =
  /(?<!\p{L})(?:how (?:do|does|can|would|to)(?!\p{L})|wie (?:kann|stell|mach|funktioniert|geht|man|richte|bekomm)|comment (?:on|je|faire|fonctionne|puis|marche|configur|install|activ|chang|cré|supprim|utilis)|cómo (?:se|hag|hac|puedo|func|config|activ|cambi|elimin|cre|instal|us)|como (?:faço|fazer|se|funciona|posso|é que)|come (?:si|faccio|funziona|posso)|hoe (?:kan|werkt|moet|stel|doe|maak|zet)|jak (?:się|mogę|zrobi|działa|ustawi|włącz|usun|zmieni|zainstal))|怎么|如何|怎样|どうやって|方法|어떻게|nasıl/iu;

/**
 * Nothing was called and nothing was asked for that would need a call: a brief sentence that names
 * neither the assistant nor anything outside tells of something else ("They shine at night.").
 * Only for languages that say "I"; where a verb alone says who did it, wording decides.
 */
function isSmallTalk(
  plain: string,
  read: ReadClaim,
  { asked, language, request }: Pick<ReplyContext, "asked" | "language" | "request">,
): boolean {
  if (asked.kind === "effect" || asked.kind === "look" || asked.kind === "status") return false;
  if (!SAYS_I.has(language) || read.later >= LIKELY) return false;
  if (wordsIn(plain) > SMALL_TALK_WORDS_MAX) return false;
  // Where no word tells the language and not all letters are those of English, it is only a guess.
  if (FOREIGN.test(plain) && !hasSmallWord(`${plain} ${request}`, language)) return false;
  // "All three are in order now": nothing was ordered.
  const cues = IN_ORDER.test(plain) ? cuesIn(plain.replace(IN_ORDER, " ")) : read.cues;
  return !hasCue(cues, "self", "outside", "fails", "waits") && allValuesOf(plain).length === 0;
}

/** A letter that English does not have. */
const FOREIGN = /(?![a-z])\p{L}/iu;
const IN_ORDER = /(?<!\p{L})in (?:\p{L}+ )?order(?!\p{L})/iu;

/** Nothing was called, and the sentence tells of a look at what the owner put into the message: "I checked it: 183." */
function isOfTheirWords(
  { plain, read }: Pick<ReadSentence, "plain" | "read">,
  context: ReplyContext,
): boolean {
  if (read.acts.look < ACT_FROM || read.later >= ACT_FROM || read.acts.look <= mostChange(read)) return false;
  const { kind } = context.asked;
  if (kind === "effect" || kind === "look" || kind === "consent") return false;
  return !hasCue(read.cues, "outside") && !namesSomething(plain) && context.handsOver;
}

function namesSomething(text: string): boolean {
  return NAMED.some((kind) => valuesOf(text, kind).length > 0);
}

/** What it is about stands in the request itself, and nothing outside does. */
function handsOverWords(request: string): boolean {
  return MATERIAL.test(request) && !hasCue(cuesIn(request), "outside") && !namesSomething(request);
}

/** A request that hands something over: behind a colon, on lines of its own, in quotes, or as a sum. */
const MATERIAL = /:(?=\s|$)|[：\n"“„«「『`]|\d\s?[+×x*/=−-]\s?\d/u;

/** "Blue it is.", after the owner was asked for a colour and said blue: a few words that name no deed. */
function repeatsAnswer(plain: string, calls: CallsOfSession): boolean {
  const answers = calls.run.filter(({ toolId }) => tokensOf(toolId)[0] === "owner");
  if (answers.length === 0 || wordsIn(plain) > SMALL_TALK_WORDS_MAX || deedsNamedIn(plain).length > 0)
    return false;
  const said = answers
    .map((item) => calls.textOf(item))
    .join("\n")
    .toLowerCase();
  const words = plain.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return words.length > 0 && words.every((word) => said.includes(word));
}

function wordsIn(plain: string): number {
  return plain.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

const SMALL_TALK_WORDS_MAX = 6;
const SAYS_I: ReadonlySet<Language> = new Set(["en", "de", "fr", "nl"]);

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
 * What needs no learning either: a change is told as done, and of all calls that could have made
 * it none succeeded; or more is told of than the calls dealt with.
 */
function againstCalls(
  sentence: ReadSentence,
  { asked, calls, language, request, sentences }: ReplyContext,
  reader: FactReader,
): Verdict | undefined {
  const { text, plain, read, cited } = sentence;
  const { all, changed, bad } = reader.calls;
  if (opensWhatWasRecalled(plain, read, calls)) return { kind: "not-looked", items: [] };
  if (promisesReminder(plain, read) && !changed.some(wakesLater)) return { kind: "promise", items: [] };
  if (wasOnlyDoneForOther(sentence, asked, calls, reader))
    return { kind: read.later >= LIKELY ? "promise" : "no-call", items: [] };
  if (looksElsewhere(sentence, request, reader)) return { kind: "not-looked", items: [] };
  if (all.length === 0 && readsWhatWasAsked(sentence, { calls, request }))
    return { kind: "not-looked", items: [] };
  if (changed.length === 0 && tellsOfMemory(sentence, asked)) return NO_CALL;
  if (sendsDraft(sentence, changed)) return { kind: "other-action", items: changed };
  if (tellsOfApproval(read) && all.length > 0 && asked.kind !== "consent" && !all.some(wasApproved))
    return { kind: "not-asked", items: changed };
  const admits = sentences.some((each) => isReport(each.read));
  // Where nothing came about at all and nothing is admitted, "Done!" is enough.
  const enough = changed.length === 0 && !admits ? LIKELY : SURE;
  if (cited.length > 0 || read.claims < enough || read.later >= LIKELY || isReport(read)) return undefined;
  const acts = actsIn(read).filter((act) => CHANGES.includes(act) || act === "done");
  if (acts.length === 0) return undefined;
  if (all.length === 0) return tellsOfWhatWasAsked(plain, read, asked, request) ? NO_CALL : undefined;
  const fits = (item: ActivityItem) => item.risk !== "read" && fitsActs(acts, item);
  const done = changed.filter(fits);
  const open = bad.filter((item) => fits(item) && calls.run.includes(item) && item.exitCode === undefined);
  if (namesOtherFile(plain, read, changed, calls)) return { kind: "other-target", items: changed };
  if (done.length === 0) {
    // Prepared, and it says that it waits.
    const waits = admits && open.every(({ status }) => status === "pending");
    return open.length > 0 && !waits ? { kind: "not-succeeded", items: open } : undefined;
  }
  const isElsewhere = ({ target = "" }: ActivityItem) => isOtherRoom(plain, target);
  if (read.acts.control >= ACT_FROM && done.every(isElsewhere)) return { kind: "other-target", items: done };
  const [only] = done;
  if (
    only &&
    changed.length === 1 &&
    NAMED.every((kind) => valuesOf(`${plain} ${only.target ?? ""}`, kind).length === 0)
  )
    if (reader.namesAnother(plain, done)) return { kind: "other-target", items: done };
  if (only && changed.length === 1 && isMissingUnspaced(plain, only) && !reader.isAbout(only, plain))
    return { kind: "other-target", items: done };
  if (done.some((item) => isOpenEnded(item.toolId) && item.count === undefined) || isPartOf(plain))
    return undefined;
  const dealt = done.reduce((sum, item) => sum + (item.count ?? 1), 0);
  const said = saidCount(text, language, ALL.test(plain));
  // One call may deal with many, unless it says with how many.
  const isCounted = done.length > 1 || done[0]?.count !== undefined;
  const listsMore = (done.length > 1 || acts.some(isOfOneEach)) && reader.listsMore(plain, done);
  // "The office is at 17": a number of what they were about counts nothing.
  const isTheirs = numbersSaid(done.map(({ target }) => target ?? "").join("\n"), language).includes(said);
  if (!listsMore && (said <= dealt || !isCounted || isTheirs)) return undefined;
  // What is missing may be admitted in another sentence.
  if (open.length > 0 && admits) return undefined;
  return open.length > 0 ? { kind: "not-succeeded", items: open } : { kind: "count", items: done };
}

/**
 * Files, links or addresses are told of as dealt with, and of the calls about each of them none
 * succeeded. Words for deeds and outcomes of calls say this alone: what training made of the
 * sentence does not matter.
 */
function tellsOfWhatWasTried({ plain, read }: ReadSentence, { bad, good }: SortedCalls): Verdict | undefined {
  if (bad.length === 0 || OWNER_FIRST.test(plain) || QUESTION.test(plain) || TELLS_OF_UNDO.test(plain))
    return undefined;
  const isGone = GONE.test(plain);
  const isDenied = hasCue(read.cues, "denies") && !isGone && denies(plain.replace(SMOOTHLY, " "));
  if (isDenied || hasCue(read.cues, "fails", "waits", "depends")) return undefined;
  const named = NAMED.flatMap((kind) => valuesOf(plain, kind));
  if (named.length === 0) return undefined;
  const rest = named.reduce((text, value) => text.replaceAll(value, " "), plain.toLowerCase());
  // "c.txtを書きました": a verb may follow without a space.
  const told = deedsNamedIn(rest.replace(BEFORE_SPACELESS, " "), "done") as Act[];
  const deeds: readonly Act[] = isGone ? ["delete"] : told;
  if (deeds.length === 0) return undefined;
  const isAbout = ({ target = "" }: ActivityItem, value: string) => target.toLowerCase().includes(value);
  // A look at it is no change of it.
  const changes = deeds.some((deed) => CHANGES.includes(deed));
  if (good.some((item) => (!changes || item.risk !== "read") && named.some((value) => isAbout(item, value))))
    return undefined;
  const tried = bad.filter((item) => item.exitCode === undefined && fitsActs(deeds, item));
  return named.every((value) => tried.some((item) => isAbout(item, value)))
    ? { kind: "not-succeeded", items: tried.filter((item) => named.some((value) => isAbout(item, value))) }
    : undefined;
}

/** "`a.md` is no longer there": said with a "no", and told as deleted all the same. */
const GONE =
  /no longer (?:there|exists?|in)|(?:is|are) gone|(?:gibt es|existier\p{L}*|ist|sind) (?:\p{L}+ )?nicht mehr(?: da)?[.!]|n'(?:existe|est) plus|n'y a plus|ya no (?:está|existe|hay)|non (?:c'è|esiste|ci sono) più|(?:já )?não existe(?:m)? mais|já não (?:existe|está)|bestaat niet meer|is er niet meer|już nie (?:ma|istnieje)|nie ma (?:już|śladu)|もう(?:ありません|ない|存在しません)|(?:已经|已經|现在)?(?:没有了|不存在了|没了)|(?:이제|더 이상) 없|artık yok/iu;

/** "There is no such file.", after a look in this run that failed: it denies nothing that was done before. */
function saysNotFound(plain: string, { run }: CallsOfSession): boolean {
  if (!NOT_FOUND.test(plain) || deedsNamedIn(plain, "done").length > 0) return false;
  return run.some(({ risk, status }) => risk === "read" && status === "failed");
}

const NOT_FOUND =
  /no such (?:file|folder|page|note|entry)|(?:does not|doesn't) exist|(?:gibt es|existiert) (?:\p{L}+ )?nicht[.!]?$|keine solche (?:datei|seite|notiz)|n'existe pas|no existe|non esiste|não existe|bestaat niet|nie istnieje|不存在|存在しません|존재하지 않/iu;

/** What it tells as gone was deleted. */
function isGoneIndeed(plain: string, { changed }: SortedCalls): boolean {
  if (changed.length === 0 || !GONE.test(plain)) return false;
  const named = NAMED.flatMap((kind) => valuesOf(plain, kind));
  const deleted = changed.filter((item) => fitsActs(["delete"], item));
  return (
    named.length > 0 &&
    named.every((value) => deleted.some(({ target = "" }) => target.toLowerCase().includes(value)))
  );
}

const BEFORE_SPACELESS =
  /(?<=[a-z0-9])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])/gu;
const QUESTION = /[?？]["”»)\]*_]*\s*$/u;

/** Each call of such a kind deals with one; what is made can be for several. */
function isOfOneEach(act: Act): boolean {
  return act === "send" || act === "pay" || act === "delete" || act === "move";
}

const NO_CALL: Verdict = { kind: "no-call", items: [] };

/** The owner asked for a change to a file or an address, nothing at all was called, and the sentence names that very one. */
function tellsOfWhatWasAsked(plain: string, read: ReadClaim, asked: ReadRequest, request: string): boolean {
  if (asked.kind !== "effect" || hasCue(read.cues, "denies", "depends", "fails", "waits")) return false;
  const wanted = new Set(NAMED.flatMap((kind) => valuesOf(request, kind)));
  return NAMED.some((kind) => valuesOf(plain, kind).some((value) => wanted.has(value)));
}

const NAMED = ["file", "link", "address"] as const;

/** Told as sent, and all that the calls left is drafts. */
function sendsDraft({ read, cited }: ReadSentence, changed: readonly ActivityItem[]): boolean {
  if (changed.length === 0 || cited.length > 0 || read.claims < SURE || read.acts.send < LIKELY) return false;
  if (read.later >= LIKELY || isReport(read) || hasCue(read.cues, "depends")) return false;
  if (read.acts.draft >= ACT_FROM) return false;
  return changed.every(({ toolId }) => actsOf(toolId)?.has("draft"));
}

/** The owner named a page or a file and gave nothing of it, nothing was called, and the sentence tells of having read it. */
function readsWhatWasAsked(
  { plain, read }: ReadSentence,
  { calls, request }: Pick<ReplyContext, "calls" | "request">,
): boolean {
  if (calls.attached || calls.recalled || read.claims < SURE || read.later >= ACT_FROM) return false;
  if (read.unsuccessful >= ACT_FROM || read.acts.look < LIKELY || mostChange(read) > read.acts.look)
    return false;
  if (hasCue(read.cues, "denies", "depends", "fails", "waits") || OWNER_FIRST.test(plain)) return false;
  const named = [...valuesOf(request, "link"), ...valuesOf(request, "file")];
  return named.length > 0 && !MATERIAL.test(request.replaceAll(/https?:\/\/\S+/giu, " "));
}

/** It tells of what Elwood remembers from now on; without a note it forgets. */
function tellsOfMemory({ plain, read }: ReadSentence, { kind }: ReadRequest): boolean {
  if (read.claims < SURE || kind === "question") return false;
  if (Math.max(read.acts.write, read.acts.schedule) < LIKELY) return false;
  if (read.unsuccessful >= ACT_FROM || hasCue(read.cues, "denies", "depends", "fails")) return false;
  return IN_MEMORY.test(plain);
}

const IN_MEMORY =
  /(?<!\p{L})(?:to|in|into) (?:my |the |long-term )?memory(?!\p{L})|(?:im|ins|mein\p{L}*) gedächtnis|en (?:ma |la )?mémoire|(?:en|a) (?:mi |la )?memoria|(?:in|nella mia|alla) memoria|na (?:minha )?memória|(?:in|aan) (?:het|mijn) geheugen|w pamięci|do pamięci|记忆|記憶し|메모리에|기억해|hafıza/iu;

/**
 * A sentence says flatly of a change that it was not made: "I wrote no file.", "`a.md` was not
 * written.", "Neither list was made." The calls of the run say whether it was; undefined where they
 * do not. What says more than that ("I did not change the title of a.md") is left to learning.
 */
function judgeDenial(
  sentence: ReadSentence,
  { asked, calls, request, sentences }: ReplyContext,
  reader: FactReader,
): Verdict | "true" | undefined {
  const { plain, read } = sentence;
  const { changed, bad } = reader.calls;
  const said = plain.replace(LABEL, "").replace(ANSWER, "");
  const clause = said.split(/[,;:，；：]|\s[–—]\s/u, 1)[0]!;
  if (!denies(clause.replace(SMOOTHLY, " ")) || UNSURE.test(clause) || EXISTS.test(clause)) return undefined;
  const { acts, cues, later } = readOf(clause, sentence);
  if (hasCue(cues, "waits") || later >= LIKELY) return undefined;
  if (hasCue(cues, "depends") && !COULD_NOT.test(clause)) return undefined;
  // Another clause may claim something.
  const isTrue = clause === said && !ALSO_DID.test(clause) ? "true" : undefined;
  if ([ELSE, OVERWRITES, NEEDS].some((words) => words.test(clause)))
    return read.claims < LIKELY && bad.length === 0 ? isTrue : undefined;
  const told = changeIn(clause, acts);
  const touched = TOUCHED.test(clause);
  if (told === undefined && !touched) return undefined;
  const fits = (item: ActivityItem) =>
    item.risk !== "read" && (touched || told === undefined || fitsActs([told], item));
  const open = bad.filter(fits);
  // "Nothing was pushed" where something was committed.
  const withoutNames = changed.reduce(
    (text, { target }) => (target ? text.replaceAll(target, " ") : text),
    clause,
  );
  const made = reader.namesDeedNotMade(withoutNames)
    ? []
    : changed.filter((item) => item.undone !== true && fits(item));
  // A file is named by its path, or by the end of it.
  const files = valuesOf(clause, "file");
  const named = made.filter(({ target = "" }) => {
    const name = clause.includes(target) ? target : files.find((file) => target.toLowerCase().includes(file));
    if (target === "" || name === undefined) return false;
    return wordsIn(clause) - wordsIn(name) <= DENIAL_WORDS_MAX;
  });
  // Of an earlier run where the owner asks about it: "Did you send it?"
  const asks = asked.kind === "status" || asked.ofYou === true || /[?？]/u.test(request);
  const ofThisRun = (items: readonly ActivityItem[]): Verdict | undefined =>
    asks || items.some((item) => calls.run.includes(item)) ? { kind: "was-done", items } : undefined;
  if (named.length > 0) return ofThisRun(named);
  const askedFor =
    asks && open.length === 0 ? made.filter((item) => isNamed(`${request} ${clause}`, item)) : [];
  if (askedFor.length > 0 && wordsIn(clause) <= BRIEF_WORDS_MAX) return { kind: "was-done", items: askedFor };
  // They ask about somebody whom none of those calls was about.
  const isOfOther = (item: ActivityItem) => !calls.run.includes(item) && !isNamed(request, item);
  if (asks && made.length > 0 && made.every(isOfOther) && NAMES_SOMEBODY.test(request)) return isTrue;
  const namesMade = made.some((item) => namesFile(clause, item));
  if (made.length === 0 || (files.length > 0 && !namesMade))
    return open.some(({ status }) => status === "unknown") || wordsIn(clause) > BRIEF_WORDS_MAX
      ? undefined
      : isTrue;
  if (open.length > 0) return undefined;
  if (couldNotDoWhatWasAsked(clause, sentence, { asked, calls, request, sentences }, made))
    return { kind: "was-done", items: made };
  if (wordsIn(clause) > GENERAL_WORDS_MAX) return undefined;
  const general =
    NOTHING.test(clause) || NONE_OF.test(clause) || (made.length === 1 && THE_FILE.test(clause));
  return general ? ofThisRun(made) : undefined;
}

/**
 * One thing was asked for, one call did it, and the reply says that it could not be done, and tells
 * of nothing else: "I couldn't start the dishwasher: its door is open."
 */
function couldNotDoWhatWasAsked(
  clause: string,
  sentence: ReadSentence,
  { asked, calls, request, sentences }: Pick<ReplyContext, "asked" | "calls" | "request" | "sentences">,
  made: readonly ActivityItem[],
): boolean {
  if (asked.kind !== "effect" || asked.negated || !COULD_NOT.test(clause) || clausesOf(request).length > 0)
    return false;
  const changing = calls.run.filter(({ risk }) => risk !== "read");
  if (changing.length !== 1 || made.length !== 1 || changing[0] !== made[0]) return false;
  const tellsOfMore = sentences.some(
    (each) => each !== sentence && each.read.claims >= LIKELY && !isReport(each.read),
  );
  return !tellsOfMore && !tellsOfDeedBeside(sentence.clauses);
}

/** How a clause of a sentence reads, where it was read for itself. */
function readOf(clause: string, { plain, read, clauses }: ReadSentence): ReadClaim {
  if (clause === plain) return read;
  return clauses.find((each) => clause.startsWith(each.plain))?.read ?? read;
}

/** A capital within a sentence. */
const NAMES_SOMEBODY = /(?<=[^.!?:\s"„“«]\s)\p{Lu}\p{Ll}{2,}/u;
/** "No, …": what follows says what is denied. */
const ANSWER =
  /^(?:no|nope|yes|yep|right|correct|nein|ja|doch|non|oui|si|sí|sì|não|sim|nee|nie|tak|ne|ano|nej|jo|hayır|evet|いいえ|いえ|はい|没有|不|不是|是的|아니요|아니오|네|예)(?:[,.!，、。！]\s*|:\s+)(?=\S)/iu;
/** "I didn't touch it": any change speaks against that. */
const TOUCHED =
  /(?<!\p{L})touch|(?:did|do|done)(?:n't| not)? (?:do )?anything (?:with|to)|angefasst|angerührt|(?<!\p{L})touché|toc(?:ado|ué|ada)(?!\p{L})|toccat|(?<!\p{L})mexi(?!\p{L})|aangeraakt|(?<!\p{L})rört(?!\p{L})|dokunma|nedotk|rusza[łl]|动过|碰过|触って|いじって|건드/iu;
/** "Correction: …" */
const LABEL = /^\p{L}{4,14}\s?:\s+/u;
/** A second deed in the same clause. */
const ALSO_DID = /(?<!\p{L})(?:and|but|und|aber|sondern|et|mais|pero|sino|ma|mas|maar|ale)(?!\p{L})/iu;

/** The one kind of change that a clause tells of: as it reads, or by its words. What nobody did is told of in words for what was done. */
function changeIn(clause: string, acts: ReadClaim["acts"]): Act | undefined {
  const isPast = DID.test(clause) || COULD_NOT.test(clause);
  const named = deedsNamedIn(clause);
  const [deed, ...others] = isPast ? named : deedsNamedIn(clause, "done");
  if (named.length > 0 && deed === undefined) return undefined;
  const top = CHANGES.reduce((best, act) => (acts[act] > acts[best] ? act : best));
  if (acts[top] >= SLIGHT_ACT && acts[top] >= acts.look) return top;
  return others.length === 0 ? CHANGES.find((act) => act === deed) : undefined;
}

const DID = /(?<!\p{L})did(?:n't)?(?!\p{L})|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/iu;
const SLIGHT_ACT = 0.3;
/** Beside the name of what was done. */
const DENIAL_WORDS_MAX = 5;
const GENERAL_WORDS_MAX = 6;
const BRIEF_WORDS_MAX = 9;
const NONE_OF =
  /(?<!\p{L})(?:neither|nor|weder|none|(?:no|any|keine?|geen) (?:files?|notes?|messages?|e-?mails?|events?|lists?|datei(?:en)?|notiz(?:en)?|nachrichten?|mails?|termine?|listen?|bestand(?:en)?)|keine[rs]? (?:der|von|beiden|dieser)|ni l'une?|ninguno de|nessuno dei|nenhum dos|geen van|żaden z)(?!\p{L})/iu;
const THE_FILE =
  /(?<!\p{L})(?:the (?:file|note|message|e-?mail)|die (?:datei|notiz|nachricht|mail)|le fichier|la note|el archivo|la nota|il file|o arquivo|het bestand)(?!\p{L})/iu;
/** "Could" that speaks of what was, not of what might be. */
const COULD_NOT =
  /could(?:n't| not)|(?<!\p{L})konnte|n'ai pas pu|no (?:pude|se pudo)|non (?:ho potuto|sono riuscit)|não (?:consegui|pude)|(?<!\p{L})kon(?!\p{L})|nie (?:udało|mogł)/iu;
const NEEDS =
  /(?<!\p{L})(?:need|must|should|ha[sd] to|have to|muss|müss|brauch|sollt|faut|doit|debe|hay que|hace falta|deve|bisogna|precisa|moet|hoeft|trzeba|musi)/iu;
const EXISTS =
  /exist|(?<!\p{L})there(?!\p{L})|f(?:ou|i)nd|vorhanden|gefunden|(?<!\p{L})gab(?!\p{L})|trouv|encontr|trov|gevonden|istni/iu;
/** That nothing was lost or replaced is no denial of what was written. */
const OVERWRITES =
  /overw|replac|überschr|ersetz|écras|remplac|sobrescr|reemplaz|sovrascr|sostitu|substitu|overschr|vervang|nadpis|zastąp|覆盖|替换|上書|置き換|덮어|바꾸/iu;

/**
 * A change is told of that names the files of calls, and none of the files that it names is one of
 * theirs, or stands in what they were given and gave back.
 */
function namesOtherFile(
  plain: string,
  { acts }: ReadClaim,
  changed: readonly ActivityItem[],
  calls: CallsOfSession,
): boolean {
  const files = valuesOf(plain, "file");
  const namesIn = files.length > 0 ? (text: string) => valuesOf(text, "file") : pathsIn;
  const named = files.length > 0 ? files : pathsIn(plain);
  if (named.length === 0 || changed.length === 0 || acts.look >= LIKELY || acts.move >= ACT_FROM)
    return false;
  if (changed.some(({ target = "", toolId }) => namesIn(target).length === 0 || makesOther(toolId)))
    return false;
  const known = [...calls.earlier, ...calls.run]
    .map((item) => `${item.target ?? ""}\n${calls.textOf(item)}`)
    .join("\n")
    .toLowerCase();
  return named.every((file) => !known.includes(file));
}

/** What it leaves behind has another name than what it was given. */
function makesOther(toolId: string): boolean {
  return isOpenEnded(toolId) || fitsActs(["move", "run", "send"], { toolId, risk: "write" });
}

/**
 * It cites calls that changed something, and names what they changed and nothing else: with files,
 * memory and programs any verb about that will do.
 */
function isBorneOutByCited(
  { plain, text, read, clauses, cited }: ReadSentence,
  { calls }: ReplyContext,
): boolean {
  if (cited.length === 0 || read.unsuccessful >= ACT_FROM || read.later >= ACT_FROM) return false;
  if (hasCue(read.cues, "denies", "fails", "waits")) return false;
  if (!cited.every((item) => isGood(item) && isOwn(item.toolId) && item.target !== undefined)) return false;
  if (!cited.some(({ risk }) => risk !== "read")) return false;
  const reads = [read, ...clauses.map((clause) => clause.read)];
  if (
    reads.some(({ acts }) =>
      ELSEWHERE.some((act) => acts[act] >= ACT_FROM && !cited.some((item) => fitsActs([act], item))),
    )
  )
    return false;
  const known = cited
    .map((item) => `${item.target ?? ""}\n${calls.textOf(item)}`)
    .join("\n")
    .toLowerCase();
  return (
    cited.every((item) => text.includes(item.target ?? "") || namesFile(plain, item)) &&
    allValuesOf(plain).every((value) => known.includes(value))
  );
}

function isOwn(toolId: string): boolean {
  return ["file", "memory", "shell", "program"].includes(tokensOf(toolId)[0] ?? "");
}

/** What no file or program of the owner's can be about. */
const ELSEWHERE: readonly Act[] = ["send", "pay", "schedule", "look", "approve", "delete", "move", "control"];

/**
 * It tells of a look and of nothing else, and as much was looked at as it tells of, without a
 * failure: what was found there is what the reads gave.
 */
function isBorneOutByReads(
  sentence: ReadSentence,
  { asked, calls, language }: ReplyContext,
  reader: FactReader,
): boolean {
  const { plain, text, read, clauses, cited } = sentence;
  const { looked, bad } = reader.calls;
  const isKnown = () =>
    NAMED.every((kind) => valuesOf(plain, kind).every((value) => names(reader.lookedText, value)));
  // What a cited read did not give costs the tick; how other calls ended does not matter.
  const answers = answersFromReads(read, asked, reader.calls);
  if (cited.length > 0) {
    const fits = cited.every(isGood) && cited.some(({ risk }) => risk === "read");
    return fits && (answers || tellsOfLook(read) || tellsOfState(sentence, asked, reader.calls));
  }
  if (looked.length === 0 || bad.length > 0) return false;
  if (answers) return isKnown() || looked.every(({ target }) => target === undefined);
  if (!tellsOfLook(read) || mostChange(read) >= LIKELY) return false;
  if (clauses.some((clause) => tellsOfChange(clause.read))) return false;
  // What came with the message was read as it came.
  if (calls.attached) return true;
  const isAll = ALL.test(plain);
  // What a search found is many: "two messages from the school" does not count looks.
  const countsLooks = isAll || !looked.some(({ toolId }) => findsMany(toolId));
  if (countsLooks && saidCount(text, language, isAll) > looked.length && !isPartOf(plain)) return false;
  return isKnown() && !reader.namesPlaceNotVisited(plain);
}

/** Whether a text has this name, and not only as the end of another: "acme.org" is not "blog.acme.org". */
function names(known: string, name: string): boolean {
  for (let at = known.indexOf(name); at >= 0; at = known.indexOf(name, at + 1))
    if (!ENDS_IN_NAME.test(known.slice(Math.max(0, at - 5), at))) return true;
  return false;
}

const ENDS_IN_NAME = /(?:[\p{L}\p{N}_-]|(?<!(?<![\p{L}\p{N}.-])www)\.)$/u;

function findsMany(toolId: string): boolean {
  return FINDS_MANY.has(tokensOf(toolId).at(-1) ?? "");
}

const FINDS_MANY: ReadonlySet<string> = new Set([
  "search",
  "list",
  "query",
  "find",
  "browse",
  "grep",
  "glob",
  "history",
]);

/** Nothing was changed, something was tried, and the sentence says that it did not come about: "There is no such file." */
function admitsWhatFailed({ plain, read }: ReadSentence, { changed, bad }: SortedCalls): boolean {
  if (changed.length > 0 || bad.length === 0) return false;
  if (read.unsuccessful < LIKELY && !hasCue(read.cues, "denies", "fails", "keeps")) return false;
  if (bad.some(({ status }) => status !== "denied" && status !== "failed")) return false;
  // "I went through your inbox: nothing from them." says that the look came about.
  if (read.claims >= SURE && read.acts.look >= SURE && tellsOfLook(read) && !hasCue(read.cues, "fails"))
    return false;
  const onlyReads = bad.every(({ risk }) => risk === "read");
  if (onlyReads && (mostChange(read) < LIKELY || !namesChange(plain))) return true;
  return hasCue(read.cues, "keeps") || mostDone(read) < LIKELY;
}

/** One of its words says that something was changed or dealt with. */
function namesChange(plain: string): boolean {
  return saysDone(plain) || deedsNamedIn(plain, "done").some((deed) => deed !== "look");
}

/** All that did not come about waits for the owner, and the sentence says that it is prepared. */
function tellsOfPrepared({ plain, read }: ReadSentence, { bad, changed }: SortedCalls): boolean {
  if (bad.length === 0 || changed.length > 0 || !bad.every(({ status }) => status === "pending"))
    return false;
  return PREPARED.test(plain) && read.later < LIKELY && !saysDone(plain);
}

const PREPARED =
  /(?<!\p{L})(?:prepared|set up|ready|vorbereitet|bereit|préparé|prête?s?(?!\p{L})|preparad|list[oa]s?(?!\p{L})|preparat|pront[oaie](?!\p{L})|klaargezet|voorbereid|przygotowa|gotow|hazır)|準備|準備完了|已准备|已備好|准备好|준비/iu;

/** What came of a call is not known, and the sentence says so: "Whether it went out is unclear." */
function admitsUnknown({ plain, clauses }: ReadSentence, { bad }: SortedCalls): boolean {
  return bad.some(({ status }) => status === "unknown") && UNSURE.test(plain) && !tellsOfDeedBeside(clauses);
}

/** Nothing was changed or tried in vain, and the sentence says so: "I read nothing else and sent nothing." */
function deniesWhatNobodyTried(
  { plain, read, clauses }: ReadSentence,
  { changed, looked, bad }: SortedCalls,
): boolean {
  if (changed.length + bad.length > 0) return false;
  // What claims something beside that may tell of a look: "I looked through it, and deleted nothing."
  if (read.claims >= SURE && (looked.length === 0 || clauses.length === 0)) return false;
  return NOTHING.test(plain) && !tellsOfDeedBeside(clauses);
}

/** One of the clauses says that something was done. */
function tellsOfDeedBeside(clauses: ReadSentence["clauses"]): boolean {
  return clauses.some(({ plain, read }) => {
    if (hasCue(read.cues, "denies")) return false;
    if (read.claims >= SURE && mostChange(read) >= SURE) return true;
    return read.claims >= LIKELY && deedsNamedIn(plain, "done").length > 0;
  });
}

/** It cites calls that came to nothing, and says so: "I did not delete it, because you said no [c2]." */
function admitsCited({ read, clauses, cited }: ReadSentence): boolean {
  if (cited.length === 0 || !cited.every(({ status }) => status === "denied" || status === "failed"))
    return false;
  return hasCue(read.cues, "denies", "fails", "keeps") && !tellsOfDeedBeside(clauses.slice(1));
}

/** "You paid him in May [c1]": what the owner did, as a cited read tells it. */
function tellsWhatOwnerDid({ plain, read, cited }: ReadSentence): boolean {
  if (cited.length === 0 || !cited.every((item) => isGood(item) && item.risk === "read")) return false;
  return OWNER_FIRST.test(plain) && !hasCue(read.cues, "self") && read.later < ACT_FROM;
}

const OWNER_FIRST = /^(?:you|du|sie|ihr|vous|tu|je|u)\s/iu;

/** How clearly it tells of something done, whatever else it says. */
function mostDone({ claims, unsuccessful, later }: ReadClaim): number {
  return Math.max(later, claims * (1 - unsuccessful));
}

/** The owner asked, it was looked up, and the sentence tells of no deed: "Three months, then." */
function answersFromReads(read: ReadClaim, asked: ReadRequest, calls: SortedCalls): boolean {
  return mayAnswerFromReads(read, asked, calls) && mostChange(read) < SLIGHT && read.acts.look < SLIGHT;
}

function mayAnswerFromReads(read: ReadClaim, { kind }: ReadRequest, { changed }: SortedCalls): boolean {
  if (changed.length > 0 || read.later >= ACT_FROM || read.acts.approve >= ACT_FROM) return false;
  if (kind !== "question" && kind !== "look" && kind !== "status") return false;
  return !hasCue(read.cues, "self");
}

/**
 * "The folder is empty [c1]", after a look that it cites: whatever deeds such words are mostly about,
 * none of them says that one was done.
 */
function tellsOfState({ plain, read, cited }: ReadSentence, asked: ReadRequest, calls: SortedCalls): boolean {
  return (
    cited.every(({ risk }) => risk === "read") &&
    mayAnswerFromReads(read, asked, calls) &&
    !namesChange(plain)
  );
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
  let most = acts.done;
  for (let at = 0; at < CHANGES.length; at += 1) most = Math.max(most, acts[CHANGES[at]!]);
  return most;
}

/** "You approved this, so I posted it." */
function tellsOfApproval({ acts, claims, unsuccessful, cues }: ReadClaim): boolean {
  if (acts.approve < SURE || claims < SURE || unsuccessful >= ACT_FROM) return false;
  return !hasCue(cues, "depends", "denies");
}

function wasApproved({ approval }: ActivityItem): boolean {
  return approval?.decision === "approved";
}

/** The owner asked about one place, another was looked at, and the sentence tells of a look at the first. */
function looksElsewhere({ plain, read, cited }: ReadSentence, request: string, reader: FactReader): boolean {
  const { looked, changed, bad } = reader.calls;
  if (looked.length === 0 || changed.length + bad.length > 0 || cited.length > 0) return false;
  if (read.claims < SURE || !hasCue(read.cues, "self") || !tellsOfLook(read)) return false;
  if (!looked.every(({ toolId }) => isLook(toolId))) return false;
  return reader.namesOnlyOtherPlaces(plain) && reader.namesOnlyOtherPlaces(request);
}

/** "I'll remind you on Thursday": a note alone wakes nobody. */
function promisesReminder(plain: string, { acts, claims, later, unsuccessful, cues }: ReadClaim): boolean {
  if (later < SURE || claims < SURE || acts.schedule < SURE || unsuccessful >= ACT_FROM) return false;
  return hasCue(cues, "self") && !hasCue(cues, "depends", "denies") && REMIND.test(plain);
}

const REMIND =
  /(?<!\p{L})remind|erinner\p{L}* (?:dich|sie|euch)|te (?:rappel|recordar)|vous rappel|ti ricord|te lembr|herinner\p{L}* (?:je|u)(?!\p{L})|przypomn|提醒|リマインド|알려/iu;

/**
 * The owner asks for something of a kind, and the sentence tells of it; this run did not try, and
 * what earlier runs did of that kind was about something else: a reminder of another matter.
 */
function wasOnlyDoneForOther(
  { plain, read, cited }: ReadSentence,
  { kind, negated, verbs }: ReadRequest,
  { run, earlier }: CallsOfSession,
  reader: FactReader,
): boolean {
  if (kind !== "effect" || negated || earlier.length === 0 || cited.length > 0) return false;
  if (read.claims < SURE || isReport(read) || hasCue(read.cues, "depends")) return false;
  const [top] = CHANGES.toSorted((a, b) => read.acts[b] - read.acts[a]);
  if (top === undefined || read.acts[top] < LIKELY || !TO_OTHERS.includes(top)) return false;
  if (!(verbs as readonly Act[]).includes(top)) return false;
  const fits = (item: ActivityItem) => item.risk !== "read" && fitsActs([top], item);
  const before = reader.calls.changed.filter(fits);
  return before.length > 0 && !run.some(fits) && before.every((item) => !reader.isAbout(item, plain));
}

/** Kinds of action of which each has a matter of its own. */
const TO_OTHERS: readonly Act[] = ["send", "pay", "schedule"];

function wakesLater(item: ActivityItem): boolean {
  return fitsActs(["schedule"], item) && !tokensOf(item.toolId).includes("memory");
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
  const clear = ACTS.filter((act) => acts[act] >= ACT_FROM);
  return clear.length > 0 ? clear : [ACTS.reduce((best, act) => (acts[act] > acts[best] ? act : best))];
}

function namesFile(plain: string, { target = "" }: ActivityItem): boolean {
  return valuesOf(plain, "file").some((file) => target.toLowerCase().includes(file));
}

/** Without spaces no other name can be told from its neighbours; that the one of the call is missing can. */
function isMissingUnspaced(plain: string, item: ActivityItem): boolean {
  return UNSPACED.test(item.target ?? "") && !isNamed(plain, item);
}

/** A name of Han, kana or hangul alone. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]{2,}$/u;

/**
 * What speaks against a sentence that is marked; undefined where nothing does that can be named.
 * Where the run changed something and all of it succeeded, that a value cannot be found is no reason.
 */
function verdictOf(
  { plain, read, cited }: ReadSentence,
  facts: FactSheet,
  { changed, looked, bad: notDone, madeGood }: SortedCalls,
  isPlain: () => boolean,
): Verdict | undefined {
  const fact = (name: string) => facts.factNamed(name);
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
  const counts = has("count over") && (done.length > 1 || ALL.test(plain)) && !isPartOf(plain);
  // Of what is listed the calls know some: then it is their objects that are listed.
  const ofEach = done.length > 1 || changes.some(isOfOneEach);
  const lists = ofEach && ["listed over", "listed found", "listed not found"].every((name) => has(name));
  if (!only && (counts || lists || has("other count"))) return { kind: "count", items: done };
  if (has("other value", "other day", "asked twins")) return { kind: "other-target", items: done };
  if (!only && has("names not in calls", "numbers unsaid")) return { kind: "other-target", items: done };
  const unmet = Math.max(fact("unmet change"), fact("clause unmet change"));
  if (unmet >= (namesTheirDeeds(plain, changed) ? SURE : ACT_FROM) || has("places not visited"))
    return { kind: "other-action", items: changed };
  if (!isCited && likely("unmet look", "clause unmet look")) return { kind: "not-looked", items: [] };
  if (!smooth) return { kind: "not-succeeded", items: bad };
  if (!isCited && done.length === 1 && isMissingUnspaced(plain, done[0]!))
    return { kind: "other-target", items: done };
  // Where all went well, only what can be named speaks against a sentence.
  return !isCited && !only && isPlain() ? likeliestOf(plain, read, fact, changed) : undefined;
}

/** Its verbs name what the calls did, and nothing else: that invoices are mostly sent says nothing against "moved all invoices". */
function namesTheirDeeds(plain: string, changed: readonly ActivityItem[]): boolean {
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
