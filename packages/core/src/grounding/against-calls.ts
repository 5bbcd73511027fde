import type { ReadRequest } from "../request/read-request.ts";
import type { ActivityItem } from "../tool/activity.ts";
import { ALL } from "./amount-words.ts";
import { denies, hasCue, isPlaced } from "./claim-features.ts";
import type { Act, ReadClaim } from "./claim-model.ts";
import { FROM_OWNER, isOfSomebody, MADE_UP, MATERIAL, OWNER_FIRST, PLAYS, QUESTION } from "./claim-words.ts";
import { deedsNamedIn, saysDone } from "./concepts.ts";
import type { FactReader } from "./facts.ts";
import { GONE, IN_MEMORY, OPENED, REMIND, SMOOTHLY, SUCCESS, TELLS_OF_UNDO } from "./outcome-words.ts";
import { CHANGES, type ReadSentence, type ReplyContext } from "./read-sentence.ts";
import {
  ACT_FROM,
  actsIn,
  isMissingUnspaced,
  isOfOneEach,
  isReport,
  LIKELY,
  mostChange,
  namesFile,
  namesSomething,
  SMALL_TALK_WORDS_MAX,
  SURE,
  tellsOfLook,
  TO_OTHERS,
  wordsIn,
} from "./reading.ts";
import { isDayOrMonth } from "./names.ts";
import { DEVICES } from "./place-words.ts";
import { isOtherRoom } from "./rooms.ts";
import { type CallsOfSession, isGood, isNamed, type SortedCalls } from "./session-calls.ts";
import { isOtherKin } from "./shared-words.ts";
import { actsOf, fitsActs, isListing, isLook, isOpenEnded, tokensOf } from "./tool-acts.ts";
import {
  hasName,
  isPartOf,
  namedIn,
  numbersSaid,
  otherValue,
  pathsIn,
  saidCount,
  valuesOf,
} from "./values.ts";
import { NO_CALL, NOT_LOOKED, type Verdict } from "./verdict.ts";

