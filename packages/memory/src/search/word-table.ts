import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ftsWord } from "@elwood/core/memory/fts-query";
import type { QueryWord } from "@elwood/core/memory/query-words";
import type { HeldEnough } from "@elwood/core/memory/recall-gate";
import { otherForms } from "@elwood/core/memory/word-match";
import { TOKENIZER } from "../index/schema.ts";
import { readVarint, type IndexSize } from "./index-size.ts";
import type { NewTurn, SearchedIndex } from "./searched-index.ts";
import { TurnSizes } from "./turn-sizes.ts";
import { bestOf, HeldWords, Paper, Places, scored, type ScoredTurn } from "./word-places.ts";

export const WORD_TABLE_LIMITS = {
  /** Words whose turns are counted. */
  counts: 2_000,
  /** Places that are kept of all words together, six bytes each. Those of the word that nobody asked for longest go first. */
  places: 1_000_000,
  /** What a word takes beside its places, which may be none, counts as so many. */
  placesPerWord: 32,
  /** Of a word that stands in more places none is kept: the index is asked each time. */
  placesOfWord: 8_000,
  /** The same of other words that begin alike: in more places they are others by chance. */
  placesOfOthers: 2_000,
  /** More new turns than these since the last search are not taken in one by one. */
  newTurns: 1_000,
  terms: 10_000,
} as const;
export type WordTableLimits = Readonly<Record<keyof typeof WORD_TABLE_LIMITS, number>>;

/** What FTS5's own BM25 weighs a word that half of all turns hold. */
const LEAST_WEIGHT = 1e-6;

/** In SQL, each number that a record of FTS5's holds in one byte, at its own place. */
const SMALL_NUMBERS = `x'${Buffer.from(Uint8Array.from({ length: 128 }, (_, number) => number)).toString("hex")}'`;

/** Where a word stands, oldest first. As a text, since there may be thousands, and a row for each takes twice as long. */
const PLACES_OF_TERM = `SELECT json_group_array(doc) FROM (SELECT doc FROM temp.places WHERE term = ? LIMIT ?)`;

/** Of how many words these turns are: a number, or FTS5's bytes where these are many. */
const SIZES_OF_TURNS = `SELECT s.id, CASE length(s.sz) WHEN 1 THEN instr(${SMALL_NUMBERS}, s.sz) - 1 ELSE s.sz END
  FROM json_each(?) j JOIN turns_fts_docsize s ON s.id = j.value`;

/** Where words between two stand that are no longer than that. */
const PLACES_BETWEEN = `SELECT json_group_array(doc) FROM (
  SELECT doc FROM temp.places WHERE term >= ? AND term <= ? AND length(term) <= ? LIMIT ?)`;
const LAST = "\u{10ffff}";

/** Words that are other forms of one that was asked for, as far as their beginnings tell, but for those that the index knows. */
interface OtherWords {
  readonly name: string;
  readonly beginning: string;
  readonly charsMax: number;
  readonly terms: readonly string[];
}

interface Counted {
  turns: number;
  /** Where counting ended, if there were as many: there may be more. */
  readonly limit: number | undefined;
  /** The last turn that was added to the count: it may hold several forms of the word. */
  lastId: number;
  /** What the index makes of its forms. */
  readonly terms: ReadonlySet<string>;
}

/**
 * What the full-text index says of the words that were asked for lately, kept in memory and in step with what is said:
 * who searches often asks for the same words, and each of them costs a query or two.
 *
 * Turns are cut into words by FTS5 itself, and scores are those of its `bm25`, digit by digit. That something was deleted
 * is noticed by how many turns the index holds; then everything is let go.
 */
export class WordTable {
  readonly #index: SearchedIndex;
  readonly #limits: WordTableLimits;
  readonly #counts = new Map<string, Counted>();
  /** The same by what the index makes of a word. */
  readonly #countsOf = new Map<string, Counted[]>();
  /** By what the index makes of a word, and by the names of other words. */
  readonly #places = new Map<string, Places>();
  /** Those whose places are kept, by name and by their first letters. */
  readonly #others = new Map<string, OtherWords>();
  readonly #othersBy = new Map<string, readonly OtherWords[]>();
  /** Words that stand in too many places, which they do not lose. */
  readonly #tooFrequent = new Set<string>();
  #kept = 0;
  #size: IndexSize = { turns: 0, words: 0 };
  #lastId = 0;
  #isOpen = false;
  readonly #paper = new Paper();
  /** By how many turns hold a word, and so no more of them than `placesOfWord`; for as many turns as there are now. */
  readonly #weights = new Map<number, number>();
  readonly #sizes = new TurnSizes((ids) => this.#readSizes(ids));
  #cutter: WordCutter | undefined;

