import { isChanged, type ActivityItem } from "../tool/activity.ts";
import { citationsIn, withoutCitations } from "./citations.ts";
import { hasCue } from "./claim-features.ts";
import { CLAIM_WEIGHTS } from "./claim-weights.ts";
import { callName } from "./call-words.ts";
import { DECISION_WEIGHTS } from "./decision-weights.ts";
import { MADE_UP, PLAYS } from "./claim-words.ts";
import { evidenceText, notDone } from "./evidence.ts";
import type { ReadSentence, ReplyContext } from "./read-sentence.ts";
import { Judge } from "./judge.ts";
import { ACT_FROM, actsIn, SURE } from "./reading.ts";
import type { MarkKind, Verdict } from "./verdict.ts";
import { isLocale, type Locale } from "../request/language.ts";
import { GROUNDING_LIMITS } from "./limits.ts";
import { readDraft, type ReadDraft, type Sentence } from "./sentences.ts";
import { isGood, type CallsOfSession } from "./session-calls.ts";
import { escapeReserved, escapesIn, withEscapes } from "./reserved.ts";
import { isOpenEnded } from "./tool-acts.ts";
import { allValuesOf, contradictsOwnCount, saysOtherNumber, valuesFound } from "./values.ts";
import { RECORDED_WHY } from "./wording.ts";

export interface Draft {
  readonly draft: string;
  /** How the draft begins: what was delivered before the model was told what did not fit, and went on. */
  readonly delivered?: string;
  /** Calls of this run, oldest first. */
  readonly activity: readonly ActivityItem[];
  /** Calls of earlier runs of the session, oldest first. */
  readonly earlier?: readonly ActivityItem[];
  /** What a call was given and gave back, as far as it is still known. */
  readonly callText?: (item: ActivityItem) => string;
  /** Something of memory was put before the model without a call. */
  readonly recalled?: boolean;
  /** The owner sent something along with their words: what it shows needs no look outside. */
  readonly attached?: boolean;
  /** Language of Elwood's own words; the reply's, where it is not said. */
  readonly locale?: Locale;
  /** What the owner typed, without quotations and attachments. */
  readonly ownerWords?: string;
}

/** absent: no claim · supported: tick · unmatched: a citation without a tick · unsupported: a visible mark. */
export type Verified = "supported" | "unmatched" | "unsupported";

export interface Segment {
  readonly text: string;
  readonly by: "model" | "gateway";
  /** Calls that the model cited. */
  readonly cites?: readonly string[];
  /** Set by Elwood alone. */
  readonly verified?: Verified;
  /** For `unsupported`: what does not fit, in a few words. */
  readonly why?: string;
}

export interface Mark {
  readonly kind: MarkKind;
  /** The sentence as the model wrote it, shortened. */
  readonly sentence: string;
  /** Calls that speak against it. */
  readonly cites: readonly string[];
  /** What does not fit, in a few words. */
  readonly why: string;
  /** A call behind it did not succeed, or the owner asked for it and nothing was called: worth asking the model again. */
  readonly strong: boolean;
}

export interface Grounded {
  readonly locale: Locale;
  /** The model's segments joined: its answer, whole and in order. */
  readonly text: string;
  readonly segments: readonly Segment[];
  /** Elwood's sentences for what is not done in the end. */
  readonly notDone: readonly string[];
  /** At most three lines, joined; empty where there is nothing to show. */
  readonly evidence: string;
  readonly marks: readonly Mark[];
  /** Set where the model should get one more lap: what to tell it. */
  readonly repair?: string;
  /** Only part of the draft was short enough to be read. */
  readonly partly: boolean;
}

export { hasCitation } from "./citations.ts";
export { denies } from "./claim-features.ts";

let loaded: Judge | undefined;