/** Told as done, and the very calls that it cites say otherwise: no learning is needed for that. */
export function againstCited(
  { plain, read, cited }: ReadSentence,
  { calls }: ReplyContext,
): Verdict | undefined {
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
export function againstCalls(
  sentence: ReadSentence,
  context: ReplyContext,
  reader: FactReader,
): Verdict | undefined {
  const { asked, calls, language, request, sentences } = context;
  const { text, plain, read, cited } = sentence;
  const { all, changed, bad } = reader.calls;
  if (opensWhatWasRecalled(plain, read, calls)) return NOT_LOOKED;
  if (promisesReminder(plain, read) && !changed.some(wakesLater)) return { kind: "promise", items: [] };
  if (wasOnlyDoneForOther(sentence, asked, calls, reader))
    return { kind: read.later >= LIKELY ? "promise" : "no-call", items: [] };
  if (looksElsewhere(sentence, request, reader)) return NOT_LOOKED;
  if (opensWhatWasOnlyFound(sentence, language, reader)) return NOT_LOOKED;
  if (looksAtOtherPage(sentence, calls, reader)) return NOT_LOOKED;
  if (changesByLooking(sentence, asked, reader)) return NO_CALL;
  if (changed.length === 0 && changesByListing(sentence)) return NO_CALL;
  const unsent = sentWithoutSender(sentence, reader);
  if (unsent) return unsent;
  if (all.length === 0 && readsWhatWasAsked(sentence, { calls, request })) return NOT_LOOKED;
  if (changed.length === 0 && tellsOfMemory(sentence, asked)) return NO_CALL;
  if (sendsDraft(sentence, changed)) return { kind: "other-action", items: changed };
  if (tellsOfApproval(read) && all.length > 0 && asked.kind !== "consent" && !all.some(wasApproved))
    return { kind: "not-asked", items: changed };
  if (all.length === 0) {
    const own = didWithoutCalls(sentence, context);
    if (own) return own;
  }
  if (changed.length + bad.length === 0 && finishedByLook(sentence, asked)) return NO_CALL;
  const admits = sentences.some((each) => isReport(each.read));
  // Where nothing came about at all and nothing is admitted, "Done!" is enough.
  const enough = changed.length === 0 && !admits ? LIKELY : SURE;
  if (cited.length > 0 || read.later >= LIKELY || reports(sentence)) return undefined;
  if (passesInVain(sentence, reader)) return { kind: "not-succeeded", items: bad };
  if (read.claims < enough) return undefined;
  const acts = actsIn(read).filter((act) => CHANGES.includes(act) || act === "done");
  if (acts.length === 0) return undefined;
  if (all.length === 0) return tellsOfWhatWasAsked(plain, read, asked, request) ? NO_CALL : undefined;
  const fits = (item: ActivityItem) => item.risk !== "read" && fitsActs(acts, item);
  const done = changed.filter(fits);
  const open = bad.filter((item) => fits(item) && calls.run.includes(item) && item.exitCode === undefined);
  // "Most of them", where no more than half came about.
  if (MOST_OF.test(plain) && open.length >= done.length) return { kind: "not-succeeded", items: open };
  if (namesOtherFile(plain, read, changed, calls)) return { kind: "other-target", items: changed };
  if (done.length === 0) {
    // Prepared, and it says that it waits.
    const waits = admits && open.every(({ status }) => status === "pending");
    // It names what another call did deal with, and not clearly what failed.
    const isOther =
      changed.some((item) => namesFile(plain, item)) &&
      (mostChange(read) < SURE || !open.some((item) => isNamed(plain, item)));
    if (isOther) return undefined;
    return open.length > 0 && !waits ? { kind: "not-succeeded", items: open } : undefined;
  }
  if (done.every(({ target = "" }) => isOtherKin(plain, request, target)))
    return { kind: "other-target", items: done };
  const atHome = done.every(({ toolId }) => tokensOf(toolId)[0] === "home" && !isOpenEnded(toolId));
  if (atHome && read.acts.control >= LIKELY && reader.namesDeviceNotSet(plain))
    return { kind: "other-target", items: done };
  if (deviceElsewhere(sentence, done)) return { kind: "other-target", items: done };
  if (language !== "de" && isOtherPerson(plain, request, done, calls))
    return { kind: "other-target", items: done };
  if (isOtherYear(plain, done, calls)) return { kind: "other-target", items: done };
  const isElsewhere = ({ target = "" }: ActivityItem) => isOtherRoom(plain, target);
  if (read.acts.control >= ACT_FROM && done.every(isElsewhere)) return { kind: "other-target", items: done };
  const [only] = done;
  if (only && changed.length === 1 && !namesSomething(`${plain} ${only.target ?? ""}`))
    if (reader.namesAnother(plain, done)) return { kind: "other-target", items: done };
  if (only && changed.length === 1 && isMissingUnspaced(plain, only) && !reader.isAbout(only, plain))
    return { kind: "other-target", items: done };
  if (done.some((item) => isOpenEnded(item.toolId) && item.count === undefined) || isPartOf(plain))
    return undefined;
  const dealt = done.reduce((sum, item) => sum + (item.count ?? 1), 0);
  const said = saidCount(text, language, ALL.test(plain));
  // One call may deal with many, unless it says with how many; what is paid goes to one.
  const paysOne = acts.every((act) => act === "pay") && !/[;&+]|\d\s?x/u.test(only?.target ?? "&");
  const isCounted = done.length > 1 || done[0]?.count !== undefined || (paysOne && BOTH.test(plain));
  const listsMore = (done.length > 1 || acts.some(isOfOneEach)) && reader.listsMore(plain, done);
  // "The office is at 17": a number of what they were about counts nothing.
  const isTheirs = () =>
    numbersSaid(done.map(({ target }) => target ?? "").join("\n"), language).includes(said);
  if (!listsMore && (said <= dealt || !isCounted || isTheirs())) return undefined;
  // What is missing may be admitted in another sentence.
  if (open.length > 0 && admits) return undefined;
  return open.length > 0 ? { kind: "not-succeeded", items: open } : { kind: "count", items: done };
}

/** It says that something did not come about; where a thing lies or that all went smoothly says no such thing. */
function reports({ plain, read }: Pick<ReadSentence, "plain" | "read">): boolean {
  if (read.unsuccessful >= LIKELY || hasCue(read.cues, "fails", "waits")) return true;
  if (hasCue(read.cues, "keeps") && read.unsuccessful >= ACT_FROM) return true;
  return hasCue(read.cues, "denies") && denies(plain.replace(SMOOTHLY, " "));
}

/** "Tests passed", where the one run of them failed. */
function passesInVain({ plain, read }: ReadSentence, { calls: { bad, good } }: FactReader): boolean {
  if (read.claims < LIKELY || !TESTS.test(plain) || !SUCCESS.test(plain)) return false;
  const tests = ({ toolId }: ActivityItem) => tokensOf(toolId).includes("test");
  return bad.some(tests) && !good.some((item) => tests(item) || isOpenEnded(item.toolId));
}

const TESTS = /(?<!\p{L})tests?(?!\p{L})|prueba|テスト|测试|테스트/iu;

/**
 * Nothing was called at all, and the assistant says of itself that it did something which needs a
 * call: what the owner asked to have done, a look at what they did not put into the message, or,
 * beside the code that it hands over, that something went out to others ("I also sent Anna an e-mail
 * about it."); or it promises to come back with something, and nothing will wake it. Whoever speaks in a letter or a story may have done anything, and is not the assistant.
 */
function didWithoutCalls(sentence: ReadSentence, context: ReplyContext): Verdict | undefined {
  const { plain, places, read } = sentence;
  if (comesBackUncalled(sentence, context)) return { kind: "promise", items: [] };
  if (!tellsForItself(sentence, context)) return undefined;
  if (saysBrieflyDone(sentence, context)) return NO_CALL;
  if (saysAllHandled(sentence, context)) return NO_CALL;
  if (read.claims >= LIKELY && JUST_NOW.test(plain) && !context.handsOver)
    if (read.acts.look >= ACT_FROM && read.acts.look > mostChange(read)) return NOT_LOOKED;
  if (!hasCue(read.cues, "self")) return undefined;
  if (read.later >= LIKELY) {
    const promises = read.later >= SURE && read.claims >= LIKELY && context.asked.kind !== "words";
    return promises ? { kind: "promise", items: [] } : undefined;
  }
  const deeds = deedsNamedIn(plain, "done");
  if (
    isPlaced(places, "reply has code") &&
    TO_OTHERS.some((act) => read.acts[act] >= SURE && deeds.includes(act))
  )
    return NO_CALL;
  if (wasOnlyAsked(context) && read.claims >= LIKELY)
    return mostChange(read) >= read.acts.look || read.acts.look < ACT_FROM ? NO_CALL : undefined;
  const { asked, handsOver } = context;
  const didAsAsked =
    asked.kind === "effect" && deeds.some((deed) => (asked.verbs as string[]).includes(deed));
  if (didAsAsked && !handsOver && read.claims >= ACT_FROM) return NO_CALL;
  if (read.claims < LIKELY || handsOver) return undefined;
  const wantsLook = asked.kind === "look" || asked.kind === "status";
  if (wantsLook && deeds.length === 1 && deeds[0] === "look") return NOT_LOOKED;
  if (read.claims < SURE) return undefined;
  if (read.acts.look >= SURE && read.acts.look > mostChange(read))
    return asked.kind === "words" ? undefined : NOT_LOOKED;
  return asked.kind === "effect" && (deeds.length > 0 || saysDone(plain)) ? NO_CALL : undefined;
}

/** "I'll monitor the prices and let you know as soon as they drop": what it waits for is not the owner. */
function comesBackUncalled({ plain, read }: ReadSentence, { asked, request }: ReplyContext): boolean {
  if (read.later < SURE || read.claims < LIKELY || asked.kind === "words" || MADE_UP.test(request))
    return false;
  if (!hasCue(read.cues, "self") || hasCue(read.cues, "denies")) return false;
  return !hasCue(read.cues, "depends") || (LETS_KNOW.test(plain) && !OF_OWNER.test(plain));
}

const LETS_KNOW =
  /let you know|(?:report|get) back|ping you|alert you|notify you|tell you|text you|message you|update you|bescheid|melde mich|benachrichtige|te préviens|te tiens|reviens vers|te aviso|te avisaré|ti avviso|ti aggiorno|te aviso|te avisarei|laat (?:het )?je weten|dam ci znać|hör av mig|återkommer|dám ti vědět|haber ver|知らせ|通知|告诉你|알려/iu;

const OF_OWNER =
  /(?:if|once|when|as soon as|after|unless) you(?!\p{L})|(?:wenn|sobald|falls) (?:du|sie|ihr)(?!\p{L})|(?:si|dès que|quand) (?:tu|vous)(?!\p{L})|(?:si|cuando|en cuanto) (?:me|quieres|lo|deseas)|(?:se|appena|quando) (?:vuoi|mi)|(?:se|quando|assim que) (?:você|quiser|me)|(?:als|zodra) je|(?:jeśli|gdy) (?:chcesz|mi)|(?:om|när) du|pokud (?:chceš|mi)|istersen|如果你|您|たら(?:教え|送)|주시면/iu;

/** A look a moment ago is one at something outside. */
const JUST_NOW =
  /(?<!\p{L})(?:i(?:'ve)? just|(?:gerade|eben|soeben)(?: \p{L}+){0,4} (?:nach|ge|ver|über|durch)\p{L}+|je viens (?:de|d')|acabo de|(?:ho|abbiamo) appena|acabei de|(?:net|zojuist|even)(?: \p{L}+){0,4} (?:ge|be|na)\p{L}+|(?:właśnie|przed chwilą)|(?:nyss|precis|just)(?: \p{L}+){0,3} (?:kolla|titta|läs)\p{L}*|právě jsem|az önce)(?!\p{L})|刚(?:刚|才)?(?:查|看|搜|核)|(?:たった今|先ほど|今).{0,12}(?:確認|調べ|見)|방금.{0,12}(?:확인|찾아|비교|봤)/iu;

/** Something was to be done, or they ask whether the assistant did it; all that a cited look can say is how it stands. */
function finishedByLook({ plain, read, cited }: ReadSentence, { kind, ofYou }: ReadRequest): boolean {
  if (cited.length === 0 || read.claims < SURE || read.later >= LIKELY || isReport(read)) return false;
  if (kind !== "effect" && kind !== "other" && ofYou !== true) return false;
  return saysDone(plain) && read.acts.done >= LIKELY && wordsIn(plain) > FINISHED_WORDS_MIN;
}

/** "Done [c1]." may be said of the look itself. */
const FINISHED_WORDS_MIN = 2;

/** "Consider it done.", where something was to be done to what is not in the message. */
function saysBrieflyDone({ plain, places, read }: ReadSentence, { asked, handsOver }: ReplyContext): boolean {
  if (asked.kind !== "effect" || handsOver || read.claims < LIKELY || read.later >= LIKELY) return false;
  return !isPlaced(places, "in a list") && wordsIn(plain) <= SMALL_TALK_WORDS_MAX && saysDone(plain);
}

/** The owner said yes, nothing was called, and the assistant says that it has dealt with it all. */
function saysAllHandled({ plain, places, read }: ReadSentence, { asked }: ReplyContext): boolean {
  if (asked.kind !== "consent" || read.claims < LIKELY || read.acts.done < SURE) return false;
  return !isPlaced(places, "in a list") && ALL.test(plain) && saysDone(plain);
}

/** It tells of something that came about or will, and whoever tells it is the assistant. */
function tellsForItself(
  { plain, places, read, cited }: ReadSentence,
  { language, request }: ReplyContext,
): boolean {
  if (cited.length > 0) return false;
  if (read.unsuccessful >= ACT_FROM || isReport(read) || hasCue(read.cues, "depends")) return false;
  if (isPlaced(places, "after a greeting line") || isPlaced(places, "before a closing line")) return false;
  if (OWNER_FIRST.test(plain) || FROM_OWNER.test(plain) || isOfSomebody(plain, language)) return false;
  return !MADE_UP.test(request) && !PLAYS.test(request);
}

/** The owner was asked something, and nothing else was called: an answer of theirs changes nothing. */
function wasOnlyAsked({ asked, calls }: ReplyContext): boolean {
  return (
    calls.run.length > 0 && (asked.kind === "effect" || asked.kind === "other" || asked.kind === "consent")
  );
}

/**
 * Files, links or addresses are told of as dealt with, and of the calls about each of them none
 * succeeded. Words for deeds and outcomes of calls say this alone: what training made of the
 * sentence does not matter.
 */
export function tellsOfWhatWasTried(
  { plain, read }: ReadSentence,
  { bad, good }: SortedCalls,
): Verdict | undefined {
  if (bad.length === 0) return undefined;
  // Most sentences name nothing.
  const named = namedIn(plain);
  if (named.length === 0) return undefined;
  if (OWNER_FIRST.test(plain) || QUESTION.test(plain) || TELLS_OF_UNDO.test(plain)) return undefined;
  const isGone = GONE.test(plain);
  const isDenied = hasCue(read.cues, "denies") && !isGone && denies(plain.replace(SMOOTHLY, " "));
  if (isDenied || hasCue(read.cues, "fails", "waits", "depends", "keeps")) return undefined;
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

const BEFORE_SPACELESS =
  /(?<=[a-z0-9])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])/gu;

