import { LETTER, NUMBER, runsOf, spelled } from "../base/letters.ts";
import type { Language } from "../request/language.ts";
import type { ActivityItem } from "../tool/activity.ts";
import { ALL, ALSO, ELSE, PART_OF } from "./amount-words.ts";
import { cuesIn, denies, hasCue, isPlaced } from "./claim-features.ts";
import { type Act, ACTS, type ReadClaim } from "./claim-model.ts";
import { deedsNamedIn } from "./concepts.ts";
import { NAMED_DEEDS } from "./deed-words.ts";
import { type FactRecord, FactSheet } from "./fact-sheet.ts";
import { listedIn } from "./listed.ts";
import { hasOtherName, hasTwin, namesOf, numberedIn, otherDay, scriptOf, WEEKDAYS } from "./names.ts";
import { NOTHING, OPENED, SMOOTHLY, SUCCESS, UNSURE } from "./outcome-words.ts";
import { DEVICES, type Realm, REALMS } from "./place-words.ts";
import { CHANGES, type ReadSentence, type ReplyContext } from "./read-sentence.ts";
import { requestPlaces } from "./sentences.ts";
import { isGood, sortCalls, type SortedCalls } from "./session-calls.ts";
import { shareOf, type Word, wordsIn } from "./shared-words.ts";
import { fitsActs, isListing, isLook, isOpenEnded, tokensOf } from "./tool-acts.ts";
import {
  allValuesOf,
  type Counted,
  countedThings,
  folded,
  heldValues,
  type HeldValues,
  mentions,
  namedIn,
  namesIn,
  numbersSaid,
  otherCount,
  otherThan,
  saidCount,
} from "./values.ts";
import { WordScan } from "./word-scan.ts";

/** What some calls were about, read once for all sentences that may tell of them, and only as far as one asks. */
class Dealt {
  readonly count: number;
  /** What each was about is known. */
  readonly told: boolean;
  /** Targets, without the servers of addresses. */
  readonly targets: string;
  /** What is known of them, in lower case. */
  readonly lower: string;
  readonly held: ReadonlySet<Word>;
  readonly target: ReadonlySet<Word>;
  readonly toolWords: ReadonlySet<Word>;
  readonly script: string;
  readonly #whole: string;
  readonly #known: string;
  readonly #language: Language;
  #values: HeldValues | undefined;
  #counted: readonly Counted[] | undefined;
  #numbers: readonly number[] | undefined;
  #targetNumbers: readonly number[] | undefined;
  #days: readonly string[] | undefined;
  #numbered: readonly string[] | undefined;