  constructor(index: SearchedIndex, limits: WordTableLimits = WORD_TABLE_LIMITS) {
    this.#index = index;
    this.#limits = limits;
  }

  /** Before the transaction of a search: what is created in it would be gone with it. */
  open(): void {
    if (this.#isOpen) return;
    this.#index.db.exec(
      "CREATE VIRTUAL TABLE IF NOT EXISTS temp.places USING fts5vocab (main, turns_fts, instance)",
    );
    this.#isOpen = true;
  }

  /** Takes in what was said since the last search. */
  refresh(): void {
    const size = this.#index.size();
    if (this.#keepsWords || this.#index.keepsTurns) {
      const more = this.#newTurns();
      if (more.length <= this.#limits.newTurns && this.#size.turns + more.length === size.turns) {
        this.#index.takeIn(more);
        if (this.#keepsWords) this.#add(more);
      } else this.clear();
    }
    if (this.#size.turns !== size.turns) this.#weights.clear();
    this.#size = size;
    this.#lastId = this.#index.lastId();
  }

  get #keepsWords(): boolean {
    return this.#cutter !== undefined;
  }

  /** How many turns hold a word in one of its forms, `most` at most. undefined where it is not one word to the index. */
  count(word: QueryWord, most: number | undefined): number | undefined {
    const expression = ftsWord(word);
    const known = this.#counts.get(expression);
    if (known && (known.limit === undefined || (most ?? Infinity) <= known.limit)) {
      askedForLast(this.#counts, expression, known);
      return Math.min(known.turns, most ?? Infinity);
    }
    const made = this.#termsOf([word]);
    if (!made) return undefined;
    // Whoever counts a word looks for it next, and its places are as many.
    const places = made.length === 1 ? this.#placesOf(made[0]!) : undefined;
    const turns = places?.length ?? this.#index.countNow(expression, most);
    const limit = !places && most !== undefined && turns >= most ? most : undefined;
    const counted = { turns, limit, lastId: 0, terms: new Set(made) };
    this.#dropCount(expression);
    for (const longest of this.#counts.keys()) {
      if (this.#counts.size < this.#limits.counts) break;
      this.#dropCount(longest);
    }
    this.#counts.set(expression, counted);
    for (const term of counted.terms)
      this.#countsOf.set(term, [...(this.#countsOf.get(term) ?? []), counted]);
    return Math.min(turns, most ?? Infinity);
  }

  #dropCount(expression: string): void {
    const counted = this.#counts.get(expression);
    this.#counts.delete(expression);
    for (const term of counted?.terms ?? []) {
      const others = this.#countsOf.get(term)?.filter((each) => each !== counted) ?? [];
      if (others.length > 0) this.#countsOf.set(term, others);
      else this.#countsOf.delete(term);
    }
  }

  /**
   * Of the newest turns that hold any of the words the `most` best, best first, with BM25's score; only of those that
   * hold enough, where that is wanted. undefined where the index itself has to be asked.
   */
  match(
    words: readonly QueryWord[],
    newest: number,
    most: number,
    held?: HeldWords,
  ): readonly ScoredTurn[] | undefined {
    const lists: Places[] = [];
    for (const term of this.#termsOf(words) ?? []) {
      const places = this.#placesOf(term);
      if (!places) return undefined;
      lists.push(places);
    }
    if (lists.length === 0) return undefined;
    const weights = lists.map((list) => this.#weightOf(list));
    const sizes = { average: this.#size.words / this.#size.turns, turns: this.#sizes };
    const found = scored(lists, weights, sizes, newest, this.#paper, held);
    return found && bestOf(found, most);
  }

  /**
   * Tells which turns hold enough, before any is read. A word that is not one word to the index, or stands in too many
   * places to keep them, counts as held by every turn. What a turn holds is told by its text in the end, so the other
   * forms count that are only found there: the index knows those of English, and "Nachbarn" is another word to it.
   */
  held(enough: HeldEnough): HeldWords {
    return new HeldWords(
      enough,
      enough.words.map((word) => this.#placesOfWord(word)),
    );
  }

  #placesOfWord(word: QueryWord): readonly Places[] | undefined {
    const terms = this.#termsOf([word]);
    const lists: Places[] = [];
    for (const term of terms ?? []) {
      const places = this.#placesOf(term);
      if (!places) return undefined;
      lists.push(places);
    }
    if (!terms) return undefined;
    const others = this.#placesOfOthers(word, terms);
    if (others && others.length > 0) lists.push(others);
    return lists;
  }

  /** By SQLite: another logarithm may differ in the last digit. */
  #weightOf({ length }: Places): number {
    const known = this.#weights.get(length);
    if (known !== undefined) return known;
    const odds = (this.#size.turns - length + 0.5) / (length + 0.5);
    const row = this.#index.prepare("SELECT ln(?) AS weight").get(odds);
    const logarithm = Number(row?.["weight"] ?? 0);
    const weight = logarithm > 0 ? logarithm : LEAST_WEIGHT;
    this.#weights.set(length, weight);
    return weight;
  }

  #placesOf(term: string): Places | undefined {
    return this.#keptPlaces(term, () => this.#readPlaces(term));
  }

  /** Where they are too many, those that the index knows have to do. */
  #placesOfOthers({ word }: QueryWord, terms: readonly string[]): Places | undefined {
    if (NUMBER.test(word)) return undefined;
    const name = `${word}*`;
    return this.#keptPlaces(name, () => {
      const forms = otherForms(word);
      return forms && this.#readOthers({ ...forms, name, terms });
    });
  }

  #keptPlaces(name: string, read: () => Places | undefined): Places | undefined {
    const known = this.#places.get(name);
    if (known) {
      askedForLast(this.#places, name, known);
      return known;
    }
    if (this.#tooFrequent.has(name)) return undefined;
    const places = read();
    if (!places) {
      if (this.#tooFrequent.size >= this.#limits.terms) this.#tooFrequent.clear();
      this.#tooFrequent.add(name);
      return undefined;
    }
    this.#places.set(name, places);
    this.#kept += places.length + this.#limits.placesPerWord;
    this.#makeRoom();
    return places;
  }

  #readOthers(others: OtherWords): Places | undefined {
    const { beginning, charsMax, terms } = others;
    const most = this.#limits.placesOfOthers;
    const statement = this.#index.prepare(PLACES_BETWEEN);
    statement.setReturnArrays(true);
    const ids: number[] = [];
    let from = beginning;
    // What the index knows stands in many places, and reading over them takes longer than the rest.
    for (const term of [...terms.filter((each) => each.startsWith(beginning)).sort(), undefined]) {
      const to = term === undefined ? `${beginning}${LAST}` : justBefore(term);
      if (from <= to) {
        // One row of one text, by the query.
        const [read] = statement.get(from, to, charsMax, most + 1 - ids.length) as unknown as [string];
        ids.push(...(JSON.parse(read) as number[]));
      }
      from = `${term}\u0001`;
    }
    const places = new Places(ids.length);
    if (
      ids.length > most ||
      !Uint32Array.from(ids)
        .sort()
        .every((id) => places.add(id))
    )
      return undefined;
    const first = firstLetters(beginning);
    this.#others.set(others.name, others);
    this.#othersBy.set(first, [...(this.#othersBy.get(first) ?? []), others]);
    return places;
  }

  #readPlaces(term: string): Places | undefined {
    const statement = this.#index.prepare(PLACES_OF_TERM);
    statement.setReturnArrays(true);
    // One row of one text, by the query.
    const [read] = statement.get(term, this.#limits.placesOfWord + 1) as unknown as [string];
    const ids = JSON.parse(read) as number[];
    if (ids.length > this.#limits.placesOfWord) return undefined;
    const places = new Places(ids.length);
    return ids.every((id) => places.add(id)) ? places : undefined;
  }

  #readSizes(ids: readonly number[]): readonly (readonly [id: number, words: number])[] {
    const statement = this.#index.prepare(SIZES_OF_TURNS);
    statement.setReturnArrays(true);
    // As the query has them.
    const rows = statement.all(JSON.stringify(ids)) as unknown as [id: number, size: number | Uint8Array][];
    return rows.map(([id, size]) => [id, typeof size === "number" ? size : readVarint(size, 0).value]);
  }

  #makeRoom(): void {
    for (const longest of this.#places.keys()) {
      if (this.#kept <= this.#limits.places) return;
      this.#dropPlaces(longest);
    }
  }

  #dropPlaces(name: string): void {
    const places = this.#places.get(name);
    if (!places) return;
    this.#kept -= places.length + this.#limits.placesPerWord;
    this.#places.delete(name);
    const others = this.#others.get(name);
    if (!others) return;
    this.#others.delete(name);
    const first = firstLetters(others.beginning);
    const left = this.#othersBy.get(first)?.filter((each) => each !== others) ?? [];
    if (left.length > 0) this.#othersBy.set(first, left);
    else this.#othersBy.delete(first);
  }

  #newTurns(): readonly NewTurn[] {
    const statement = this.#index.prepare(
      "SELECT id, text, role, speaker, source_id FROM turns WHERE id > ? ORDER BY id LIMIT ?",
    );
    statement.setReturnArrays(true);
    // The columns of a STRICT table, in this order.
    return statement.all(this.#lastId, this.#limits.newTurns + 1) as unknown as readonly NewTurn[];
  }