/** The owner asked for a change to a file or an address, nothing at all was called, and the sentence names that very one. */
function tellsOfWhatWasAsked(plain: string, read: ReadClaim, asked: ReadRequest, request: string): boolean {
  if (asked.kind !== "effect" || hasCue(read.cues, "denies", "depends", "fails", "waits")) return false;
  const named = namedIn(plain);
  if (named.length === 0) return false;
  const wanted = new Set(namedIn(request));
  return named.some((value) => wanted.has(value));
}

/** Told as sent, and all that the calls left is drafts. */
function sendsDraft({ plain, read, cited }: ReadSentence, changed: readonly ActivityItem[]): boolean {
  if (changed.length === 0 || cited.length > 0 || read.claims < SURE) return false;
  if (read.acts.send < LIKELY && !deedsNamedIn(plain, "done").includes("send")) return false;
  if (read.later >= LIKELY || isReport(read) || hasCue(read.cues, "depends")) return false;
  if (read.acts.draft >= ACT_FROM || DRAFT.test(plain)) return false;
  return changed.every(({ toolId }) => actsOf(toolId)?.has("draft"));
}

const DRAFT =
  /draft|entw[uü]rf|brouillon|borrador|bozz[ae]|rascunho|concept|szkic|utkast|koncept|taslak|下書き|草稿|초안|임시/iu;

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
  if (named.length === 0 || changed.length === 0 || acts.look >= LIKELY) return false;
  const known = [...calls.earlier, ...calls.run]
    .map((item) => `${item.target ?? ""}\n${calls.textOf(item)}`)
    .join("\n")
    .toLowerCase();
  // Where a thing came from and where it went are both told.
  if (files.length > 0 && changed.every(({ target = "" }) => ARROW.test(target)))
    return named.some((file) => !known.includes(file));
  if (acts.move >= ACT_FROM) return false;
  if (changed.some(({ target = "", toolId }) => namesIn(target).length === 0 || makesOther(toolId)))
    return false;
  return named.every((file) => !known.includes(file));
}