/** A reply compared with the receipts of its session. Pure: the same draft and activity give the same answer. */
export function ground(input: Draft): Grounded {
  const { draft, activity, earlier = [], ownerWords = "", callText = () => "" } = input;
  loaded ??= new Judge({ claims: CLAIM_WEIGHTS, decision: DECISION_WEIGHTS });
  const read = readDraft(draft);
  const calls: CallsOfSession = {
    run: activity,
    earlier,
    textOf: callText,
    recalled: input.recalled === true,
    attached: input.attached === true,
  };
  const context = loaded.read(read, ownerWords, calls, input.locale);
  const locale = input.locale ?? (isLocale(context.language) ? context.language : "en");
  const verdicts = loaded.judge(context);
  const before = markedBefore(input, read);
  const judged = context.sentences.map((sentence, index) => {
    const now = judgedAs(sentence, verdicts[index], context);
    const mark = before.get(read.sentences[index]?.start ?? -1);
    return now.mark || !mark ? now : { ...now, verified: "unsupported" as const, mark };
  });
  // Whoever hands over the material asks for words: "commit message for: …".
  const whole = /[:：\n]/u.test(ownerWords) ? undefined : quotedOnly(draft, read, activity, context);
  const marks = [...judged.flatMap(({ mark }) => (mark ? [mark] : [])), ...(whole ? [whole] : [])].slice(
    0,
    GROUNDING_LIMITS.marksMax,
  );
  const own = notDone(activity, locale);
  const model = whole ? wholeSegment(draft, whole) : modelSegments(draft, read.sentences, judged);
  const evidence = evidenceText(activity, marks.length, locale);
  const repair = repairNote(marks, activity, earlier);
  return {
    locale,
    text: model.map(({ text }) => text).join(""),
    segments: [...model, ...own.map((text): Segment => ({ text, by: "gateway" }))],
    notDone: own,
    evidence,
    marks,
    ...(repair === undefined ? {} : { repair }),
    partly: read.partly,
  };
}

/**
 * Marks of what was delivered first and no call has made true since, by where their sentences begin:
 * a correction below takes nothing back. Where a call did something, the whole reply is judged as it is.
 */
function markedBefore(input: Draft, { sentences }: ReadDraft): ReadonlyMap<number, Mark> {
  const { delivered, draft } = input;
  const marks = new Map<number, Mark>();
  if (delivered === undefined || delivered === draft || !draft.startsWith(delivered)) return marks;
  const { delivered: _delivered, ...alone } = input;
  const left = ground({ ...alone, draft: delivered })
    .marks.filter(({ kind }) => NOTHING_DONE.has(kind))
    .toReversed();
  for (const { start, text } of sentences) {
    if (start >= delivered.length || left.at(-1)?.sentence !== shorten(text)) continue;
    const mark = left.pop();
    if (mark) marks.set(start, mark);
  }
  return marks;
}

const NOTHING_DONE: ReadonlySet<MarkKind> = new Set(["no-call", "not-succeeded", "promise"]);

function wantsEffect({ asked }: ReplyContext): boolean {
  return asked.kind === "effect" && !asked.negated;
}

interface Judged {
  readonly cites: readonly string[];
  /** It cites calls, and some of them do not exist. */
  readonly dropped: boolean;
  readonly verified?: Verified;
  readonly mark?: Mark;
}

function judgedAs(sentence: ReadSentence, verdict: Verdict | undefined, context: ReplyContext): Judged {
  const { calls } = context;
  const { known, madeUp } = citationsIn(sentence.text, [...calls.earlier, ...calls.run]);
  const cites = [...new Set(known.map(({ cite }) => cite))];
  const dropped = madeUp.length > 0;
  if (verdict && !isCommandsOutput(sentence, verdict, context)) {
    const mark: Mark = {
      kind: verdict.kind,
      sentence: shorten(sentence.text),
      cites: verdict.items.map(({ cite }) => cite),
      why: whyOf(verdict),
      strong: isStrong(verdict, sentence, context),
    };
    return { cites, dropped, verified: "unsupported", mark };
  }
  if (cites.length === 0) return { cites, dropped };
  return { cites, dropped, verified: isTicked(sentence, context) ? "supported" : "unmatched" };
}