  #add(turns: readonly NewTurn[]): void {
    if (turns.length === 0) return;
    const cut = this.#cutterOfWords().cut(turns.map(([, text]) => text));
    for (const [at, [id]] of turns.entries()) {
      const terms = cut[at]!;
      for (const term of terms) {
        const places = this.#places.get(term);
        if (places) this.#addPlace(term, places, id);
        for (const others of this.#othersBy.get(firstLetters(term)) ?? NO_OTHERS) {
          const there = isAmong(others, term) && this.#places.get(others.name);
          if (there) this.#addPlace(others.name, there, id);
        }
        for (const counted of this.#countsOf.get(term) ?? NONE) {
          if (counted.limit !== undefined || counted.lastId === id) continue;
          counted.turns += 1;
          counted.lastId = id;
        }
      }
    }
    this.#makeRoom();
  }

  #addPlace(term: string, places: Places, id: number): void {
    const before = places.length;
    const isKept = places.add(id);
    this.#kept += places.length - before;
    if (!isKept) this.#dropPlaces(term);
  }

  /** What the index makes of the words and their forms; undefined where it makes more than one of any. */
  #termsOf(words: readonly QueryWord[]): readonly string[] | undefined {
    const cutter = this.#cutterOfWords();
    const terms: string[] = [];
    for (const { word, forms } of words)
      for (const each of [word, ...forms]) {
        const term = cutter.term(each);
        if (term === undefined) return undefined;
        terms.push(term);
      }
    return terms;
  }

  #cutterOfWords(): WordCutter {
    return (this.#cutter ??= new WordCutter(this.#limits.terms));
  }

  /** Some turns are gone, or others search from now on: nothing that was read of them is kept. */
  clear(): void {
    this.#counts.clear();
    this.#countsOf.clear();
    this.#places.clear();
    this.#others.clear();
    this.#othersBy.clear();
    this.#tooFrequent.clear();
    this.#kept = 0;
    this.#sizes.clear();
    this.#cutter?.close();
    this.#cutter = undefined;
    this.#index.dropTurns();
  }
}