const ARROW = /\s(?:->|→|⇒|=>)\s/u;

const MOST_OF =
  /(?<!\p{L})(?:most of (?:them|the|these|those|your)|die meisten|la plupart|la mayoría|la maggior parte|a maioria|de meeste|większość|de flesta|většin\p{L})(?!\p{L})|大部分|大多数|ほとんど|대부분/iu;

/** Two that are known by themselves: "Both are paid." */
const BOTH =
  /^(?:both|beide|les deux|amb[oa]s|entramb[ei]|oba|obie|båda|obě|ikisi)(?!\p{L})|^两[笔个]都|^両方|^둘 다/iu;

/** What it leaves behind has another name than what it was given. */
function makesOther(toolId: string): boolean {
  return isOpenEnded(toolId) || fitsActs(["move", "run", "send"], { toolId, risk: "write" });
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

/**
 * It tells of reading, and the calls only found what there is to read: a file where the folder was
 * listed, a page where the web was searched, "both" where one of two was opened.
 */
function opensWhatWasOnlyFound(
  { plain, text, read, cited }: ReadSentence,
  language: string,
  { calls: { good, looked } }: FactReader,
): boolean {
  if (cited.length > 0 || read.claims < LIKELY || !tellsOfLook(read) || !OPENED.test(plain)) return false;
  if (looked.length === 0 || looked.length < good.length) return false;
  if (hasCue(read.cues, "denies", "depends", "fails") || OWNER_FIRST.test(plain)) return false;
  const reads = looked.filter(({ toolId }) => !isListing(toolId));
  if (reads.length > 0) {
    const said = saidCount(text, language, true);
    const isAll = ALL.test(plain) && said <= READ_ONE_BY_ONE_MAX;
    return isAll && said > reads.length && reads.every(({ toolId, count }) => !count && isLook(toolId));
  }
  const isAt = (realm: RegExp) => looked.every(({ toolId }) => realm.test(tokensOf(toolId)[0] ?? ""));
  if (isAt(/^(?:file|folder|drive)$/u)) return !FOLDER.test(plain);
  return isAt(/^web$/u) && PAGE.test(plain);
}

/** Who reads more than this in one go may have had them all from one call. */
const READ_ONE_BY_ONE_MAX = 6;

const FOLDER =
  /folder|director|(?<!\p{L})list|ordner|verzeichnis|dossier|répertoire|carpeta|cartell|(?<!\p{L})pasta|(?<!\p{L})map(?:pen)?(?!\p{L})|katalog|mapp|složk|klasör|文件夹|目录|フォルダ|폴더/iu;

const PAGE =
  /(?<!\p{L})(?:web ?)?(?:pages?|sites?)(?!\p{L})|website|webseite|startseite|(?<!\p{L})seite|página|pagina|(?<!\p{L})sit[oi](?!\p{L})|stron[ęy]|hemsid|(?<!\p{L})sidan|stránk|sayfa|网页|页面|官网|ページ|サイト|페이지|사이트/iu;

/** It tells of a look at a page, and the pages that were opened are others. */
function looksAtOtherPage(
  { plain, read, cited }: ReadSentence,
  calls: CallsOfSession,
  { calls: { good, looked } }: FactReader,
): boolean {
  const links = valuesOf(plain, "link");
  if (links.length === 0 || cited.length > 0 || read.claims < LIKELY) return false;
  if (looked.length === 0 || looked.length < good.length || read.unsuccessful >= ACT_FROM) return false;
  if (!looked.every(({ target = "" }) => valuesOf(target, "link").length > 0)) return false;
  const known = good.map((item) => `${item.target ?? ""}\n${calls.textOf(item)}`.toLowerCase()).join("\n");
  return links.every((link) => !hasName(known, link.split("/", 1)[0]!));
}

/** A change was asked for and is told of, and every call only looked. */
function changesByLooking(
  { plain, read, clauses, cited }: ReadSentence,
  { kind, negated, verbs }: ReadRequest,
  { calls: { good, looked, bad } }: FactReader,
): boolean {
  // A request that was not understood may have asked for it: then the words must say clearly that it was done.
  const isClear = kind === "other" && hasCue(read.cues, "self") && mostChange(read) >= SURE;
  if (kind !== "effect" && !isClear) return false;
  if (negated || cited.length > 0 || read.claims < SURE || read.later >= ACT_FROM) return false;
  if (looked.length === 0 || looked.length < good.length || bad.length > 0) return false;
  if (!looked.every(({ toolId }) => isLook(toolId)) || OWNER_FIRST.test(plain)) return false;
  if (read.unsuccessful >= ACT_FROM || hasCue(read.cues, "denies", "depends", "fails")) return false;
  const told = clauses.length > 0 ? clauses : [{ plain, read }];
  return told.some((clause) =>
    deedsNamedIn(clause.plain, "done").some(
      (deed) =>
        CHANGES.includes(deed as Act) &&
        ((mostChange(clause.read) >= LIKELY && hasCue(read.cues, "self")) ||
          (verbs as readonly string[]).includes(deed)),
    ),
  );
}

/** It can do anything, and is no look. */
function isProgram({ toolId, risk }: ActivityItem): boolean {
  return isOpenEnded(toolId) && !(risk === "read" && isLook(toolId));
}

/** What a list of files says is which there are; that somebody emptied the folder, it does not. */
function changesByListing({ plain, read, cited }: ReadSentence): boolean {
  if (cited.length === 0 || read.claims < SURE || reports({ plain, read })) return false;
  if (mostChange(read) < SURE && !hasCue(read.cues, "self")) return false;
  const areListings = cited.every(({ toolId }) => isListing(toolId) && tokensOf(toolId)[0] === "file");
  return areListings && deedsNamedIn(plain, "done").some((deed) => CHANGES.includes(deed as Act));
}

/** A clause tells that something was sent or paid, and no call that succeeded can do such a thing. */
function sentWithoutSender(
  { plain, read, clauses, cited }: ReadSentence,
  { calls: { good, bad } }: FactReader,
): Verdict | undefined {
  if (cited.length > 0 || good.length + bad.length === 0) return undefined;
  if (!hasCue(read.cues, "self") || OWNER_FIRST.test(plain)) return undefined;
  if (read.later >= ACT_FROM || hasCue(read.cues, "depends")) return undefined;
  const told = clauses.length > 0 ? clauses : [{ plain, read }];
  const isUnsent = (act: Act) =>
    !good.some((item) => (item.risk !== "read" && fitsActs([act], item)) || isProgram(item)) &&
    told.some(
      (clause) =>
        clause.read.claims >= SURE &&
        clause.read.acts[act] >= SURE &&
        !reports(clause) &&
        deedsNamedIn(clause.plain, "done").includes(act),
    );
  if (!isUnsent("send") && !isUnsent("pay")) return undefined;
  const open = bad.filter((item) => fitsActs(["send", "pay"], item));
  if (open.length > 0) return { kind: "not-succeeded", items: open };
  const changed = good.filter(({ risk }) => risk !== "read");
  return changed.length > 0 ? { kind: "other-action", items: changed } : NO_CALL;
}

/** A clause names a device and a room, and that device was set in other rooms only. */
function deviceElsewhere({ plain, clauses }: ReadSentence, done: readonly ActivityItem[]): boolean {
  const texts = clauses.length > 0 ? clauses.map((clause) => clause.plain) : [plain];
  return texts.some((text) =>
    DEVICES.some(({ words, tools }) => {
      if (!words.test(text.toLowerCase())) return false;
      const set = done.filter(({ toolId }) => tokensOf(toolId).some((token) => tools.test(token)));
      return set.length > 0 && set.every(({ target = "" }) => isOtherRoom(text, target));
    }),
  );
}

/** The owner named somebody, the sentence does too, and the one call went to somebody else: "Lucía" for "Lucas Ferrer". */
function isOtherPerson(
  plain: string,
  request: string,
  done: readonly ActivityItem[],
  calls: CallsOfSession,
): boolean {
  const [only] = done;
  if (only?.target === undefined || done.length > 1 || isOpenEnded(only.toolId)) return false;
  if (!fitsActs(["send"], only) || fitsActs(["schedule"], only)) return false;
  const to = only.target.split(ARROW).at(-1)!;
  const theirs: string[] = to.match(PERSON) ?? [];
  const asked = (request.match(ASKED_PERSON) ?? []).filter((name) => !isDayOrMonth(name));
  const told = asked.filter((name) => plain.includes(name));
  if (theirs.length === 0 || told.length === 0) return false;
  const known = `${only.target}\n${calls.textOf(only)}`.toLowerCase();
  const isBegun = (name: string) =>
    theirs.some((other) => other.startsWith(name.slice(0, 4)) || name.startsWith(other.slice(0, 4)));
  return (
    told.every((name) => !known.includes(name.toLowerCase()) && !isBegun(name)) &&
    !theirs.some((name) => `${plain} ${request}`.includes(name))
  );
}

/** Two words with capitals, or one alone: somebody's name. */
const PERSON = /(?<![\p{L}\p{N}@.])\p{Lu}\p{Ll}{2,}(?![\p{L}\p{N}@.])/gu;
/** One within a request. */
const ASKED_PERSON = /(?<=\p{L}\s)\p{Lu}\p{Ll}{2,}(?!\p{L})/gu;

/** It names a year, and what the calls were about has another: the report of 2022 for that of 2023. */
function isOtherYear(plain: string, done: readonly ActivityItem[], calls: CallsOfSession): boolean {
  const said = plain.match(YEAR) ?? [];
  if (said.length === 0 || !done.every(({ target = "" }) => target.match(YEAR) !== null)) return false;
  const known = done.map((item) => `${item.target ?? ""}\n${calls.textOf(item)}`).join("\n");
  return said.every((year) => !known.includes(year));
}

const YEAR = /(?<![\p{L}\p{N}.,])(?:19|20)\d\d(?!\p{N}|[.,-]\d)/gu;

/** "I'll remind you on Thursday": a note alone wakes nobody. */
function promisesReminder(plain: string, { acts, claims, later, unsuccessful, cues }: ReadClaim): boolean {
  if (later < SURE || claims < SURE || acts.schedule < SURE || unsuccessful >= ACT_FROM) return false;
  return hasCue(cues, "self") && !hasCue(cues, "depends", "denies") && REMIND.test(plain);
}

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
