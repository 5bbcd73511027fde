import type { ActivityItem } from "../tool/activity.ts";
import type { ReadRequest } from "../request/read-request.ts";
import { isSmallWord, type Language } from "../request/language.ts";
import { cuesIn, denies, hasCue, isPlaced, type Places } from "./claim-features.ts";
import { ACTS, type Act, type ReadClaim } from "./claim-model.ts";
import {
  bare,
  HALF,
  HANGUL,
  IDEOGRAPH,
  LATIN,
  LETTER,
  MARK,
  NUMBER,
  runsOf,
  SPACELESS,
  spelled,
} from "../base/letters.ts";
import { FactSheet, type FactRecord } from "./fact-sheet.ts";
import { requestPlaces } from "./sentences.ts";
import { isGood, isMadeGood, type CallsOfSession } from "./session-calls.ts";
import { fitsActs, isLook, isOpenEnded, tokensOf } from "./tool-acts.ts";
import {
  allValuesOf,
  type Counted,
  countedThings,
  folded,
  type HeldValues,
  heldValues,
  mentions,
  namesIn,
  numbersSaid,
  otherCount,
  otherThan,
  saidCount,
} from "./values.ts";
import { WordScan } from "./word-scan.ts";

/** One sentence as it was read. */
export interface ReadSentence {
  /** As written. */
  readonly text: string;
  readonly plain: string;
  readonly places: Places;
  readonly read: ReadClaim;
  /** Its clauses, each read for itself, where it has several. */
  readonly clauses: readonly { readonly plain: string; readonly read: ReadClaim }[];
  /** Calls that the sentence cites. */
  readonly cited: readonly ActivityItem[];
}

/** What one sentence needs to know of the whole. */
export interface ReplyContext {
  readonly sentences: readonly ReadSentence[];
  readonly calls: CallsOfSession;
  readonly request: string;
  readonly asked: ReadRequest;
  /** The request brings what it is about along, as words. */
  readonly handsOver: boolean;
  readonly language: Language;
}

/** Kinds of action that change something. */
export const CHANGES: readonly Act[] = ACTS.filter(
  (act) => act !== "look" && act !== "approve" && act !== "done",
);

/** Calls sorted by what came of them; once for a reply. */
export interface SortedCalls {
  readonly all: readonly ActivityItem[];
  readonly good: readonly ActivityItem[];
  readonly changed: readonly ActivityItem[];
  readonly looked: readonly ActivityItem[];
  /** Not succeeded, and not made good since. */
  readonly bad: readonly ActivityItem[];
  /** Not succeeded at first: a later call made it good. */
  readonly madeGood: readonly ActivityItem[];
}

export function sortCalls({ run, earlier, recalled, attached }: CallsOfSession): SortedCalls {
  const calls = [...earlier, ...run].filter(({ toolId }) => tokensOf(toolId)[0] !== "owner");
  // What memory or the owner put before the model is a look that nobody had to call for.
  const all = recalled || attached ? [RECALL, ...calls] : calls;
  const good = all.filter(isGood);
  const notGood = all.filter((item) => !isGood(item));
  const madeGood = notGood.filter((item) => isMadeGood(item, all));
  return {
    all,
    good,
    changed: good.filter(({ risk }) => risk !== "read"),
    looked: good.filter(({ risk }) => risk === "read"),
    bad: notGood.filter((item) => !madeGood.includes(item)),
    madeGood,
  };
}

const RECALL: ActivityItem = {
  cite: "c0",
  callId: "",
  toolId: "memory.note.search",
  status: "succeeded",
  risk: "read",
  when: 0,
  receiptRef: "",
  summary: "",
};

/** What some calls were about, read once for all sentences that may tell of them. */
interface Dealt {
  readonly count: number;
  /** What each was about is known. */
  readonly told: boolean;
  /** Targets, without the servers of addresses. */
  readonly targets: string;
  /** What is known of them, in lower case. */
  readonly lower: string;
  /** The values of their targets, and what these count. */
  readonly values: HeldValues;
  readonly counted: readonly Counted[];
  readonly held: ReadonlySet<Word>;
  readonly target: ReadonlySet<Word>;
  readonly toolWords: ReadonlySet<Word>;
  readonly numbers: readonly number[];
  /** Of the targets alone: how many bytes a call wrote is nothing that a sentence leaves out. */
  readonly targetNumbers: readonly number[];
  /** Days of the week. */
  readonly days: readonly string[];
  /** Names with digits in their targets. */
  readonly numbered: readonly string[];
}

/** Of every reader, in their order. */
const FACT_NAMES: string[] = [];

/**
 * What is known about a sentence, as numbers with names: how it reads, what was asked, what the
 * calls did, and where the two differ. Training and judging share this file; whoever changes it
 * trains again. One reader is for one reply.
 */
export class FactReader {
  readonly calls: SortedCalls;
  readonly #context: ReplyContext;
  readonly #sheet = new FactSheet(FACT_NAMES);
  /** So many facts come first, which no sentence changes. */
  readonly #shared: number;
  readonly #acts = new Map<ActivityItem, ReadonlySet<Act>>();
  readonly #names = new Map<ActivityItem, readonly string[]>();
  readonly #dealt = new Map<string, Dealt>();
  readonly #visited = new Map<Realm, boolean>();
  readonly #requestWords: ReadonlySet<Word>;
  readonly #badChanges: readonly ActivityItem[];
  /** Kinds of change that were made, and that were tried in vain. */
  readonly #made: ReadonlySet<Act>;
  readonly #tried: ReadonlySet<Act>;
  readonly #unknown: ReadonlySet<Act>;
  readonly #goodNames: ReadonlySet<string>;
  readonly #isApproved: boolean;
  readonly #others: Others;
  readonly #goodTokens: ReadonlySet<string>;
  #askedNumbered: readonly string[] | undefined;
  #lookedText: string | undefined;

