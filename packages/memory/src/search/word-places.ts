import type { HeldEnough } from "@elwood/core/memory/recall-gate";
import type { TurnSizes } from "./turn-sizes.ts";

/** The parameters of FTS5's own BM25. */
const K1 = 1.2;
const B = 0.75;

export type ScoredTurn = readonly [id: number, score: number];

/** Ids that lie so close together are looked at in one go. */
const STRETCH = 4_096;

/** What a search writes down of turns that it looks at, used again by the next: they are many, and few of them are the best. */
export class Paper {
  ids = new Uint32Array();
  scores = new Float64Array();
  length = 0;
  /** Places of the best ones so far. */
  best = new Uint32Array();
  /** Of a stretch of ids what the words weigh together that a turn holds, its mark, and which turns hold enough weight. */
  readonly weights = new Float64Array(STRETCH);
  readonly marks = new Uint32Array(STRETCH);
  readonly heavy = new Uint16Array(STRETCH);

  /** Of the last search nothing is left. */
  take(room: number): void {
    this.length = 0;
    if (room <= this.ids.length) return;
    this.ids = new Uint32Array(room);
    this.scores = new Float64Array(room);
  }
}

/** What BM25 knows of all turns, and of each. */
export interface Sizes {
  /** Words of a turn, on average. */
  readonly average: number;
  readonly turns: Pick<TurnSizes, "take" | "of">;
}

/**
 * Of the `newest` turns in any of the lists, or of those that hold enough, scores as FTS5 computes them, in the same
 * order. undefined where the size of one is not to be had.
 */
export function scored(
  lists: readonly Places[],
  weights: readonly number[],
  sizes: Sizes,
  newest: number,
  paper: Paper,
  held: HeldWords | undefined,
): Paper | undefined {
  const most = Math.min(
    newest,
    lists.reduce((sum, { length }) => sum + length, 0),
  );
  paper.take(most);
  const isKnown = held
    ? held.newestOf(lists, weights, sizes, most, paper)
    : scoreAll(lists, weights, sizes, most, paper);
  return isKnown ? paper : undefined;
}

function scoreAll(
  lists: readonly Places[],
  weights: readonly number[],
  sizes: Sizes,
  most: number,
  paper: Paper,
): boolean {
  noteAll(lists, most, paper);
  const { ids, scores, length } = paper;
  if (!sizes.turns.take(ids.subarray(0, length))) return false;
  scores.fill(0, 0, length);
  for (const [each, list] of lists.entries()) {
    let place = list.length - 1;
    for (let at = 0; at < length && place >= 0; at += 1) {
      if (list.ids[place] !== ids[at]) continue;
      scores[at]! += scoreAt(list, place, weights[each]!, sizes);
      place -= 1;
    }
  }
  return true;
}

/** The newest first. */
function noteAll(lists: readonly Places[], most: number, paper: Paper): void {
  const at = lists.map(({ length }) => length - 1);
  /** Where each list stands; 0 at its end. */
  const heads = lists.map((list, each) => list.id(at[each]!));
  for (; paper.length < most; paper.length += 1) {
    let id = 0;
    for (let each = 0; each < heads.length; each += 1) if (heads[each]! > id) id = heads[each]!;
    if (id === 0) break;
    for (let each = 0; each < heads.length; each += 1) {
      if (heads[each] !== id) continue;
      at[each]! -= 1;
      heads[each] = lists[each]!.id(at[each]!);
    }
    paper.ids[paper.length] = id;
  }
}

function scoreAt(list: Places, place: number, weight: number, { average, turns }: Sizes): number {
  const times = list.times(place);
  const size = turns.of(list.ids[place]!);
  return weight * ((times * (K1 + 1)) / (times + K1 * (1 - B + (B * size) / average)));
}

/** Parts of a turn's mark: the word that was found in it last, counted from 1, how many were, and whether one of them tells. */
const LAST_WORD = 0xff;
const COUNT_STEP = 0x100;
const COUNT = 0xff00;
const TELLS = 0x1_0000;
/** It is among those that are looked for. */
const SOUGHT = 0x2_0000;
/** The whole mark of one that holds enough. */
const NOTED = 0x4_0000;

/** Tells which turns hold enough of the words, without reading them. */
export class HeldWords {
  readonly #enough: HeldEnough;
  readonly #lists: readonly Places[];
  /** For each list its word, where it stands, and the turn there. */
  readonly #words: readonly number[];
  readonly #at: number[];
  readonly #heads: number[];
  /** Of words without a list. */
  #count = 0;
  #weight = 0;
  #tells = false;

