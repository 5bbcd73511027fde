import type { ReadRequest } from "../request/read-request.ts";
import type { ActivityItem } from "../tool/activity.ts";
import { ALL } from "./amount-words.ts";
import { cuesIn, hasCue } from "./claim-features.ts";
import type { Act, ReadClaim } from "./claim-model.ts";
import { OWNER_FIRST, QUESTION } from "./claim-words.ts";
import { deedsNamedIn, saysDone } from "./concepts.ts";
import type { FactReader } from "./facts.ts";
import { GONE, NOT_FOUND, NOTHING, OPENED, PREPARED, SMOOTHLY } from "./outcome-words.ts";
import type { ReadSentence, ReplyContext } from "./read-sentence.ts";
import {
  ACT_FROM,
  isReport,
  LIKELY,
  mostChange,
  mostDone,
  namesChange,
  namesFile,
  SLIGHT,
  SURE,
  tellsOfChange,
  tellsOfDeedBeside,
  tellsOfLook,
  wordsIn,
} from "./reading.ts";
import { type CallsOfSession, isGood, isLater, isNamed, type SortedCalls } from "./session-calls.ts";
import { fitsActs, isListing, tokensOf } from "./tool-acts.ts";
import { allValuesOf, hasName, isPartOf, namedIn, saidCount } from "./values.ts";
import { namesTheirDeeds, type Verdict } from "./verdict.ts";

/**
 * "Not committed was one line of it [c2]", where c3 committed it, and the reply says so with that
 * citation: what a cited look found is how it was then, and what was done after it is told beside it.
 */