  constructor(context: ReplyContext) {
    const calls = sortCalls(context.calls);
    this.#context = context;
    this.calls = calls;
    this.#requestWords = wordsIn(context.request);
    this.#badChanges = calls.bad.filter(({ risk }) => risk !== "read");
    this.#made = new Set(calls.changed.flatMap((item) => [...this.#actsOf(item)]));
    this.#tried = new Set(this.#badChanges.flatMap((item) => [...this.#actsOf(item)]));
    this.#unknown = new Set(
      this.#badChanges
        .filter(({ status }) => status === "unknown")
        .flatMap((item) => [...this.#actsOf(item)]),
    );
    this.#isApproved = calls.all.some(({ approval }) => approval?.decision === "approved");
    this.#goodTokens = new Set(
      calls.good.flatMap(({ toolId }) => (isOpenEnded(toolId) ? ["open ended"] : tokensOf(toolId))),
    );
    this.#goodNames = new Set(calls.good.flatMap((item) => this.#namesOf(item)));
    this.#others = othersIn(context.sentences);
    askedFacts(this.#sheet, context);
    callFacts(this.#sheet, context, calls);
    this.#shared = this.#sheet.size;
  }

  /** What was looked at and what that gave, in lower case. */
  get lookedText(): string {
    this.#lookedText ??= this.calls.looked
      .map((item) => `${item.target ?? ""}\n${this.#context.calls.textOf(item)}`)
      .join("\n")
      .toLowerCase();
    return this.#lookedText;
  }

  /** Of the sentence at this place, by their names; for training. */
  factsOf(index: number): readonly FactRecord[] {
    return [this.sheetOf(index).toRecord()];
  }

  /** Of the sentence at this place, until the next one is asked for. */
  sheetOf(index: number): FactSheet {
    const out = this.#sheet;
    const sentence = this.#context.sentences[index]!;
    const words = wordsIn(sentence.plain);
    const wordings = WORDINGS.find(spelled);
    out.backTo(this.#shared);
    wordingFacts(out, sentence, wordings, runsOf(spelled, LETTER | NUMBER));
    this.#placeFacts(out, index);
    requestFacts(out, this.#context, sentence, shareOf(words, this.#requestWords));
    this.#fitFacts(out, sentence, wordings);
    this.#valueFacts(out, sentence, words, wordings);
    return out;
  }

  /** Where a sentence stands, and how it claims among the others. */
  #placeFacts(out: FactSheet, index: number): void {
    const { sentences } = this.#context;
    const { places, read } = sentences[index]!;
    const { claiming, most: mostClaiming, admits } = this.#others;
    const othersClaim = mostClaiming.besides(index);
    const othersAdmit = admits.besides(index);
    out.put("first", is(isPlaced(places, "first")));
    out.put("last", is(isPlaced(places, "last")));
    out.put("in a list", is(isPlaced(places, "in a list")));
    out.put("heading or label", is(isPlaced(places, "heading or label")));
    out.put("in a table", is(isPlaced(places, "in a table")));
    out.put("after code", is(isPlaced(places, "after code")));
    out.put("before code", is(isPlaced(places, "before code")));
    out.put("reply has code", is(isPlaced(places, "reply has code")));
    out.put("reply has a quotation", is(isPlaced(places, "reply has a quotation")));
    out.put("after a greeting line", is(isPlaced(places, "after a greeting line")));
    out.put("before a closing line", is(isPlaced(places, "before a closing line")));
    out.put("ends with a colon", is(isPlaced(places, "ends with a colon")));
    out.put("very short", is(isPlaced(places, "very short")));
    out.put("names a file or address", is(isPlaced(places, "names a file or address")));
    out.put("sentences", sentences.length);
    out.put("place", index);
    out.put("others claim", othersClaim);
    out.put("others admit", othersAdmit);
    out.put("claims most", is(othersClaim <= read.claims));
    out.put("claiming sentences", claiming);
    out.put("claims before", sentences[index - 1]?.read.claims ?? 0);
  }

  #actsOf(item: ActivityItem): ReadonlySet<Act> {
    let acts = this.#acts.get(item);
    if (acts === undefined) {
      acts = new Set(ACTS.filter((act) => fitsActs([act], item)));
      this.#acts.set(item, acts);
    }
    return acts;
  }

  #namesOf(item: ActivityItem): readonly string[] {
    let names = this.#names.get(item);
    if (names === undefined) {
      names = namesIn(item.target ?? "");
      this.#names.set(item, names);
    }
    return names;
  }

  /** How far the kinds of action that a sentence tells of are kinds that the calls were of. */
  #fitFacts(out: FactSheet, { plain, read, clauses, cited }: ReadSentence, wordings: number): void {
    const { good, looked, bad } = this.calls;
    const top = CHANGES.reduce((best, act) => (read.acts[act] > read.acts[best] ? act : best));
    const places = this.#placesNamed(wordings);
    const called = this.calls.all.length > 0;
    const deeds = called ? this.#deedsIn(plain) : NO_DEEDS;
    const text = called ? folded(plain) : "";
    const isNamed = (item: ActivityItem) => this.#namesOf(item).some((name) => mentions(text, name));
    out.put("unmet change", unmet(read, this.#made));
    out.put(
      "clause unmet change",
      mostOf(clauses, (clause) => clause.read.claims * unmet(clause.read, this.#made)),
    );
    out.put(
      "clause met by bad",
      mostOf(clauses, ({ read: part }) => part.claims * (1 - part.unsuccessful) * met(part, this.#tried)),
    );
    // What the sentence does not name, no clause of it does.
    out.put(
      "clause not visited",
      places.named === 0
        ? 0
        : mostOf(clauses, (clause) => clause.read.claims * is(this.namesPlaceNotVisited(clause.plain))),
    );
    out.put(
      "clause unmet look",
      looked.length === 0 ? mostOf(clauses, ({ read: part }) => part.claims * part.acts.look) : 0,
    );
    out.put("unmet look", looked.length === 0 ? read.acts.look : 0);
    out.put("unmet later", this.#made.has("schedule") ? 0 : read.later);
    out.put("met change", met(read, this.#made));
    out.put("met by bad", met(read, this.#tried));
    out.put("top act met", is(this.#made.has(top)));
    out.put("top act bad", is(this.#tried.has(top)));
    out.put("top act unknown", is(this.#unknown.has(top)));
    out.put("approval not given", this.#isApproved ? 0 : read.acts.approve);
    out.put("deeds named", deeds.named);
    out.put("deeds not made", deeds.notMade);
    out.put(
      "clause deeds not made",
      deeds.notMade === 0
        ? 0
        : mostOf(clauses, (clause) => clause.read.claims * is(this.#deedsIn(clause.plain).notMade > 0)),
    );
    out.put("good named", good.filter(isNamed).length);
    out.put("bad named", bad.filter(isNamed).length);
    out.put(
      "bad named apart",
      bad.filter((item) =>
        this.#namesOf(item).some((name) => !this.#goodNames.has(name) && mentions(text, name)),
      ).length,
    );
    out.put("cited", cited.length);
    out.put("cited bad", cited.filter((item) => !isGood(item)).length);
    out.put("cited change", cited.filter((item) => isGood(item) && item.risk !== "read").length);
    out.put("places named", places.named);
    out.put("places not visited", places.notVisited);
    // Only calls can speak against a denial.
    out.put("nothing", is(called && (wordings & NOTHING_BIT) !== 0));
    out.put("else", is(called && (wordings & ELSE_BIT) !== 0));
    out.put("unsure", is(called && (wordings & UNSURE_BIT) !== 0));
  }

  #placesNamed(wordings: number) {
    let named = 0;
    let been = 0;
    for (let at = 0; at < REALMS.length; at += 1) {
      if (!(wordings & (1 << (REALM_BITS_FROM + at)))) continue;
      named += 1;
      if (this.#isVisited(REALMS[at]!)) been += 1;
    }
    return { named, notVisited: named - been };
  }

  /** Deeds that tools are named after: how many a text tells of, and how many of them no call made. */
  #deedsIn(plain: string) {
    spelled.spell(plain);
    const found = DEED_SCAN.find(spelled);
    let named = 0;
    let notMade = 0;
    for (const [at, { tools }] of NAMED_DEEDS.entries()) {
      if (!(found & (1 << at))) continue;
      named += 1;
      if (!this.#goodTokens.has("open ended") && !tools.some((token) => this.#goodTokens.has(token)))
        notMade += 1;
    }
    return { named, notMade };
  }

  /** Most words for what the call dealt with stand in the text or in the request. Where none are known, it may be. */
  isAbout({ target = "" }: ActivityItem, plain: string): boolean {
    const words = wordsIn(target);
    return words.size === 0 || shareOf(words, wordsIn(plain), this.#requestWords) > 0.5;
  }

  /**
   * Things that the owner asked for are listed in one breath, more than these calls dealt with, and
   * of some the calls know and of others not: "Ana, Ben and Chi", where two of them were invited.
   */
  listsMore(plain: string, items: readonly ActivityItem[]): boolean {
    const listed = listedIn(plain).map(wordsIn);
    const { count, told, targets } = this.#dealtBy(items);
    const { held } = this.#dealtBy(this.calls.good);
    if (listed.length <= count || !told || scriptOf(plain) !== scriptOf(targets)) return false;
    const isAsked = listed.every((words) => words.size > 0 && shareOf(words, this.#requestWords) > 0);
    const found = listed.filter((words) => shareOf(words, held) > 0).length;
    return isAsked && found > 0 && found < listed.length;
  }

  /** Where a call has one name beside a word, the sentence has another: "Room Birch" for "Room Aspen". */
  namesAnother(plain: string, items: readonly ActivityItem[]): boolean {
    const { told, targets, held } = this.#dealtBy(items);
    if (!told || scriptOf(plain) !== scriptOf(targets)) return false;
    return hasOtherName(plain, targets, held);
  }

  /** It names a deed that tools are named after, and none of the calls was of such a tool. */
  namesDeedNotMade(plain: string): boolean {
    return this.#deedsIn(plain).notMade > 0;
  }

  /** It names places outside, and no call was at any of them: an inbox, where the calendar was read. */
  namesOnlyOtherPlaces(plain: string): boolean {
    spelled.spell(plain);
    const found = WORDINGS.find(spelled);
    const named = REALMS.filter((_, at) => found & (1 << (REALM_BITS_FROM + at)));
    const wasAt = ({ tools }: Realm) =>
      this.calls.good.some(
        ({ toolId }) =>
          (isOpenEnded(toolId) && !isLook(toolId)) || tokensOf(toolId).some((token) => tools.test(token)),
      );
    return named.length > 0 && !named.some(wasAt);
  }

  namesPlaceNotVisited(plain: string): boolean {
    spelled.spell(plain);
    return this.#placesNamed(WORDINGS.find(spelled)).notVisited > 0;
  }

  #isVisited(realm: Realm): boolean {
    let visited = this.#visited.get(realm);
    if (visited === undefined) {
      visited = this.calls.good.some(
        ({ toolId }) => isOpenEnded(toolId) || tokensOf(toolId).some((token) => realm.tools.test(token)),
      );
      this.#visited.set(realm, visited);
    }
    return visited;
  }

  /** The owner wrote this very name. */
  #asksFor(name: string): boolean {
    this.#askedNumbered ??= numberedIn(this.#context.request);
    return this.#askedNumbered.includes(name);
  }

  #dealtBy(items: readonly ActivityItem[]): Dealt {
    const key = items.map(({ cite }) => cite).join(" ");
    let dealt = this.#dealt.get(key);
    if (dealt === undefined) {
      dealt = dealtBy(items, this.#context);
      this.#dealt.set(key, dealt);
    }
    return dealt;
  }

  /** Where what the sentence names differs from what the calls were about. */
  #valueFacts(
    out: FactSheet,
    { text, plain, read }: ReadSentence,
    words: ReadonlySet<Word>,
    wordings: number,
  ): void {
    const { good, changed } = this.calls;
    const { language } = this.#context;
    const asked = this.#requestWords;
    const about = changed.length > 0 ? changed : good;
    const fitting = about.filter((item) => {
      const acts = this.#actsOf(item);
      return CHANGES.some((act) => read.acts[act] >= 0.35 && acts.has(act));
    });
    const {
      count,
      told,
      targets,
      lower,
      values: heldByKind,
      counted,
      held,
      target,
      toolWords,
      numbers: heldNumbers,
      targetNumbers,
      days,
      numbered,
    } = this.#dealtBy(fitting.length > 0 ? fitting : about);
    const said = saidCount(text, language, (wordings & ALL_BIT) !== 0);
    const values = allValuesOf(plain);
    // What a target is called can be compared only where it is known, and written in the same script.
    const comparable = told && scriptOf(plain) === scriptOf(targets);
    let shared = 0;
    let sharedInCalls = 0;
    for (const word of words) {
      if (!asked.has(word)) continue;
      shared += 1;
      if (held.has(word) || toolWords.has(word)) sharedInCalls += 1;
    }
    const names = comparable ? [...namesOf(plain)].filter((name) => !held.has(name)) : [];
    const askedNames = names.filter((name) => asked.has(name)).length;
    const numbers = numbersSaid(plain, language).filter((n) => n !== count && n !== good.length);
    const listed = listedIn(plain);
    const heldByAll = listed.length > 0 ? this.#dealtBy(about).held : held;
    const listedFound = listed.filter((item) => shareOf(wordsIn(item), heldByAll) > 0).length;
    // Without calls there is nothing to compare them with.
    const unknown =
      told || numbered.length > 0 ? numberedIn(plain).filter((name) => !lower.includes(name)) : [];
    const twins = unknown.filter((name) => hasTwin(name, numbered, plain));
    out.put("numbered not found", told ? unknown.length : 0);
    out.put("numbered twins", twins.length);
    out.put("asked twins", twins.length > 0 ? twins.filter((name) => this.#asksFor(name)).length : 0);
    out.put("other value", is(good.length > 0 && otherThan(plain, heldByKind, lower) !== undefined));
    out.put("other count", is(good.length > 0 && otherCount(plain, counted, language)));
    out.put("other day", is(otherDay(plain, days)));
    out.put("count said", said);
    out.put("count over", said - count);
    out.put("count over all", said - good.length);
    out.put("numbers", numbers.length);
    out.put("numbers not found", told ? numbers.filter((n) => !hasNumber(heldNumbers, n)).length : 0);
    out.put(
      "numbers unsaid",
      told && numbers.length > 0 ? targetNumbers.filter((n) => !hasNumber(numbers, n)).length : 0,
    );
    out.put("listed", listed.length);
    out.put("listed over", listed.length - count);
    out.put("listed found", comparable ? listedFound : 0);
    out.put("listed not found", comparable ? listed.length - listedFound : 0);
    out.put("values", values.length);
    out.put("values not found", told ? values.filter((value) => !lower.includes(value)).length : 0);
    out.put("targets told", is(told));
    out.put("target words", target.size);
    out.put("target words in sentence", comparable ? shareOf(target, words) : -1);
    out.put("target words unheard", comparable ? shareOf(target, words, asked) : -1);
    out.put("asked words", shared);
    out.put("asked words in calls", comparable && shared > 0 ? sharedInCalls / shared : -1);
    out.put("names not in calls", names.length);
    out.put("asked names not in calls", askedNames);
    out.put("new names", names.length - askedNames);
  }
}

function dealtBy(items: readonly ActivityItem[], { calls, language }: ReplyContext): Dealt {
  const targets = items.map(({ target }) => (target ?? "").replace(/@[\p{L}\p{N}.-]+/gu, " ")).join("\n");
  const whole = items.map(({ target }) => target ?? "").join("\n");
  const known = `${whole}\n${items.map((item) => calls.textOf(item)).join("\n")}`;
  return {
    count: items.reduce((sum, item) => sum + (item.count ?? 1), 0),
    told: items.length > 0 && items.every((item) => item.target !== undefined),
    targets,
    lower: known.toLowerCase(),
    values: heldValues(whole),
    counted: countedThings(whole, language),
    held: wordsIn(known),
    target: wordsIn(targets),
    toolWords: wordsIn(items.map(({ toolId }) => tokensOf(toolId).join(" ")).join(" ")),
    numbers: numbersSaid(known, language),
    targetNumbers: numbersSaid(whole, language),
    days: whole.toLowerCase().match(WEEKDAYS) ?? [],
    numbered: numberedIn(whole),
  };
}

function wordingFacts(
  out: FactSheet,
  { plain, read, clauses }: ReadSentence,
  wordings: number,
  words: number,
): void {
  out.put("claims", read.claims);
  out.put("unsuccessful", read.unsuccessful);
  out.put("later", read.later);
  out.put("asked", read.asked);
  out.put("act look", read.acts.look);
  out.put("act write", read.acts.write);
  out.put("act delete", read.acts.delete);
  out.put("act move", read.acts.move);
  out.put("act send", read.acts.send);
  out.put("act draft", read.acts.draft);
  out.put("act pay", read.acts.pay);
  out.put("act schedule", read.acts.schedule);
  out.put("act run", read.acts.run);
  out.put("act control", read.acts.control);
  out.put("act approve", read.acts.approve);
  out.put("act done", read.acts.done);
  out.put(
    "change",
    mostOf(CHANGES, (act) => read.acts[act]),
  );
  out.put(
    "clause claims",
    Math.max(
      read.claims,
      mostOf(clauses, (clause) => clause.read.claims),
    ),
  );
  out.put(
    "clause later",
    Math.max(
      read.later,
      mostOf(clauses, (clause) => clause.read.later * clause.read.claims),
    ),
  );
  out.put(
    "clause unsuccessful",
    mostOf(clauses, (clause) => clause.read.unsuccessful),
  );
  out.put(
    "clause successful",
    mostOf(clauses, (clause) => clause.read.claims * (1 - clause.read.unsuccessful)),
  );
  out.put("denies", is(hasCue(read.cues, "denies") && denies(plain.replace(SMOOTHLY, " "))));
  out.put("keeps", is(hasCue(read.cues, "keeps")));
  out.put("fails", is(hasCue(read.cues, "fails")));
  out.put("waits", is(hasCue(read.cues, "waits")));
  out.put("depends", is(hasCue(read.cues, "depends")));
  out.put("outside", is(hasCue(read.cues, "outside")));
  out.put("self", is(hasCue(read.cues, "self")));
  out.put("success", is((wordings & SUCCESS_BIT) !== 0));
  out.put("all", is((wordings & ALL_BIT) !== 0));
  out.put("part of", is((wordings & PART_OF_BIT) !== 0));
  out.put("also", is((wordings & ALSO_BIT) !== 0));
  out.put("words", words);
  out.put("length", plain.length);
}

function askedFacts(out: FactSheet, { asked, request }: ReplyContext): void {
  for (const kind of ["effect", "look", "status", "consent", "words", "question", "other"] as const)
    out.put(`wish ${kind}`, is(asked.kind === kind));
  out.put("wish negated", is(asked.negated));
  out.put("asks of you", is(asked.ofYou === true));
  out.put("request asks", is(/[?？]/u.test(request)));
  out.put("request hands over", is(/[:：\n]/u.test(request)));
  out.put("request has code", is(isPlaced(requestPlaces(request), "request has code")));
  out.put("request length", request.length);
  out.put("request outside", is(hasCue(cuesIn(request), "outside")));
}

function requestFacts(out: FactSheet, { asked }: ReplyContext, { read }: ReadSentence, shared: number): void {
  const verbs = asked.verbs as readonly Act[];
  out.put(
    "wished act",
    mostOf(verbs, (act) => read.acts[act]),
  );
  out.put(
    "unwished act",
    mostOf(CHANGES, (act) => (verbs.includes(act) ? 0 : read.acts[act])),
  );
  out.put("request words shared", shared);
}

function callFacts(out: FactSheet, { calls, asked }: ReplyContext, sorted: SortedCalls): void {
  const { all, changed, looked, bad, madeGood } = sorted;
  const ofStatus = (...any: readonly ActivityItem["status"][]) =>
    bad.filter(({ status }) => any.includes(status)).length;
  const ofRun = (items: readonly ActivityItem[]) => items.filter((item) => calls.run.includes(item)).length;
  const verbs = asked.verbs as readonly Act[];
  out.put("calls", all.length);
  out.put("calls of the run", calls.run.length);
  out.put("changed", changed.length);
  out.put("changed in the run", ofRun(changed));
  out.put("looked", looked.length);
  out.put("bad", bad.length);
  out.put("bad in the run", ofRun(bad));
  out.put("bad changes", bad.filter(({ risk }) => risk !== "read").length);
  out.put("made good", madeGood.length);
  out.put("failed", ofStatus("failed") + bad.filter(({ exitCode }) => exitCode !== undefined).length);
  out.put("denied", ofStatus("denied", "expired"));
  out.put("pending", ofStatus("pending"));
  out.put("unknown", ofStatus("unknown"));
  out.put("approved", is(all.some(({ approval }) => approval?.decision === "approved")));
  out.put("owner was asked", is(all.some(({ approval }) => approval?.required === true)));
  out.put("open ended", is(all.some(({ toolId }) => isOpenEnded(toolId))));
  out.put("wish met", is(verbs.length > 0 && sorted.good.some((item) => fitsActs(verbs, item))));
  out.put("wish unmet", is(verbs.some((act) => !sorted.good.some((item) => fitsActs([act], item)))));
}

/** How the sentences of a reply claim, so that each is told from the others at once. */
interface Others {
  readonly claiming: number;
  readonly most: Largest;
  readonly admits: Largest;
}

function othersIn(sentences: readonly ReadSentence[]): Others {
  const most = new Largest();
  const admits = new Largest();
  let claiming = 0;
  for (const [at, { read }] of sentences.entries()) {
    claiming += read.claims;
    most.add(at, read.claims);
    admits.add(at, read.claims * read.unsuccessful);
  }
  return { claiming, most, admits };
}

/** The largest of some values, with or without any one of them; at least 0. */
class Largest {
  #at = -1;
  #first = 0;
  #second = 0;

  add(at: number, value: number): void {
    if (value > this.#first) {
      this.#second = this.#first;
      this.#first = value;
      this.#at = at;
    } else if (value > this.#second) this.#second = value;
  }

  besides(at: number): number {
    return at === this.#at ? this.#second : this.#first;
  }
}

function unmet({ acts }: ReadClaim, made: ReadonlySet<Act>): number {
  let most = 0;
  for (let at = 0; at < CHANGES.length; at += 1) {
    const act = CHANGES[at]!;
    if (acts[act] > most && !made.has(act)) most = acts[act];
  }
  return most;
}

function met({ acts }: ReadClaim, made: ReadonlySet<Act>): number {
  let most = 0;
  for (const act of made) if (acts[act] > most && CHANGES.includes(act)) most = acts[act];
  return most;
}

/** A place outside by its words, in lower case, and by what tools for it are called. */
interface Realm {
  readonly words: RegExp;
  readonly tools: RegExp;
}

const REALMS: readonly Realm[] = [
  {
    words: /calend|kalend|agenda|日历|日程|カレンダー|予定表|캘린더|일정/u,
    tools: /calendar|event|meeting|appointment|agenda/u,
  },
  {
    words:
      /e-?mail|inbox|posteingang|postfach|boîte|bandeja|casella|caixa de entrada|skrzynk|correo|courriel|poczt|(?<!\p{L})spam|邮件|邮箱|收件|メール|受信|메일|편지함/u,
    tools: /mail|gmail|inbox|message|outlook|imap|smtp|draft/u,
  },
  {
    words:
      /slack|teams|telegram|whatsapp|discord|(?<!\p{L})signal|channel|kanal|canal|(?<!\p{L})chat|(?<!\p{L})sms|群|频道|チャンネル|グループ|채널|단톡/u,
    tools: /slack|team|telegram|whatsapp|discord|signal|chat|channel|sm|message|post/u,
  },
  {
    words:
      /drive|dropbox|cloud|nube|nuage|nuvem|chmur|backup|sicherung|sauvegard|copia de seg|网盘|云|备份|ドライブ|バックアップ|드라이브|백업/u,
    tools: /drive|dropbox|cloud|file|doc|backup|storage|folder|onedrive|icloud/u,
  },
  {
    words:
      /(?<!\p{L})web(?!hook)|online|internet|google(?! (?:drive|cal|doc|sheet))|网上|网页|搜索|ウェブ|ネット|検索|인터넷|검색|웹/u,
    tools: /web|search|browser|http|fetch|page|url/u,
  },
  {
    words: /(?<!\p{L})note|notiz|notas?(?!\p{L})|notatk|carnet|appunt|anota|notitie|笔记|メモ|메모/u,
    tools: /note|memory|notion|evernote|keep|doc|file/u,
  },
  {
    words: /remind|erinner|rappel|recordator|promemoria|lembrete|herinner|przypomn|提醒|リマインド|알림/u,
    tools: /remind|alarm|timer|schedule|cron|event|task|todo|automation/u,
  },
  {
    words:
      /(?<!\p{L})bank|account|konto|compte|cuenta|(?<!\p{L})conto|conta(?!\p{L})|rekening|账户|银行|口座|銀行|계좌|은행/u,
    tools: /bank|account|transfer|payment|transaction|invoice|balance/u,
  },
  {
    words: /(?<!\p{L})tests?(?!\p{L})|(?<!\p{L})suite|prueb|tester|テスト|测试|테스트/u,
    tools: /test|suite|shell|command|ci|run|exec|pipeline|build/u,
  },
  {
    words:
      /deploy|produc|staging|server|serveur|servidor|repo(?!rt)|branch|github|gitlab|(?<!\p{L})push|服务器|部署|仓库|サーバ|デプロイ|서버|배포/u,
    tools: /deploy|server|git|repo|branch|shell|command|release|pipeline|pr|commit|service|host|ssh/u,
  },
];

/** "Milk, bread and eggs": what is listed in one breath. */
function listedIn(plain: string): string[] {
  // Looking for a whole list takes long where there is none.
  if (!LIST_END.test(plain)) return [];
  spelled.spell(plain);
  const found = spelled.met & SPACELESS ? (LISTED.exec(plain)?.[0] ?? "") : latinList(plain);
  return found === "" ? [] : found.split(LIST_JOINT).filter((item) => item.trim() !== "");
}

/** Where words are parted by spaces a list begins with a word; a long one counts from its end. */
function latinList(plain: string): string {
  const { codes, kinds, length } = spelled;
  let from = 0;
  for (let at = 0; at <= length; at += 1) {
    const code = codes[at]!;
    if (kinds[at]! & (LETTER | NUMBER | HALF) || code === FULL_STOP || code === QUOTE || code === HYPHEN)
      continue;
    if (at - from >= LIST_WORD.min) {
      LATIN_LISTED.lastIndex = Math.max(from, at - LIST_WORD.max);
      const found = LATIN_LISTED.exec(plain)?.[0];
      if (found !== undefined) return found;
    }
    from = at + 1;
  }
  return "";
}

const FULL_STOP = 0x2e;
const QUOTE = 0x27;
const HYPHEN = 0x2d;
const LIST_WORD = { min: 2, max: 24 } as const;
const LIST_ITEM = "[\\p{L}\\p{N}.'-]{2,24}(?:\\s[\\p{L}\\p{N}.'-]{2,24})?";
/** A comma alone joins clauses as well: a list ends in "and", or in scripts without one has its own comma. */
const LISTED = new RegExp(
  `${LIST_ITEM}(?:,\\s${LIST_ITEM}){0,8},?\\s(?:and|und|et|y|e|en|i|oraz)\\s${LIST_ITEM}|${LIST_ITEM}(?:、${LIST_ITEM}){0,8}(?:[和与及]|、${LIST_ITEM}、)${LIST_ITEM}|\\p{Script=Hangul}{1,24}(?:, ?\\p{Script=Hangul}{1,24}){0,8}[와과] \\p{Script=Hangul}{1,24}`,
  "u",
);
/** The same for words that spaces part: each but the last goes on to its end. */
const WHOLE_WORD = "[\\p{L}\\p{N}.'-]{2,24}(?![\\p{L}\\p{N}.'-])";
const WHOLE_ITEM = `${WHOLE_WORD}(?:\\s${WHOLE_WORD})?`;
const LATIN_LISTED = new RegExp(
  `${WHOLE_ITEM}(?:,\\s${WHOLE_ITEM}){0,8},?\\s(?:and|und|et|y|e|en|i|oraz)\\s(?:\\p{L}\\s)?${LIST_ITEM}`,
  "uy",
);
const LIST_END = /\s(?:and|und|et|y|e|en|i|oraz)\s|[、和与及]|[와과] /u;
const LIST_JOINT = /,?\s(?:and|und|et|y|e|en|i|oraz)\s|[、和与及]|(?<=\p{Script=Hangul}[와과])\s|,\s?/u;

/** Latin or not: names in one script are not found in another. */
function scriptOf(text: string): string {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? "han"
    : /\p{Script=Hangul}/u.test(text)
      ? "hangul"
      : "latin";
}

/** Capitalised words within the sentence; at its beginning any word is. Days and months are compared as such. */
function namesOf(plain: string): Set<Word> {
  const found = plain.match(/(?<=[^.!?:\s"„“«]\s)\p{Lu}[\p{L}'-]{2,}/gu) ?? [];
  return wordsIn(found.filter((name) => !/^\p{Lu}+$/u.test(name) && !DAY_OR_MONTH.test(name)).join(" "));
}

const DAY_OR_MONTH =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|januar|februar|märz|mai|juni|juli|oktober|dezember)$/iu;

/**
 * Names that a digit is part of: "mx2", "v117", "5:45", "171.00", "contract_v3.docx". A bare number is none.
 * Zeros in front say nothing.
 */
function numberedIn(text: string): string[] {
  if (!/\d/u.test(text)) return [];
  return (text.toLowerCase().match(NUMBERED) ?? [])
    .map((name) => name.replace(/^0+(?=\d)/u, "").replace(/[.,:/#-]+$/u, ""))
    .filter((name) => /[^\d]/u.test(name));
}

const NUMBERED =
  /(?<![\p{L}\p{N}])#?(?:\p{Script=Latin}|[_.:/-](?=[\p{L}\p{N}])){0,40}\d[\p{Script=Latin}\p{N}_.:/-]{0,60}/gu;

/** Another name of the same make stands in the targets, and not in the sentence: "mx1" for "mx2". */
function hasTwin(name: string, numbered: readonly string[], plain: string): boolean {
  const make = makeOf(name);
  return numbered.some(
    (other) => other !== name && makeOf(other) === make && !plain.toLowerCase().includes(other),
  );
}

function makeOf(name: string): string {
  return name.replace(/\d+/gu, "0");
}

/** Beside a word that the sentence shares with a target stands another name than there. */
function hasOtherName(plain: string, targets: string, held: ReadonlySet<Word>): boolean {
  const told = spacedWords(targets);
  if (told.length < 2) return false;
  const said = spacedWords(plain).filter((word) => !isSmallWord(word.toLowerCase()));
  const inSentence = new Set(said.map((word) => word.toLowerCase()));
  const inTargets = new Set(told.map((word) => word.toLowerCase()));
  const isOther = (here: string | undefined, there: string | undefined) =>
    here !== undefined &&
    there !== undefined &&
    isProper(here) &&
    isProper(there) &&
    !inTargets.has(here.toLowerCase()) &&
    !inSentence.has(there.toLowerCase()) &&
    !isBegun(here.toLowerCase(), there.toLowerCase()) &&
    shareOf(wordsIn(here), held) <= 0;
  return said.some((word, at) => {
    if (!inTargets.has(word.toLowerCase())) return false;
    return told.some(
      (other, there) =>
        other.toLowerCase() === word.toLowerCase() &&
        (isOther(said[at + 1], told[there + 1]) || isOther(said[at - 1], told[there - 1])),
    );
  });
}

/** A name without digits: an hour can be written in many ways, and a day shortened. */
function isProper(word: string): boolean {
  return /^\p{Lu}\p{Ll}{2,}$/u.test(word) && !DAY_OR_MONTH.test(word);
}

function isBegun(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function spacedWords(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:[:.'-][\p{L}\p{N}]+)*/gu) ?? []).slice(0, SPACED_WORDS_MAX);
}

const SPACED_WORDS_MAX = 60;

/** The same number, or the same hour told in the other half of the day. */
function hasNumber(numbers: readonly number[], wanted: number): boolean {
  return numbers.some(
    (number) => number === wanted || (Math.abs(number - wanted) === 12 && number + wanted <= 36),
  );
}

/** A word of three letters or more by a number made of its first letters; in scripts without spaces, two characters. */
type Word = number;

const WORD_LETTERS_MIN = 3;
const WORD_LETTERS_MAX = 6;
const WORDS_CHARS_MAX = 2_000;

/** The words of a text, without accents and case. */
function wordsIn(text: string): Set<Word> {
  const out = new Set<Word>();
  spelled.spell(text.slice(0, WORDS_CHARS_MAX));
  const { codes, kinds, length } = spelled;
  let at = 0;
  while (at < length) {
    const script = kinds[at]! & IDEOGRAPH ? IDEOGRAPH : kinds[at]! & HANGUL ? HANGUL : LATIN | NUMBER;
    if (!(kinds[at]! & script)) {
      at += 1;
      continue;
    }
    let word = FIRST;
    let size = 0;
    let last = 0;
    for (; at < length && kinds[at]! & (script | MARK | HALF); at += 1) {
      const letter = bare(codes[at]!);
      if (letter === undefined) continue;
      size += 1;
      if (script !== (LATIN | NUMBER)) {
        if (size > 1) out.add(withLetter(withLetter(FIRST, last), letter) & SMALL);
        last = letter;
      } else if (size <= WORD_LETTERS_MAX) word = withLetter(word, letter);
    }
    if (script === (LATIN | NUMBER) && size >= WORD_LETTERS_MIN) out.add(word & SMALL);
  }
  return out;
}

const FIRST = 0x811c9dc5;
/** What a set keeps without a box. */
const SMALL = 0x3fffffff;

function withLetter(word: number, letter: number): number {
  return Math.imul(word ^ letter, 0x01000193);
}

/** Which part of some words others have; -1 where there are none. */
function shareOf(words: ReadonlySet<Word>, ...others: readonly ReadonlySet<Word>[]): number {
  if (words.size === 0) return -1;
  let found = 0;
  for (const word of words) if (others.some((other) => other.has(word))) found += 1;
  return found / words.size;
}

function otherDay(plain: string, held: readonly string[]): boolean {
  if (held.length === 0) return false;
  const said = plain.toLowerCase().match(WEEKDAYS) ?? [];
  return said.length > 0 && !said.some((day) => held.includes(day));
}

const WEEKDAYS =
  /(?<!\p{L})(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?<!\p{L})(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|segunda|terça|quarta|quinta|sexta|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|poniedziałek|wtorek|środ\p{L}|czwartek|piątek|sobot\p{L}|niedziel\p{L})(?!\p{L})|(?:周|星期)[一二三四五六日天]|[月火水木金土日]曜|[월화수목금토일]요일/giu;

/** All went well. */
export const SUCCESS =
  /(?<!\p{L})(?:pass(?:es|ed|ing)?|succe\p{L}+|green|all good|fine|worked|works|pushed|deployed|merged|without (?:an? )?(?:error|problem|issue)\p{L}*|erfolg\p{L}*|bestanden|grün|durchgelaufen|geklappt|ohne fehler|réussi\p{L}*|passent|sans erreur|éxito|pasa[nr]?|pasaron|sin errores|riuscit\p{L}*|passat\p{L}*|superat\p{L}*|senza errori|sucesso|passaram|sem erros|geslaagd|slagen|gelukt|zonder fouten|powiodł\p{L}*|przeszł\p{L}*|bez błędów)(?!\p{L})|通过|成功|没有报错|通り|パス|合格|성공|통과|문제없/iu;

/** "Without a problem" denies nothing. */
export const SMOOTHLY =
  /(?<!\p{L})(?:without|ohne|sans|sin|senza|sem|zonder|bez)(?: an?| any| eine?n?)? \p{L}+|no (?:error|problem|issue|trouble)\p{L}*|no longer|nicht mehr|ne \p{L}+ plus|ya no|non \p{L}+ più|não \p{L}+ mais|niet meer|już nie|不再|もう/giu;

/** "All three". */
export const ALL =
  /(?<!\p{L})(?:all|every(?:one|thing|body)?|whole|entire|both|alle[nrs]?|alles|sämtliche|beide[nrs]?|ganze[nrs]?|tod[oa]s?|amb[oa]s|tous|toutes?|entier|les deux|tutt[eio]|entramb[ei]|allemaal|allebei|hele|wszyst\p{L}+|wszyscy|oba|obie)(?!\p{L})|全部|所有|都|両方|全て|すべて|모두|전부|다 /iu;

/** "Two of the three": the larger number is what there was to do. */
export const PART_OF =
  /(?<!\p{L})(?:of the|out of|von|der|des|sur|de los|de las|sobre|delle|dei|su|das|dos|van de|z)(?!\p{L})\s+(?:\d+|\p{L}+)|中的|のうち|중/iu;

/** Something beside what was asked for. */
const ALSO =
  /(?<!\p{L})(?:also|too|as well|while i was at it|went ahead|by the way|auch|außerdem|zudem|gleich|nebenbei|aussi|également|au passage|también|además|de paso|anche|inoltre|già che|também|além|aproveit\p{L}+|ook|meteen|bovendien|też|także|również|przy okazji|od razu)(?!\p{L})|也|还|顺便|另外|も|ついでに|あわせて|도 |까지|겸/iu;

/** Denies all of it: "nothing was changed". */
export const NOTHING =
  /(?<!\p{L})(?:nothing|anything|no (?:changes?|files?|messages?|e-?mails?|money|edits?)|none|nichts|keine?(?:r(?:lei)?|n)? (?:änderung\p{L}*|datei\p{L}*|nachricht\p{L}*|mail\p{L}*)|rien|aucun\p{L}*|nada|ningun\p{L}*|ningún|niente|nulla|nessun\p{L}*|nenhum\p{L}*|niets|geen (?:wijziging|bestand|bericht|mail)\p{L}*|nic|niczego|żadn\p{L}*)(?!\p{L})|什么(?:都|也)[没不]|没有任何|任何|何も|一切|一件も|一つも|아무것도|아무 |전혀|하나도/iu;

/** Of other things than those told of: "nothing else was touched". */
export const ELSE =
  /(?<!\p{L})(?:else|other(?:s|wise)?|rest|only|just|but|except|apart|sonst|ander\p{L}*|übrige\p{L}*|nur|außer|autres?|reste|seule?ment|sauf|juste|otr[oa]s?|demás|resto|sol[oa]|sólo|excepto|salvo|altr[oaie]|solo|soltanto|tranne|outr[oa]s?|só|apenas|exceto|verder|andere?|alleen|behalve|inn\p{L}*|reszt\p{L}*|tylko|poza|oprócz)(?!\p{L})|其他|别的|其余|只|除了|他の|ほか|以外|だけ|다른|나머지|외에|만 /iu;

/** What came of it is not known. */
export const UNSURE =
  /(?<!\p{L})(?:can(?:not|'t)|don't|not|unable to) (?:tell|say|know|confirm|be sure)|(?<!\p{L})(?:unsure|unclear|unknown|uncertain|may or may not|may have|might have|never got|no (?:answer|response|reply|confirmation|result)|unklar|ungewiss|unbekannt|weiß (?:ich )?nicht|nicht sicher|keine (?:antwort|bestätigung|rückmeldung)|incertain|inconnu|pas sûre?|ne sais pas|sans (?:réponse|confirmation)|aucune (?:réponse|confirmation)|incierto|desconocid\p{L}|no (?:lo )?sé|no estoy segur\p{L}|sin (?:respuesta|confirmación)|incerto|ignoto|non (?:lo )?so|non sono sicur\p{L}|nessuna (?:risposta|conferma)|não sei|não tenho certeza|sem (?:resposta|confirmação)|onzeker|onduidelijk|onbekend|weet (?:ik )?niet|geen (?:antwoord|bevestiging|reactie)|niepewn\p{L}+|nie wiem|nie wiadomo|brak (?:odpowiedzi|potwierdzenia)|bez (?:odpowiedzi|potwierdzenia))(?!\p{L})|不确定|不清楚|无法确认|没有(?:收到)?(?:回应|确认|响应)|わかりません|不明|確認でき|返事がない|応答がな|확실하지|모르|확인되지|응답이 없|불분명/iu;

const NO_DEEDS = { named: 0, notMade: 0 };

/** Deeds that have a word of their own, and what tools for them are called. */
const NAMED_DEEDS: readonly { readonly words: RegExp; readonly tools: readonly string[] }[] = [
  {
    words:
      /unsubscrib|abbestell|abgemeldet|désabonn|desabonn|de baja|disiscri|cancell?at\p{L}* l'iscri|descadastr|cancelei (?:a|sua) inscri|uitgeschreven|afgemeld|wypisa[łn]|退订|取消订阅|配信停止|登録解除|구독.{0,6}(?:취소|해지)|수신.?거부/u,
    tools: ["unsubscribe", "subscription", "newsletter"],
  },
  {
    words: /archiv|归档|存档|アーカイブ|보관/u,
    tools: ["archive", "move", "update", "label", "set", "mark", "close", "zip", "backup", "export"],
  },
  {
    words: /encrypt|verschlüssel|chiffr|cifr[aoe]|criptograf|versleutel|szyfrow|加密|暗号化|암호화/u,
    tools: ["encrypt", "cipher", "gpg", "vault", "seal"],
  },
  {
    words:
      /upload|hochgeladen|téléversé|mis en ligne|subid[oa]|subí|caricat\p{L}+ (?:su|il|la)|enviei para o drive|geüpload|przesłan|wgra[łn]|上传|アップロード|업로드|올렸/u,
    tools: [
      "upload",
      "put",
      "add",
      "create",
      "push",
      "sync",
      "import",
      "share",
      "publish",
      "send",
      "post",
      "save",
      "copy",
    ],
  },
  {
    words:
      /deploy|desplegad|desplegu|déployé|implantad|rilasciat|ausgerollt|uitgerold|wdroż|部署|デプロイ|배포/u,
    tools: [
      "deploy",
      "release",
      "rollout",
      "promote",
      "launch",
      "publish",
      "deployment",
      "pipeline",
      "apply",
    ],
  },
  {
    words: /(?<!\p{L})push(?:ed|t)?(?!\p{L})|gepush|poussé|(?<!\p{L})pusheé|推送到|プッシュ|푸시/u,
    tools: ["push", "sync", "publish", "release", "deploy", "notification", "notify"],
  },
  {
    words: /invit|eingeladen|einladung|uitgenodigd|zaprosi|zaprosz|邀请|招待|초대/u,
    tools: [
      "invite",
      "invitation",
      "attendee",
      "event",
      "member",
      "share",
      "guest",
      "send",
      "participant",
      "meeting",
      "add",
    ],
  },
  {
    words:
      /publish|veröffentlich|publié|publicad|publiqu|pubblicat|publiquei|gepubliceerd|opublikow|发布|公開し|게시했|발행/u,
    tools: [
      "publish",
      "post",
      "release",
      "deploy",
      "send",
      "create",
      "update",
      "push",
      "share",
      "tweet",
      "page",
    ],
  },
  {
    words: /refund|erstatt|rembours|reembols|rimbors|terugbetaald|zwrot|zwróci|退款|返金|환불/u,
    tools: ["refund", "payment", "transfer", "order", "return", "cancel", "credit", "claim"],
  },
  {
    words:
      /renamed|umbenannt|renommé|renombr|rinominat|renome|hernoemd|przemianow|zmieni\p{L}+ nazw|重命名|改名|名前を変|名称を変|이름을 (?:바꿨|변경)/u,
    tools: ["rename", "move", "update", "edit", "set", "change", "patch", "write"],
  },
  {
    words:
      /(?<!\p{L})print(?:ed|er)(?!\p{L})|gedruckt|ausgedruckt|imprim[éi]|impres[oa]|stampat|afgedrukt|geprint|wydrukow|打印|印刷し|인쇄/u,
    tools: ["print", "printer", "job"],
  },
  {
    words:
      /restart|reboot|neu gestartet|neugestartet|redémarr|reinici|riavvi|herstart|zrestartow|uruchomi\p{L}+ ponownie|重启|再起動|재시작|재부팅/u,
    tools: ["restart", "reboot", "service", "start", "reset", "power"],
  },
  {
    words:
      /verified|double.?checked|confirmed (?:that|it)|überprüft|nachgeprüft|kontrolliert|vérifié|verifi(?:qu|c|k)|comprob|controllat|gecontroleerd|nagekeken|zweryfikow|sprawdzi|核实|检查过|确认过|验证|確認しました|確かめ|확인했|점검/u,
    tools: [
      "read",
      "get",
      "list",
      "search",
      "check",
      "fetch",
      "find",
      "query",
      "status",
      "show",
      "test",
      "verify",
      "view",
      "lookup",
      "open",
      "inspect",
      "run",
      "diff",
      "head",
      "ping",
      "describe",
      "screenshot",
    ],
  },
  {
    words:
      /merged|gemerged?t?|zusammengeführt|fusionn|fusionad|unit[oa] (?:il|al|la)|mesclad|samengevoegd|scalon|scali|合并|マージ|병합/u,
    tools: ["merge", "pr", "branch", "edit", "write", "update", "combine", "join", "repo", "patch"],
  },
  {
    words:
      /backed up|backup|gesichert|sicherung|sauvegard|copia de seg|salvat\p{L} una copia|back-up|zapasow|备份|バックアップ|백업/u,
    tools: [
      "backup",
      "snapshot",
      "export",
      "copy",
      "dump",
      "sync",
      "archive",
      "upload",
      "restore",
      "file",
      "drive",
    ],
  },
];

/** The largest value, and at least 0. */
function mostOf<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  let most = 0;
  for (let at = 0; at < items.length; at += 1) most = Math.max(most, valueOf(items[at]!));
  return most;
}

function is(value: boolean): number {
  return value ? 1 : 0;
}

/** The wordings above in one pass, and those of the places outside. */
const WORDINGS = new WordScan([
  SUCCESS,
  ALL,
  PART_OF,
  ALSO,
  NOTHING,
  ELSE,
  UNSURE,
  ...REALMS.map(({ words }) => words),
]);
const SUCCESS_BIT = 1;
const ALL_BIT = 2;
const PART_OF_BIT = 4;
const ALSO_BIT = 8;
const NOTHING_BIT = 16;
const ELSE_BIT = 32;
const UNSURE_BIT = 64;
const REALM_BITS_FROM = 7;
const DEED_SCAN = new WordScan(NAMED_DEEDS.map(({ words }) => words));