  constructor(enough: HeldEnough, listsOf: readonly (readonly Places[] | undefined)[]) {
    this.#enough = enough;
    const lists: Places[] = [];
    this.#lists = lists;
    const words: number[] = [];
    this.#words = words;
    for (const [word, places] of listsOf.entries()) {
      for (const each of places ?? NO_PLACES) {
        lists.push(each);
        words.push(word);
      }
      if (places) continue;
      this.#count += 1;
      this.#weight += enough.weights[word]!;
      this.#tells ||= enough.tells[word]!;
    }
    this.#at = lists.map(() => 0);
    this.#heads = lists.map(() => 0);
  }

  /** Those of the turns that hold enough, the newest first. */
  among(ids: readonly number[]): readonly number[] {
    this.begin();
    return [...ids].sort((a, b) => b - a).filter((id) => this.isEnough(id));
  }

  /** Those of the turns that hold any of the words. */
  holding(ids: readonly number[]): readonly number[] {
    if (this.#count > 0) return ids;
    return ids.filter((id) => this.#lists.some((list) => list.id(list.upTo(id, list.length) - 1) === id));
  }

  begin(): void {
    for (const [each, list] of this.#lists.entries()) {
      this.#at[each] = list.length - 1;
      this.#heads[each] = list.id(list.length - 1);
    }
  }

  /**
   * Of the `newest` turns in the lists notes those that hold enough, the newest first, with their scores. They are
   * thousands, so that each list is walked through by itself, one stretch of ids after the other. False where the size
   * of one is not to be had.
   */
  newestOf(
    lists: readonly Places[],
    listWeights: readonly number[],
    sizes: Sizes,
    newest: number,
    paper: Paper,
  ): boolean {
    const ends = lists.map(({ length }) => length);
    const heldEnds = this.#lists.map(({ length }) => length);
    let left = newest;
    while (left > 0) {
      let top = 0;
      for (let each = 0; each < lists.length; each += 1)
        top = Math.max(top, lists[each]!.id(ends[each]! - 1));
      if (top === 0) break;
      const base = Math.max(1, top - STRETCH + 1);
      const before = [...ends];
      const found = this.#seek(lists, ends, base, paper);
      const from = found > left ? base + nthLast(paper.marks, left) : base;
      left -= found;
      const first = paper.length;
      this.#weigh(heldEnds, base, from, top, paper);
      if (paper.length === first) continue;
      if (!sizes.turns.take(paper.ids.subarray(first, paper.length))) return false;
      paper.weights.fill(0);
      for (let each = 0; each < lists.length; each += 1)
        addScores(lists[each]!, before[each]!, ends[each]!, listWeights[each]!, sizes, base, paper);
      for (let at = first; at < paper.length; at += 1)
        paper.scores[at] = paper.weights[paper.ids[at]! - base]!;
    }
    return true;
  }

  /** Marks the turns in the lists from `base` on, and answers how many they are. */
  #seek(lists: readonly Places[], ends: number[], base: number, { marks, weights }: Paper): number {
    const mark = SOUGHT + this.#count * COUNT_STEP + (this.#tells ? TELLS : 0);
    marks.fill(0);
    let found = 0;
    for (let each = 0; each < lists.length; each += 1) {
      const { ids } = lists[each]!;
      let end = ends[each]!;
      for (; end > 0 && ids[end - 1]! >= base; end -= 1) {
        const at = ids[end - 1]! - base;
        if (marks[at] !== 0) continue;
        marks[at] = mark;
        weights[at] = this.#weight;
        found += 1;
      }
      ends[each] = end;
    }
    return found;
  }

  /** Adds up what the marked turns hold, and notes those that hold enough. */
  #weigh(ends: number[], base: number, from: number, top: number, paper: Paper): void {
    const { weights: wordWeights, tells, least, weight: needed } = this.#enough;
    const { marks, weights, heavy } = paper;
    let heavyOnes = 0;
    // Some word is missing from what is kept, and weighs enough by itself.
    if (this.#weight >= needed)
      for (let at = from - base; at <= top - base; at += 1) if (marks[at] !== 0) heavy[heavyOnes++] = at;
    for (let each = 0; each < ends.length; each += 1) {
      const list = this.#lists[each]!;
      const { ids } = list;
      const word = this.#words[each]!;
      const wordWeight = wordWeights[word]!;
      const telling = tells[word] ? TELLS : 0;
      let end = list.upTo(top, ends[each]!);
      for (; end > 0 && ids[end - 1]! >= from; end -= 1) {
        const at = ids[end - 1]! - base;
        const mark = marks[at]!;
        // One word may have several forms, and a turn several of them.
        if (mark === 0 || (mark & LAST_WORD) === word + 1) continue;
        marks[at] = ((mark & ~LAST_WORD) | telling | (word + 1)) + COUNT_STEP;
        const before = weights[at]!;
        const after = before + wordWeight;
        weights[at] = after;
        if (before < needed && after >= needed) heavy[heavyOnes++] = at;
      }
      ends[each] = end;
    }
    heavy.subarray(0, heavyOnes).sort();
    for (let each = heavyOnes - 1; each >= 0; each -= 1) {
      const at = heavy[each]!;
      const mark = marks[at]!;
      if ((mark & TELLS) === 0 || (mark & COUNT) < least * COUNT_STEP) continue;
      marks[at] = NOTED;
      paper.ids[paper.length] = base + at;
      paper.length += 1;
    }
  }

  /** For turns that come one after the other, the newest first: each list is walked through once. */
  isEnough(id: number): boolean {
    const { weights, tells, least, weight: needed } = this.#enough;
    const heads = this.#heads;
    let count = this.#count;
    let weight = this.#weight;
    let isTelling = this.#tells;
    let last = -1;
    for (let each = 0; each < heads.length; each += 1) {
      if (heads[each]! > id) this.#moveTo(id, each);
      const word = this.#words[each]!;
      // One word may have several forms, and a turn several of them.
      if (heads[each] !== id || word === last) continue;
      last = word;
      count += 1;
      weight += weights[word]!;
      isTelling ||= tells[word]!;
    }
    return isTelling && count >= least && weight >= needed;
  }

  #moveTo(id: number, each: number): void {
    const list = this.#lists[each]!;
    let at = this.#at[each]!;
    do at -= 1;
    while (list.id(at) > id);
    this.#at[each] = at;
    this.#heads[each] = list.id(at);
  }
}