const NONE: readonly Counted[] = [];
const NO_OTHERS: readonly OtherWords[] = [];

/** No form has a shorter beginning. */
function firstLetters(word: string): string {
  return word.slice(0, 3);
}

/** What no word stands between and this one. */
function justBefore(term: string): string {
  return `${term.slice(0, -1)}${String.fromCharCode(term.charCodeAt(term.length - 1) - 1)}${LAST}`;
}

function isAmong({ beginning, charsMax, terms }: OtherWords, term: string): boolean {
  return term.startsWith(beginning) && term.length <= charsMax && !terms.includes(term);
}

/** A map keeps the order in which it was filled: what was asked for last moves to its end. */
function askedForLast<T>(kept: Map<string, T>, name: string, value: T): void {
  kept.delete(name);
  kept.set(name, value);
}

const NUMBER = /^\d+$/;
/** To the index a word of such a text is a row of letters and digits; it may only end otherwise. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
const PLAIN_WORD = /[a-z\d]+/g;
/** The words of a longer text would drive out the others. */
const PLAIN_CHARS_MAX = 10_000;
/** A longer one is a key, an address or a picture, and hardly comes again. */
const WORD_CHARS_MAX = 40;
const LONG_WORD = new RegExp(`[a-z\\d]{${WORD_CHARS_MAX + 1}}`, "i");

