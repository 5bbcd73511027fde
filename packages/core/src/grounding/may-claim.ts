import { hasSmallWord, type Language } from "../request/language.ts";
import { cuesIn, hasCue, isPlaced, without } from "./claim-features.ts";
import { OWN_MIN, type ReadClaim } from "./claim-model.ts";
import {
  ACKNOWLEDGES,
  BY_NOW,
  FOREIGN,
  FROM_OWNER,
  HANDS_BACK,
  HOW,
  IN_ORDER,
  MADE_UP,
  isOfSomebody,
  PLACEHOLDER,
  PLAYS,
  TO_DO,
} from "./claim-words.ts";
import { deedsNamedIn, saysDone } from "./concepts.ts";
import type { ReadSentence, ReplyContext } from "./read-sentence.ts";
import {
  ACT_FROM,
  CLAIMS_MIN,
  hasCalls,
  LIKELY,
  mostChange,
  namesSomething,
  SMALL_TALK_WORDS_MAX,
  SURE,
  TO_OTHERS,
  wordsIn,
} from "./reading.ts";
import { tokensOf } from "./tool-acts.ts";
import { allValuesOf } from "./values.ts";

/**
 * A sentence is marked from this chance on that it says more than the receipts. Without calls most
 * replies are work on words, and a wrong mark costs more; most of all where words were asked for, or
 * where it is small talk. Chosen on labelled replies that training did not see.
 */
export const MARKED_FROM = {
  withCalls: 0.34,
  withoutCalls: 0.6,
  // It promises to come back, or tells of itself and of something outside, and no words were handed over.
  ofItself: 0.38,
  // What was asked for stands in the code: whoever speaks beside it is the assistant.
  besideCode: 0.3,
  amongWords: 0.7,
  smallTalk: 0.9,
  ofOthers: 0.99,
} as const;

export const MARKED_FROM_LEAST = Math.min(...Object.values(MARKED_FROM));

/** What no wording can make a claim: a question, markup that stands there as text, what a cited answer of the owner says. */
export function mayClaim({ text, plain, places, read, cited }: ReadSentence, context: ReplyContext): boolean {
  const called = hasCalls(context);
  // What denies a deed reads as no claim, and may be untrue all the same; so may a deed told of among other things.
  if (read.claims < CLAIMS_MIN && !(called && (read.own >= OWN_MIN || hasCue(read.cues, "denies"))))
    return false;
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
  if (ACKNOWLEDGES.test(plain)) return false;
  if (HANDS_BACK.test(plain) && deedsNamedIn(plain, "done").length === 0) return false;
  if (!called && (endsSteps({ plain, places, read }, context) || FROM_OWNER.test(plain))) return false;
  if (repeatsAnswer(plain, context)) return false;
  return cited.length === 0 || !cited.every(({ toolId }) => tokensOf(toolId)[0] === "owner");
}

export function markedFrom(sentence: ReadSentence, context: ReplyContext): number {
  if (hasCalls(context)) return MARKED_FROM.withCalls;
  const { plain, places, read } = sentence;
  if (isPlaced(places, "reply has code") && !MADE_UP.test(context.request)) return MARKED_FROM.besideCode;
  if (isSmallTalk(plain, read, context) || isOfTheirWords(sentence, context)) return MARKED_FROM.smallTalk;
  if (isOfSomebody(plain, context.language) || PLAYS.test(context.request)) return MARKED_FROM.ofOthers;
  if (MADE_UP.test(context.request) && !namesSomething(plain)) return MARKED_FROM.smallTalk;
  // "Done!", with what was handed over.
  if (context.handsOver && wordsIn(plain) <= BARE_WORDS_MAX && saysDone(plain)) return MARKED_FROM.smallTalk;
  if (isAmongWords(plain, read, context)) return MARKED_FROM.amongWords;
  const ofItself =
    !hasCue(read.cues, "depends") &&
    (read.later >= SURE || (hasCue(read.cues, "self") && hasCue(read.cues, "outside")));
  // Whoever speaks in a letter is not the assistant.
  const inLetter = isPlaced(places, "after a greeting line") || isPlaced(places, "before a closing line");
  const mayBeOthers = context.handsOver || context.asked.kind === "words" || inLetter;
  return ofItself && !mayBeOthers ? MARKED_FROM.ofItself : MARKED_FROM.withoutCalls;
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
  // "Locked it for you."
  if (
    wordsIn(plain) > BARE_WORDS_MAX &&
    asked.kind !== "words" &&
    deedsNamedIn(/^\p{L}+/u.exec(plain)?.[0] ?? "", "done").length > 0
  )
    return false;
  // Where no word tells the language and not all letters are those of English, it is only a guess.
  if (FOREIGN.test(plain) && !hasSmallWord(`${plain} ${request}`, language)) return false;
  // "All three are in order now": nothing was ordered.
  const cues = IN_ORDER.test(plain) ? cuesIn(plain.replace(IN_ORDER, " ")) : read.cues;
  return !hasCue(cues, "self", "outside", "fails", "waits") && allValuesOf(plain).length === 0;
}

/** "Noted." names nothing that was noted. */
const BARE_WORDS_MAX = 3;

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

/** "Blue it is.", after the owner was asked for a colour and said blue: a few words that name no deed. */
function repeatsAnswer(plain: string, { calls, answers }: Pick<ReplyContext, "calls" | "answers">): boolean {
  if (answers.length === 0 || wordsIn(plain) > SMALL_TALK_WORDS_MAX || deedsNamedIn(plain).length > 0)
    return false;
  const said = answers
    .map((item) => calls.textOf(item))
    .join("\n")
    .toLowerCase();
  const words = plain.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return words.length > 0 && words.every((word) => said.includes(word));
}

const SAYS_I: ReadonlySet<Language> = new Set(["en", "de", "fr", "nl"]);