const NO_PLACES: readonly Places[] = [];

/** To each noted turn of a stretch what a word adds to its score. */
function addScores(
  list: Places,
  end: number,
  from: number,
  weight: number,
  sizes: Sizes,
  base: number,
  { marks, weights }: Paper,
): void {
  const { ids } = list;
  for (let place = end - 1; place >= from; place -= 1) {
    const at = ids[place]! - base;
    if (marks[at] === NOTED) weights[at]! += scoreAt(list, place, weight, sizes);
  }
}

/** Where the last so many of the marked ones begin. */
function nthLast(marks: Uint32Array, count: number): number {
  let at = marks.length;
  for (let left = count; left > 0 && at > 0;) {
    at -= 1;
    if (marks[at] !== 0) left -= 1;
  }
  return at;
}

/**
 * Best first; of equals the newest, which was written down first. The best so far are a heap with the worst of them on top,
 * so that most of the others cost one comparison.
 */
export function bestOf(paper: Paper, most: number): ScoredTurn[] {
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

/** The turns that hold a word, oldest first: which, and how often. */
export class Places {
  /** With room for more behind the last. */
  ids: Uint32Array;
  #times: Uint16Array;
  length = 0;

  constructor(room: number) {
    this.ids = new Uint32Array(room + ROOM_FOR_MORE);
    this.#times = new Uint16Array(room + ROOM_FOR_MORE);
  }

  /** Once more in this turn, the newest of all; false where it is too often to be kept. */
  add(id: number): boolean {
    const last = this.length - 1;
    if (last >= 0 && this.ids[last] === id) {
      if (this.times(last) >= TIMES_MAX) return false;
      this.#times[last]! += 1;
      return true;
    }
    if (this.length === this.ids.length) {
      const room = Math.ceil(this.length * GROWTH) + ROOM_FOR_MORE;
      this.ids = widened(this.ids, new Uint32Array(room));
      this.#times = widened(this.#times, new Uint16Array(room));
    }
    this.ids[this.length] = id;
    this.#times[this.length] = 1;
    this.length += 1;
    return true;
  }

  /** 0 before the first. */
  id(at: number): number {
    return at < 0 ? 0 : this.ids[at]!;
  }

  /** How many of the first `end` have no higher id than this; looked for from the end, where it mostly is. */
  upTo(id: number, end: number): number {
    const { ids } = this;
    let to = end;
    let step = 1;
    while (to > 0 && ids[to - 1]! > id) {
      to -= step;
      step *= 2;
    }
    let from = Math.max(0, to);
    to += step >> 1;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (ids[middle]! <= id) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  times(at: number): number {
    return this.#times[at]!;
  }
}

function widened<Numbers extends Uint32Array | Uint16Array>(numbers: Numbers, wider: Numbers): Numbers {
  wider.set(numbers);
  return wider;
}

const ROOM_FOR_MORE = 8;
const GROWTH = 1.25;
const TIMES_MAX = 2 ** 16 - 1;
