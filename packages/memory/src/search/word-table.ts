import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ftsWord } from "@elwood/core/memory/fts-query";
import type { QueryWord } from "@elwood/core/memory/query-words";
import { TOKENIZER } from "../index/schema.ts";
import { readVarint, type IndexSize } from "./index-size.ts";
import type { SearchedIndex } from "./searched-index.ts";

export const WORD_TABLE_LIMITS = {
  /** Words whose turns are counted. */
  counts: 2_000,
  /** Places that are kept of all words together, twelve bytes each. */
  places: 400_000,
  /** Of a word that stands in more places none is kept: the index is asked each time. */
  placesOfWord: 8_000,
  /** More new turns than these since the last search are not taken in one by one. */
  newTurns: 1_000,
  terms: 10_000,
} as const;

/** The parameters of FTS5's own BM25, and its weight of a word that half of all turns hold. */
const K1 = 1.2;
const B = 0.75;
const LEAST_WEIGHT = 1e-6;

export type ScoredTurn = readonly [id: number, score: number];

interface Counted {
  turns: number;
  /** Where counting ended, if there were as many: there may be more. */
  readonly limit: number | undefined;
  /** The last turn that was added to the count: it may hold several forms of the word. */
  lastId: number;
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
  readonly #counts = new Map<string, Counted>();
  /** The same by what the index makes of a word. */
  readonly #countsOf = new Map<string, Counted[]>();
  readonly #places = new Map<string, Places>();
  #kept = 0;
  #size: IndexSize = { turns: 0, words: 0 };
  #lastId = 0;
  #isOpen = false;
  readonly #paper = new Paper();
  #cutter: WordCutter | undefined;