/** A command may only have looked. Where it is cited and holds every value of the sentence, something was looked up. */
function isCommandsOutput(sentence: ReadSentence, { kind }: Verdict, context: ReplyContext): boolean {
  const { plain, cited } = sentence;
  return (
    kind === "not-looked" &&
    cited.some(({ toolId }) => isOpenEnded(toolId)) &&
    allValuesOf(plain).length > 0 &&
    isTicked(sentence, context)
  );
}

/** Worth one more lap: a call behind it went wrong, or the owner asked for a change and none was called. */
function isStrong({ kind, items }: Verdict, { read }: ReadSentence, context: ReplyContext): boolean {
  const { run } = context.calls;
  const changing = run.filter(({ risk }) => risk !== "read");
  if (changing.length > 0 && run.every(({ status }) => status === "succeeded")) return false;
  if (kind === "not-succeeded" || kind === "other-outcome")
    return items.some(({ status }) => ["failed", "denied", "expired", "unknown"].includes(status));
  return (
    (kind === "no-call" || kind === "promise") &&
    changing.length === 0 &&
    wantsEffect(context) &&
    actsIn(read).some((act) => act !== "look" && act !== "approve")
  );
}

/** Every cited call succeeded, and what the sentence names stands in what they were given or gave back. */
function isTicked(sentence: ReadSentence, { calls, language }: ReplyContext): boolean {
  const { plain, read, cited } = sentence;
  if (/[?？]\s*$/u.test(plain)) return false;
  if (cited.some((item) => !isGood(item) || item.undone === true)) return false;
  // A read supports nothing that the assistant says it changed; what others did may stand in what was read.
  const acts = actsIn(read);
  const changes = hasCue(read.cues, "self") && acts.some((act) => act !== "look" && act !== "run");
  if (changes && !acts.includes("look") && cited.every(({ risk }) => risk === "read")) return false;
  // A change that was made is no ground for saying that something was not done.
  const deniesAll = hasCue(read.cues, "denies") && read.claims < SURE && read.unsuccessful >= ACT_FROM;
  if (deniesAll && cited.some(({ risk }) => risk !== "read")) return false;
  const known = cited.map((item) => `${item.target ?? ""}\n${calls.textOf(item)}`).join("\n");
  if (saysOtherNumber(plain, known, language)) return false;
  return valuesFound(plain, known) && !contradictsOwnCount(plain, known, language);
}

/** The owner asked for an effect, nothing was called, and the reply holds nothing but code or quotations. */
function quotedOnly(
  draft: string,
  { sentences, hasCode, hasQuotation, quotesLines }: ReadDraft,
  activity: readonly ActivityItem[],
  context: ReplyContext,
): Mark | undefined {
  if (sentences.length > 0 || !(hasCode || hasQuotation || quotesLines) || !wantsEffect(context))
    return undefined;
  // What somebody else says may be all of it.
  if (PLAYS.test(context.request) || MADE_UP.test(context.request)) return undefined;
  if (activity.some(({ risk, status }) => risk !== "read" && status === "succeeded")) return undefined;
  const kind = "only-quoted" as const;
  return { kind, sentence: shorten(draft.trim()), cites: [], why: WHY[kind], strong: false };
}

const WHY: Readonly<Record<MarkKind, string>> = {
  "no-call": "no call did this",
  "not-succeeded": "that call did not succeed",
  "other-action": "the calls did something else",
  "other-target": "the calls had another target",
  count: "the calls dealt with fewer",
  "not-looked": "nothing was looked up",
  promise: "nothing is scheduled that would do this",
  "not-asked": "no approval is on record",
  "was-done": RECORDED_WHY.done,
  "other-outcome": "that call ended differently",
  "only-quoted": "nothing was called for this",
};

/** What became of a call is said where all calls behind the sentence ended that way. */
function whyOf({ kind, items }: Verdict): string {
  if (kind !== "not-succeeded" || items.length === 0) return WHY[kind];
  if (items.every(({ undone }) => undone === true)) return RECORDED_WHY.undone;
  if (items.every(({ status, approval }) => status === "denied" && approval?.by?.kind === "owner"))
    return RECORDED_WHY.denied;
  // A program that ended with an error is on record as that.
  const failed = items.every(({ status, exitCode }) => status === "failed" || exitCode !== undefined);
  return failed ? RECORDED_WHY.failed : WHY[kind];
}