  constructor(items: readonly ActivityItem[], { calls, language }: ReplyContext) {
    this.#whole = items.map(({ target }) => target ?? "").join("\n");
    this.#known = `${this.#whole}\n${items.map((item) => calls.textOf(item)).join("\n")}`;
    this.#language = language;
    this.count = items.reduce((sum, item) => sum + (item.count ?? 1), 0);
    this.told = items.length > 0 && items.every((item) => item.target !== undefined);
    this.targets = this.#whole.includes("@")
      ? items.map(({ target }) => (target ?? "").replace(/@[\p{L}\p{N}.-]+/gu, " ")).join("\n")
      : this.#whole;
    this.lower = this.#known.toLowerCase();
    this.held = wordsIn(this.#known);
    this.target = wordsIn(this.targets);
    this.toolWords = wordsIn(items.map(({ toolId }) => tokensOf(toolId).join(" ")).join(" "));
    this.script = scriptOf(this.targets);
  }

  /** The values of their targets, and what these count. */
  get values(): HeldValues {
    this.#values ??= heldValues(this.#whole);
    return this.#values;
  }

  get counted(): readonly Counted[] {
    this.#counted ??= countedThings(this.#whole, this.#language);
    return this.#counted;
  }

  get numbers(): readonly number[] {
    this.#numbers ??= numbersSaid(this.#known, this.#language);
    return this.#numbers;
  }

  /** Of the targets alone: how many bytes a call wrote is nothing that a sentence leaves out. */
  get targetNumbers(): readonly number[] {
    this.#targetNumbers ??= numbersSaid(this.#whole, this.#language);
    return this.#targetNumbers;
  }

  /** Days of the week. */
  get days(): readonly string[] {
    this.#days ??= this.#whole.toLowerCase().match(WEEKDAYS) ?? [];
    return this.#days;
  }

  /** Names with digits in their targets. */
  get numbered(): readonly string[] {
    this.#numbered ??= numberedIn(this.#whole);
    return this.#numbered;
  }
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
  /** By the kinds of change that a sentence tells of, one bit each. */
  readonly #dealtFor = new Map<number, Dealt>();
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

  /** So many facts of a sheet are the same for every sentence. */
  get shared(): number {
    return this.#shared;
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
    // What a file is called is no deed.
    const said = namedIn(plain);
    spelled.spell(said.reduce((text, name) => text.toLowerCase().replaceAll(name, " "), plain));
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
    const all = listedIn(plain);
    // "The minutes are uploaded and Noor has access" lists nothing.
    if (all.length === 0 || all.some((item) => deedsNamedIn(item, "done").length > 0)) return false;
    const names = namesListed(all, plain);
    const listed = (names ?? all).map(wordsIn);
    const { count, told, script } = this.#dealtBy(items);
    if (listed.length <= count || !told || scriptOf(plain) !== script) return false;
    const { held } = this.#dealtBy(this.calls.good);
    const isAsked = listed.every((words) => words.size > 0 && shareOf(words, this.#requestWords) > 0);
    const found = listed.filter((words) => shareOf(words, held) > 0).length;
    return (isAsked || names !== undefined) && found > 0 && found < listed.length;
  }

  /** Where a call has one name beside a word, the sentence has another: "Room Birch" for "Room Aspen". */
  namesAnother(plain: string, items: readonly ActivityItem[]): boolean {
    const { told, targets, held, script } = this.#dealtBy(items);
    if (!told || scriptOf(plain) !== script) return false;
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

  /** What came of it is not known, says the text. */
  isUnsure(plain: string): boolean {
    spelled.spell(plain);
    return (WORDINGS.find(spelled) & UNSURE_BIT) !== 0;
  }

  /** It names a device of the home that none of the calls set. */
  namesDeviceNotSet(plain: string): boolean {
    const lower = plain.toLowerCase();
    return DEVICES.some((device) => device.words.test(lower) && !this.#isVisited(device));
  }

  namesPlaceNotVisited(plain: string): boolean {
    spelled.spell(plain);
    return this.#placesNamed(WORDINGS.find(spelled)).notVisited > 0;
  }

  #isVisited(realm: Realm): boolean {
    let visited = this.#visited.get(realm);
    if (visited === undefined) {
      visited = this.calls.good.some(
        ({ toolId, target = "" }) =>
          isOpenEnded(toolId) ||
          tokensOf(toolId).some((token) => realm.tools.test(token)) ||
          realm.words.test(target.toLowerCase()),
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

  /** By the calls of the kinds of change that a sentence tells of; by all, where there are none. */
  #dealtFitting({ acts }: ReadClaim, about: readonly ActivityItem[]): Dealt {
    let kinds = 0;
    for (let at = 0; at < CHANGES.length; at += 1) if (acts[CHANGES[at]!] >= 0.35) kinds |= 1 << at;
    let dealt = this.#dealtFor.get(kinds);
    if (dealt === undefined) {
      const fitting = about.filter((item) => {
        const own = this.#actsOf(item);
        return CHANGES.some((act) => acts[act] >= 0.35 && own.has(act));
      });
      dealt = this.#dealtBy(fitting.length > 0 ? fitting : about);
      this.#dealtFor.set(kinds, dealt);
    }
    return dealt;
  }

  #dealtBy(items: readonly ActivityItem[]): Dealt {
    const key = items.map(({ cite }) => cite).join(" ");
    let dealt = this.#dealt.get(key);
    if (dealt === undefined) {
      dealt = new Dealt(items, this.#context);
      this.#dealt.set(key, dealt);
    }
    return dealt;
  }

  /** Where what the sentence names differs from what the calls were about. */
  #valueFacts(
    out: FactSheet,
    { text, plain, read, clauses }: ReadSentence,
    words: ReadonlySet<Word>,
    wordings: number,
  ): void {
    const { good, changed } = this.calls;
    const { language } = this.#context;
    const asked = this.#requestWords;
    const about = changed.length > 0 ? changed : good;
    const dealt = this.#dealtFitting(read, about);
    const { count, told, lower, held, target, toolWords } = dealt;
    const said = saidCount(text, language, (wordings & ALL_BIT) !== 0);
    const values = allValuesOf(plain);
    // What a target is called can be compared only where it is known, and written in the same script.
    const comparable = told && scriptOf(plain) === dealt.script;
    let shared = 0;
    let sharedInCalls = 0;
    for (const word of words) {
      if (!asked.has(word)) continue;
      shared += 1;
      if (held.has(word) || toolWords.has(word)) sharedInCalls += 1;
    }
    // Another of the calls may know them.
    const all = this.#dealtBy(good);
    const names = comparable ? [...namesOf(plain)].filter((name) => !all.held.has(name)) : [];
    const askedNames = names.filter((name) => asked.has(name)).length;
    const numbers = numbersSaid(plain, language).filter((n) => n !== count && n !== good.length);
    const listed = clauses.some((clause) => AND.test(clause.plain)) ? [] : listedIn(plain);
    const heldByAll = listed.length > 0 ? this.#dealtBy(about).held : held;
    const listedFound = listed.filter((item) => shareOf(wordsIn(item), heldByAll) > 0).length;
    // Without calls there is nothing to compare them with.
    const numbered = numberedIn(plain);
    const unknown =
      numbered.length > 0 && (told || dealt.numbered.length > 0)
        ? numbered.filter((name) => !lower.includes(name))
        : [];
    const twins = unknown.filter((name) => hasTwin(name, dealt.numbered, plain));
    out.put("numbered not found", told ? unknown.length : 0);
    out.put("numbered twins", twins.length);
    out.put("asked twins", twins.length > 0 ? twins.filter((name) => this.#asksFor(name)).length : 0);
    out.put(
      "other value",
      is(good.length > 0 && values.length > 0 && otherThan(plain, dealt.values, lower) !== undefined),
    );
    out.put("other count", is(good.length > 0 && otherCount(plain, dealt.counted, language)));
    out.put("other day", is(otherDay(plain, dealt.days)));
    out.put("count said", said);
    out.put("count over", said - count);
    out.put("count over all", said - good.length);
    out.put("count over read", said - readsOf(good));
    out.put("numbers", numbers.length);
    out.put(
      "numbers not found",
      told && numbers.length > 0 ? numbers.filter((n) => !hasNumber(dealt.numbers, n)).length : 0,
    );
    out.put(
      "numbers unsaid",
      told && numbers.length > 0 ? dealt.targetNumbers.filter((n) => !hasNumber(numbers, n)).length : 0,
    );
    out.put("listed", listed.length);
    out.put("listed over", listed.length - count);
    out.put("listed found", comparable ? listedFound : 0);
    out.put("listed not found", comparable ? listed.length - listedFound : 0);
    out.put("values", values.length);
    out.put("values not found", told ? values.filter((value) => !all.lower.includes(value)).length : 0);
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

/** Another clause follows, not one more of a list. */
const AND = /^(?:and|und|et|y|e|en|i|oraz)\s/iu;

/** One capitalised word each, or one with a digit: "Hana, Oskar and Mei". What stands before and behind the list is none of it. */
function namesListed(listed: readonly string[], plain: string): readonly string[] | undefined {
  const names = listed.map((item, at) => {
    const words = item.trim().split(/\s/u);
    return words.length === 1
      ? words[0]!
      : at === 0
        ? words.at(-1)!
        : at === listed.length - 1
          ? words[0]!
          : "";
  });
  const areNames = names.every((name) => /^(?:\p{Lu}\p{Ll}+|\p{L}[\p{L}-]*\d+)$/u.test(name));
  return areNames && names.length > 2 && !plain.startsWith(names[0]!) ? names : undefined;
}

function wordingFacts(
  out: FactSheet,
  { plain, read, clauses }: ReadSentence,
  wordings: number,
  words: number,
): void {
  out.put("claims", read.claims);
  out.put("own words claim", read.own);
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
    "clause words claim",
    Math.max(
      read.own,
      mostOf(clauses, (clause) => clause.read.own),
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
  out.put("opened", is((wordings & OPENED_BIT) !== 0));
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
  out.put("read", readsOf(looked));
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

/** Calls that gave what stands in a thing, and did not only find it. */
function readsOf(good: readonly ActivityItem[]): number {
  return good.filter(({ toolId }) => !isListing(toolId)).length;
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

/** The same number, or the same hour told in the other half of the day. */
function hasNumber(numbers: readonly number[], wanted: number): boolean {
  return numbers.some(
    (number) => number === wanted || (Math.abs(number - wanted) === 12 && number + wanted <= 36),
  );
}

const NO_DEEDS = { named: 0, notMade: 0 };

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
  OPENED,
  ...REALMS.map(({ words }) => words),
]);

const SUCCESS_BIT = 1;

const ALL_BIT = 2;

const PART_OF_BIT = 4;

const ALSO_BIT = 8;

const NOTHING_BIT = 16;

const ELSE_BIT = 32;

const UNSURE_BIT = 64;

const OPENED_BIT = 128;

const REALM_BITS_FROM = 8;

const DEED_SCAN = new WordScan(NAMED_DEEDS.map(({ words }) => words));