  constructor(index: SearchedIndex) {
    this.#index = index;
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
    if (this.#counts.size > 0 || this.#places.size > 0) {
      const more = this.#newTurns();
      if (more.length <= WORD_TABLE_LIMITS.newTurns && this.#size.turns + more.length === size.turns)
        this.#add(more);
      else this.#forget();
    }
    this.#size = size;
    this.#lastId = this.#index.lastId();
  }

  clear(): void {
    this.#forget();
    this.#cutter?.close();
    this.#cutter = undefined;
  }

  /** How many turns hold a word in one of its forms, `most` at most. undefined where it is not one word to the index. */
  count(word: QueryWord, most: number | undefined): number | undefined {
    const expression = ftsWord(word);
    const known = this.#counts.get(expression);
    if (known && (known.limit === undefined || (most ?? Infinity) <= known.limit))
      return Math.min(known.turns, most ?? Infinity);
    const terms = this.#termsOf([word]);
    if (!terms) return undefined;
    const turns = this.#index.countNow(expression, most);
    if (this.#counts.size >= WORD_TABLE_LIMITS.counts) this.#forget();
    const limit = most !== undefined && turns >= most ? most : undefined;
    const counted = { turns, limit, lastId: 0 };
    this.#counts.set(expression, counted);
    for (const term of new Set(terms)) {
      const others = this.#countsOf.get(term)?.filter((each) => each !== known) ?? [];
      this.#countsOf.set(term, [...others, counted]);
    }
    return turns;
  }

  /**
   * Of the newest turns that hold any of the words the `most` best, best first, with BM25's score. undefined where the
   * index itself has to be asked.
   */
  match(words: readonly QueryWord[], newest: number, most: number): readonly ScoredTurn[] | undefined {
    const lists: Places[] = [];
    for (const term of this.#termsOf(words) ?? []) {
      const places = this.#placesOf(term);
      if (!places) return undefined;
      lists.push(places);
    }
    if (lists.length === 0) return undefined;
    const weights = lists.map((list) => this.#weightOf(list));
    const { turns, words: inAll } = this.#size;
    return bestOf(scored(lists, weights, inAll / turns, newest, this.#paper), most);
  }

  /** By SQLite: another logarithm may differ in the last digit. */
  #weightOf({ length }: Places): number {
    const odds = (this.#size.turns - length + 0.5) / (length + 0.5);
    const row = this.#index.prepare("SELECT ln(?) AS weight").get(odds);
    const weight = Number(row?.["weight"] ?? 0);
    return weight > 0 ? weight : LEAST_WEIGHT;
  }

  #placesOf(term: string): Places | undefined {
    const known = this.#places.get(term);
    if (known) return known;
    // As text: a list of bytes for each row takes longer than all the rest.
    const statement = this.#index.prepare(
      "SELECT p.doc, hex(s.sz) FROM temp.places p JOIN turns_fts_docsize s ON s.id = p.doc WHERE p.term = ? LIMIT ?",
    );
    statement.setReturnArrays(true);
    const rows = statement.all(term, WORD_TABLE_LIMITS.placesOfWord + 1);
    if (rows.length > WORD_TABLE_LIMITS.placesOfWord) return undefined;
    const places = new Places(rows.length);
    // Lists of two columns, as the statement was told to return them.
    for (const [id, size] of rows as unknown as readonly (readonly [number, string])[])
      places.add(id, readVarint(Buffer.from(size, "hex"), 0).value);
    if (this.#kept + places.length > WORD_TABLE_LIMITS.places) this.#forget();
    this.#places.set(term, places);
    this.#kept += places.length;
    return places;
  }

  #newTurns(): readonly (readonly [id: number, text: string])[] {
    const statement = this.#index.prepare("SELECT id, text FROM turns WHERE id > ? ORDER BY id LIMIT ?");
    statement.setReturnArrays(true);
    const rows = statement.all(this.#lastId, WORD_TABLE_LIMITS.newTurns + 1);
    return rows as unknown as readonly (readonly [number, string])[];
  }

  #add(turns: readonly (readonly [id: number, text: string])[]): void {
    if (turns.length === 0) return;
    const cut = (this.#cutter ??= new WordCutter()).cut(turns.map(([, text]) => text));
    for (const [at, [id]] of turns.entries()) {
      const terms = cut[at]!;
      for (const term of terms) {
        if (this.#places.get(term)?.add(id, terms.length) === true) this.#kept += 1;
        for (const counted of this.#countsOf.get(term) ?? NONE) {
          if (counted.limit !== undefined || counted.lastId === id) continue;
          counted.turns += 1;
          counted.lastId = id;
        }
      }
    }
  }

  /** What the index makes of the words and their forms; undefined where it makes more than one of any. */
  #termsOf(words: readonly QueryWord[]): readonly string[] | undefined {
    const cutter = (this.#cutter ??= new WordCutter());
    const terms: string[] = [];
    for (const { word, forms } of words)
      for (const each of [word, ...forms]) {
        const term = cutter.term(each);
        if (term === undefined) return undefined;
        terms.push(term);
      }
    return terms;
  }

  #forget(): void {
    this.#counts.clear();
    this.#countsOf.clear();
    this.#places.clear();
    this.#kept = 0;
  }
}

const NONE: readonly Counted[] = [];

/** What a search writes down of turns that it looks at, used again by the next: they are many, and few of them are the best. */
class Paper {
  ids = new Uint32Array();
  scores = new Float64Array();
  length = 0;
  /** Places of the best ones so far. */
  best = new Uint32Array();

  /** Of the last search nothing is left. */
  take(room: number): void {
    this.length = 0;
    if (room <= this.ids.length) return;
    this.ids = new Uint32Array(room);
    this.scores = new Float64Array(room);
  }
}

/** As FTS5 computes it, in the same order. */
function scored(
  lists: readonly Places[],
  weights: readonly number[],
  averageSize: number,
  newest: number,
  paper: Paper,
): Paper {
  const most = Math.min(
    newest,
    lists.reduce((sum, { length }) => sum + length, 0),
  );
  paper.take(most);
  const { ids, scores } = paper;
  const at = lists.map(({ length }) => length - 1);
  /** Where each list stands; 0 at its end. */
  const heads = lists.map((list, each) => list.id(at[each]!));
  let count = 0;
  for (; count < most; count += 1) {
    let id = 0;
    for (let each = 0; each < heads.length; each += 1) if (heads[each]! > id) id = heads[each]!;
    if (id === 0) break;
    let score = 0;
    for (let each = 0; each < heads.length; each += 1) {
      if (heads[each] !== id) continue;
      const list = lists[each]!;
      const place = at[each]!;
      at[each] = place - 1;
      heads[each] = list.id(place - 1);
      const times = list.times(place);
      score +=
        weights[each]! * ((times * (K1 + 1)) / (times + K1 * (1 - B + (B * list.size(place)) / averageSize)));
    }
    ids[count] = id;
    scores[count] = score;
  }
  paper.length = count;
  return paper;
}

/**
 * Best first; of equals the newest, which was written down first. The best so far are a heap with the worst of them on top,
 * so that most of the others cost one comparison.
 */
function bestOf(paper: Paper, most: number): ScoredTurn[] {
  const { ids, scores, length } = paper;
  const count = Math.min(most, length);
  if (count > paper.best.length) paper.best = new Uint32Array(count);
  const { best } = paper;
  for (let at = 0; at < count; at += 1) best[at] = at;
  for (let top = (count >> 1) - 1; top >= 0; top -= 1) sink(best, scores, top, count);
  for (let at = count; at < length; at += 1) {
    if (scores[at]! <= scores[best[0]!]!) continue;
    best[0] = at;
    sink(best, scores, 0, count);
  }
  const found: ScoredTurn[] = [];
  for (let left = count; left > 0; left -= 1) {
    const worst = best[0]!;
    found.push([ids[worst]!, scores[worst]!]);
    best[0] = best[left - 1]!;
    sink(best, scores, 0, left - 1);
  }
  return found.reverse();
}

function sink(heap: Uint32Array, scores: Float64Array, from: number, size: number): void {
  let at = from;
  for (;;) {
    let worst = at;
    for (let below = 2 * at + 1; below <= 2 * at + 2 && below < size; below += 1)
      if (isWorse(heap[below]!, heap[worst]!, scores)) worst = below;
    if (worst === at) return;
    const moved = heap[at]!;
    heap[at] = heap[worst]!;
    heap[worst] = moved;
    at = worst;
  }
}

function isWorse(a: number, b: number, scores: Float64Array): boolean {
  return scores[a]! < scores[b]! || (scores[a] === scores[b] && a > b);
}

/** The turns that hold a word, oldest first: which, how often, and of how many words each is. */
class Places {
  #cells: Uint32Array;
  length = 0;

  constructor(room: number) {
    this.#cells = new Uint32Array(CELLS * (room + ROOM_FOR_MORE));
  }

  /** Once more in this turn, the newest of all; true where it is new. */
  add(id: number, size: number): boolean {
    const last = this.length - 1;
    if (last >= 0 && this.id(last) === id) {
      this.#cells[last * CELLS + 1]! += 1;
      return false;
    }
    const at = this.length * CELLS;
    if (at + CELLS > this.#cells.length) {
      const wider = new Uint32Array(this.#cells.length * 2);
      wider.set(this.#cells);
      this.#cells = wider;
    }
    this.#cells[at] = id;
    this.#cells[at + 1] = 1;
    this.#cells[at + 2] = size;
    this.length += 1;
    return true;
  }

  /** 0 before the first. */
  id(at: number): number {
    return at < 0 ? 0 : this.#cells[at * CELLS]!;
  }

  times(at: number): number {
    return this.#cells[at * CELLS + 1]!;
  }

  size(at: number): number {
    return this.#cells[at * CELLS + 2]!;
  }
}

const CELLS = 3;
const ROOM_FOR_MORE = 8;

/** Cuts texts into words as the index does: in a table like its own, which is empty again afterwards. */
class WordCutter {
  readonly #db = new DatabaseSync(":memory:");
  readonly #put: StatementSync;
  readonly #read: StatementSync;
  readonly #empty: StatementSync;
  /** What single words become; undefined for what is more than one, or none. */
  readonly #terms = new Map<string, string | undefined>();

  constructor() {
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
    if (this.#terms.has(word)) return this.#terms.get(word);
    if (this.#terms.size >= WORD_TABLE_LIMITS.terms) this.#terms.clear();
    const [terms] = this.cut([word]);
    const term = terms!.length === 1 ? terms![0] : undefined;
    this.#terms.set(word, term);
    return term;
  }

  /** The words of each text, as often as they stand there. */
  cut(texts: readonly string[]): readonly (readonly string[])[] {
    const found: string[][] = texts.map(() => []);
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