/**
 * Cuts texts into words as the index does: in a table like its own, which is empty again afterwards. What it makes of a
 * plain word is kept, since most words come again.
 */
class WordCutter {
  readonly #db = new DatabaseSync(":memory:");
  readonly #put: StatementSync;
  readonly #read: StatementSync;
  readonly #empty: StatementSync;
  readonly #termsMax: number;
  /** What single words become; undefined for what is more than one, or none. */
  readonly #terms = new Map<string, string | undefined>();

  constructor(termsMax: number) {
    this.#termsMax = termsMax;
    this.#db.exec(`CREATE VIRTUAL TABLE cut USING fts5 (text, content = '', tokenize = '${TOKENIZER}');
      CREATE VIRTUAL TABLE words USING fts5vocab (cut, instance)`);
    this.#put = this.#db.prepare("INSERT INTO cut (rowid, text) VALUES (?, ?)");
    this.#read = this.#db.prepare("SELECT doc, term FROM words");
    this.#read.setReturnArrays(true);
    this.#empty = this.#db.prepare("INSERT INTO cut (cut) VALUES ('delete-all')");
  }

  close(): void {
    this.#db.close();
  }

  term(word: string): string | undefined {
    // A number has no other forms, and hardly two messages have the same ones.
    if (NUMBER.test(word)) return ownCopy(word);
    if (this.#terms.has(word)) return this.#terms.get(word);
    const [term] = this.#termsOf([word]);
    if (word.length <= WORD_CHARS_MAX) this.#keep([word], [term]);
    return term;
  }

  /** The words of each text, as often as they stand there. */
  cut(texts: readonly string[]): readonly (readonly string[])[] {
    const words = texts.map((text) =>
      text.length <= PLAIN_CHARS_MAX && PLAIN.test(text) && !LONG_WORD.test(text)
        ? (text.toLowerCase().match(PLAIN_WORD) ?? [])
        : undefined,
    );
    const all = new Set(words.flatMap((each) => each ?? []));
    const unknown = [...all].filter((word) => !NUMBER.test(word) && !this.#terms.has(word));
    const learned = this.#termsOf(unknown);
    const termOf = new Map(unknown.map((word, at) => [word, learned[at]]));
    const others = this.#cutByIndex(texts.filter((_, at) => words[at] === undefined)).values();
    // Each plain word is one word to the index.
    const cut = words.map(
      (each) =>
        each?.map((word) => termOf.get(word) ?? this.#terms.get(word) ?? word) ?? others.next().value!,
    );
    this.#keep(unknown, learned);
    return cut;
  }

  #termsOf(words: readonly string[]): readonly (string | undefined)[] {
    return this.#cutByIndex(words).map((terms) => (terms.length === 1 ? terms[0] : undefined));
  }

  /** Where they are too many all begin anew. */
  #keep(words: readonly string[], terms: readonly (string | undefined)[]): void {
    if (this.#terms.size + words.length > this.#termsMax) this.#terms.clear();
    for (const [at, word] of words.slice(0, this.#termsMax).entries())
      this.#terms.set(ownCopy(word), terms[at]);
  }

  #cutByIndex(texts: readonly string[]): readonly (readonly string[])[] {
    const found: string[][] = texts.map(() => []);
    if (texts.length === 0) return found;
    this.#db.exec("BEGIN");
    try {
      for (const [at, text] of texts.entries()) this.#put.run(at, text);
      // Lists of two columns, as the statement was told to return them.
      for (const [at, term] of this.#read.all() as unknown as readonly (readonly [number, string])[])
        found[at]!.push(term);
      this.#empty.run();
    } finally {
      this.#db.exec("COMMIT");
    }
    return found;
  }
}

/** To V8 a longer part of a text is a view of the text, which it keeps alive as a whole. */
const COPIED_CHARS_MAX = 12;

function ownCopy(word: string): string {
  return word.length <= COPIED_CHARS_MAX ? word : Buffer.from(word).toString();
}