function wholeSegment(draft: string, { why }: Mark): Segment[] {
  return [{ text: escapeReserved(draft), by: "model", verified: "unsupported", why }];
}

function modelSegments(draft: string, sentences: readonly Sentence[], judged: readonly Judged[]): Segment[] {
  const pieces: Segment[] = [];
  let at = 0;
  const plain = (to: number) => {
    if (to > at) pieces.push({ text: draft.slice(at, to), by: "model" });
    at = Math.max(at, to);
  };
  for (const [index, sentence] of sentences.entries()) {
    const { cites, dropped, verified, mark } = judged[index] ?? NOTHING;
    if (cites.length === 0 && !dropped && verified === undefined) continue;
    plain(sentence.start);
    pieces.push({
      text: withoutCitations(draft.slice(sentence.start, sentence.end)),
      by: "model",
      ...(cites.length > 0 ? { cites } : {}),
      ...(verified === undefined ? {} : { verified }),
      ...(mark ? { why: mark.why } : {}),
    });
    at = sentence.end;
  }
  plain(draft.length);
  return escaped(pieces);
}

const NOTHING: Judged = { cites: [], dropped: false };

/** Whether a glyph stands in code depends on the lines before it, so escapes are found in the whole. */
function escaped(pieces: readonly Segment[]): Segment[] {
  const whole = pieces
    .map(({ text }) => text)
    .join("")
    .toWellFormed();
  const escapes = escapesIn(whole);
  let at = 0;
  return pieces.map((piece) => {
    const start = at;
    at += piece.text.length;
    return { ...piece, text: withEscapes(whole, start, at, escapes) };
  });
}

/** For the one repair lap: what was written, what does not fit, and the choice to make. */
function repairNote(
  marks: readonly Mark[],
  activity: readonly ActivityItem[],
  earlier: readonly ActivityItem[],
): string | undefined {
  const strong = marks.filter((mark) => mark.strong);
  if (strong.length === 0) return undefined;
  const all = [...earlier, ...activity];
  const lines = strong.map(({ sentence, cites, kind }) => {
    const items = all
      .filter(({ cite }) => cites.includes(cite))
      .slice(0, GROUNDING_LIMITS.targetsPerSentenceMax);
    const because =
      kind === "not-succeeded" || kind === "other-outcome"
        ? items.map((item) => `${item.cite} (${callName(item)}) ${statusWords(item)}`).join("; ")
        : kind === "promise"
          ? "nothing is scheduled that would do this"
          : "no call was made for it";
    return `- You wrote “${sentence}”, but ${because}.`;
  });
  return [
    "[Elwood, not the owner] Your answer above was delivered as it is. Part of it does not match what was recorded:",
    lines.join("\n"),
    `${strong.every((mark) => wasRefused(mark, all)) ? "The owner said no: do not ask for it again, say that it was not done." : "Make the call now if you can, or say that it was not done."} Continue the answer from where it stopped: write only what is to be added, do not repeat it, and do not mention this note.`,
  ].join("\n");
}

function wasRefused({ cites }: Mark, all: readonly ActivityItem[]): boolean {
  return (
    cites.length > 0 &&
    cites.every((cite) => {
      const item = all.find((each) => each.cite === cite);
      return item?.status === "denied" && item.blockedBy === undefined && !isChanged(item);
    })
  );
}

function statusWords(item: ActivityItem): string {
  if (item.blockedBy !== undefined) return "was blocked by a rule";
  return isChanged(item) ? "had changed after it was allowed, and was not made" : STATUS[item.status];
}

const STATUS: Readonly<Record<ActivityItem["status"], string>> = {
  succeeded: "succeeded",
  failed: "failed",
  denied: "was denied",
  expired: "was not answered in time",
  pending: "waits for the owner's approval",
  unknown: "gave no result; it may or may not have happened",
};

export function shorten(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const max = GROUNDING_LIMITS.quotedSentenceCharsMax;
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
