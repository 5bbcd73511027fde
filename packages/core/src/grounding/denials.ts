import type { ActivityItem } from "../tool/activity.ts";
import { ELSE } from "./amount-words.ts";
import { denies, hasCue } from "./claim-features.ts";
import type { Act, ReadClaim } from "./claim-model.ts";
import { clausesOf } from "./clauses.ts";
import { deedsNamedIn } from "./concepts.ts";
import {
  ALSO_DID,
  ANSWER,
  COULD_NOT,
  DID,
  EXISTS,
  LABEL,
  NAMES_SOMEBODY,
  NEEDS,
  NONE_OF,
  OF_OTHERS,
  OVERWRITES,
  THE_FILE,
  TOUCHED,
} from "./denial-words.ts";
import type { FactReader } from "./facts.ts";
import { NOTHING, SMOOTHLY, UNSURE } from "./outcome-words.ts";
import { CHANGES, type ReadSentence, type ReplyContext } from "./read-sentence.ts";
import { isReport, LIKELY, namesFile, tellsOfDeedBeside, wordsIn } from "./reading.ts";
import { isNamed } from "./session-calls.ts";
import { fitsActs } from "./tool-acts.ts";
import { valuesOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";

/**
 * A sentence says flatly of a change that it was not made: "I wrote no file.", "`a.md` was not
 * written.", "Neither list was made." The calls of the run say whether it was; undefined where they
 * do not. What says more than that ("I did not change the title of a.md") is left to learning.
 */
export function judgeDenial(
  sentence: ReadSentence,
  { asked, calls, request, sentences }: ReplyContext,
  reader: FactReader,
): Verdict | "true" | undefined {
  const { plain, read } = sentence;
  const { changed, bad } = reader.calls;
  const said = plain.replace(LABEL, "").replace(ANSWER, "");
  const [first = "", ...rest] = said.split(/[,;:，；：]|\s[–—]\s/u);
  // "I only looked; I made no changes."
  const flat = denies(first) ? undefined : rest.find((each) => NO_CHANGE.test(each));
  const clause = flat ?? first;
  if (
    !denies(clause.replace(SMOOTHLY, " ").replace(OF_OTHERS, " ")) ||
    UNSURE.test(clause) ||
    EXISTS.test(clause)
  )
    return undefined;
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

const SLIGHT_ACT = 0.3;

/** Denies every change, in so many words. */
const NO_CHANGE =
  /^\s*(?:and |und |et |y |e )?(?:i (?:made|have made|did) no changes|i (?:changed|have changed) nothing|nothing (?:was|has been) changed|ich habe nichts (?:ge|ver)ändert|je n'ai rien (?:changé|modifié)|no he (?:cambiado|modificado) nada|non ho (?:cambiato|modificato) niente|não (?:mudei|alterei) nada)[.!]?\s*$/iu;

/** Beside the name of what was done. */
const DENIAL_WORDS_MAX = 5;

const GENERAL_WORDS_MAX = 6;

const BRIEF_WORDS_MAX = 9;