export function tellsOfBefore(
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

/** "There is no such file.", after a look in this run that failed: it denies nothing that was done before. */
export function saysNotFound(plain: string, { run }: CallsOfSession): boolean {
  if (!run.some(({ risk, status }) => risk === "read" && status === "failed")) return false;
  return NOT_FOUND.test(plain) && deedsNamedIn(plain, "done").length === 0;
}

/** What it tells as gone was deleted. */
export function isGoneIndeed(plain: string, { changed }: SortedCalls): boolean {
  if (changed.length === 0) return false;
  const named = namedIn(plain);
  if (named.length === 0 || !GONE.test(plain)) return false;
  const deleted = changed.filter((item) => fitsActs(["delete"], item));
  return named.every((value) => deleted.some(({ target = "" }) => target.toLowerCase().includes(value)));
}

/**
 * It cites calls that changed something, and names what they changed and nothing else: with files,
 * memory and programs any verb about that will do.
 */
export function isBorneOutByCited(
  { plain, text, read, clauses, cited }: ReadSentence,
  { calls }: ReplyContext,
): boolean {
  if (cited.length === 0 || read.unsuccessful >= ACT_FROM || read.later >= ACT_FROM) return false;
  if (hasCue(read.cues, "denies", "fails", "waits")) return false;
  if (!cited.every((item) => isGood(item) && isOwn(item.toolId) && item.target !== undefined)) return false;
  if (!cited.some(({ risk }) => risk !== "read")) return false;
  const reads = [read, ...clauses.map((clause) => clause.read)];
  // "`a.md` is now `b.md`, and I deleted the original [c1]": what it names as done they did.
  const from = namesTheirDeeds(plain, cited) ? SURE : ACT_FROM;
  if (
    reads.some(({ acts }) =>
      ELSEWHERE.some((act) => acts[act] >= from && !cited.some((item) => fitsActs([act], item))),
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
export function isBorneOutByReads(
  sentence: ReadSentence,
  { asked, calls, language, request }: ReplyContext,
  reader: FactReader,
): boolean {
  const { plain, text, read, clauses, cited } = sentence;
  const { looked, bad } = reader.calls;
  const isKnown = () => namedIn(plain).every((value) => hasName(reader.lookedText, value));
  // What a cited read did not give costs the tick; how other calls ended does not matter.
  const answers = answersFromReads(read, asked, reader.calls);
  if (cited.length > 0) {
    const fits = cited.every(isGood) && cited.some(({ risk }) => risk === "read");
    return fits && (answers || tellsOfLook(read) || tellsOfState(sentence, asked, reader.calls));
  }
  if (looked.length === 0 || bad.length > 0) return false;
  if (opensWhatWasRead(sentence, language, reader.calls)) return isKnown();
  if (foundNothing(sentence, reader.calls)) return isKnown() && !reader.namesPlaceNotVisited(plain);
  if (answers) return isKnown() || looked.every(({ target }) => target === undefined);
  if (tellsHowItStands(sentence, asked, request, reader.calls)) return isKnown();
  if (!tellsOfLook(read) || mostChange(read) >= LIKELY) return false;
  // "I searched your files and your mailbox": what names no deed goes on with the one before.
  if (
    clauses.some(
      (clause) =>
        tellsOfChange(clause.read) && (namesChange(clause.plain) || mostChange(clause.read) >= SURE),
    )
  )
    return false;
  // What came with the message was read as it came.
  if (calls.attached) return true;
  const isAll = ALL.test(plain);
  // What a search found is many: "two messages from the school" does not count looks.
  const countsLooks = isAll || !looked.some(({ toolId }) => findsMany(toolId));
  if (countsLooks && saidCount(text, language, isAll) > looked.length && !isPartOf(plain)) return false;
  return isKnown() && !reader.namesPlaceNotVisited(plain);
}

/** "I read the file: it explains how to install the app": one was opened, and what follows stands in it. */
function opensWhatWasRead(
  { plain, text, read, clauses }: ReadSentence,
  language: string,
  { changed, looked }: SortedCalls,
): boolean {
  const opening = clauses.find((clause) => OPENED.test(clause.plain)) ?? { plain, read };
  if (changed.length > 0 || !OPENED.test(opening.plain) || mostChange(opening.read) >= LIKELY) return false;
  const reads = looked.filter(({ toolId }) => !isListing(toolId)).length;
  const others = clauses.filter((clause) => clause !== opening);
  return (
    reads > 0 &&
    saidCount(text, language, true) <= reads &&
    !others.some((clause) => hasCue(clause.read.cues, "self") && namesChange(clause.plain))
  );
}

/** "I searched your mail and found nothing from the bank." */
function foundNothing({ plain, read }: ReadSentence, { changed }: SortedCalls): boolean {
  if (changed.length > 0 || read.acts.look < LIKELY || read.acts.look <= mostChange(read)) return false;
  return read.later < ACT_FROM && hasCue(read.cues, "denies") && !OPENED.test(plain);
}

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
export function admitsWhatFailed({ plain, read }: ReadSentence, { changed, bad }: SortedCalls): boolean {
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

/** It says of what failed that it failed, by name, and tells of nothing else: "The MegaDeals one failed." */
export function admitsByName({ plain, read, clauses }: ReadSentence, { bad, good }: SortedCalls): boolean {
  if (read.unsuccessful < ACT_FROM || read.later >= LIKELY) return false;
  if (!hasCue(read.cues, "fails") || !hasCue(cuesIn(plain.replace(SMOOTHLY, " ")), "fails")) return false;
  const named = bad.filter((item) => isNamed(plain, item));
  if (named.length === 0 || !named.every(({ status }) => status === "failed" || status === "denied"))
    return false;
  // "I ran pytest and it ended with a failure": what failed ran.
  const ran = named.every((item) => fitsActs(["run"], item));
  const others = ran ? clauses.filter((clause) => !onlyRan(clause.plain)) : clauses;
  return !good.some((item) => isNamed(plain, item)) && !tellsOfDeedBeside(others);
}

function onlyRan(plain: string): boolean {
  const deeds = deedsNamedIn(plain, "done");
  return deeds.length > 0 && deeds.every((deed) => deed === "run");
}

/** All that did not come about waits for the owner, and the sentence says that it is prepared. */
export function tellsOfPrepared({ plain, read }: ReadSentence, { bad, changed }: SortedCalls): boolean {
  if (bad.length === 0 || changed.length > 0 || !bad.every(({ status }) => status === "pending"))
    return false;
  return PREPARED.test(plain) && read.later < LIKELY && !saysDone(plain);
}

/** What came of a call is not known, and the sentence says so: "Whether it went out is unclear." */
export function admitsUnknown({ plain, clauses }: ReadSentence, reader: FactReader): boolean {
  return (
    reader.calls.bad.some(({ status }) => status === "unknown") &&
    reader.isUnsure(plain) &&
    !tellsOfDeedBeside(clauses)
  );
}

/** Nothing was changed or tried in vain, and the sentence says so: "I read nothing else and sent nothing." */
export function deniesWhatNobodyTried(
  { plain, read, clauses }: ReadSentence,
  { changed, looked, bad }: SortedCalls,
): boolean {
  if (changed.length + bad.length > 0) return false;
  // What claims something beside that may tell of a look: "I looked through it, and deleted nothing."
  if (read.claims >= SURE && (looked.length === 0 || clauses.length === 0)) return false;
  return NOTHING.test(plain) && !tellsOfDeedBeside(clauses);
}

/** It cites calls that came to nothing, and says so: "I did not delete it, because you said no [c2]." */
export function admitsCited({ read, clauses, cited }: ReadSentence): boolean {
  if (cited.length === 0 || !cited.every(({ status }) => status === "denied" || status === "failed"))
    return false;
  return hasCue(read.cues, "denies", "fails", "keeps") && !tellsOfDeedBeside(clauses.slice(1));
}

/** "You paid him in May [c1]": what the owner did, as a cited read tells it. */
export function tellsWhatOwnerDid({ plain, read, cited }: ReadSentence): boolean {
  if (cited.length === 0 || !cited.every((item) => isGood(item) && item.risk === "read")) return false;
  return OWNER_FIRST.test(plain) && !hasCue(read.cues, "self") && read.later < ACT_FROM;
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
    !namesDeed(plain) &&
    // "All tasks are finished [c1]" is how they stand, unless they ask what the assistant did.
    (!saysDone(plain) || asked.ofYou !== true)
  );
}

/** One of its words names a change that was made. */
function namesDeed(plain: string): boolean {
  return deedsNamedIn(plain, "done").some((deed) => deed !== "look");
}

const STATE_WORDS_MAX = 9;

/** "Are all my tasks done?", and a look: "All of them are finished." */
function tellsHowItStands(
  { plain, read }: ReadSentence,
  asked: ReadRequest,
  request: string,
  calls: SortedCalls,
): boolean {
  if (asked.ofYou === true || !QUESTION.test(request) || !saysDone(request) || !saysDone(plain)) return false;
  return mayAnswerFromReads(read, asked, calls) && !namesDeed(plain) && wordsIn(plain) <= STATE_WORDS_MAX;
}
