import { TurnTraits } from "./turn-traits.ts";
import type { TurnRole } from "./turn.ts";
import { CHUNK_DECAY, COVERAGE_AFTER, COVERAGE_BEFORE } from "./weights.ts";

/** A turn that may be shown: a search hit, or a neighbour of one. */
export interface Candidate {
  readonly id: number;
  readonly sourceId: number;
  /** Place among the turns of its source, without gaps. */
  readonly pos: number;
  readonly chunkId: number;
  readonly ts: number;
  readonly role: TurnRole;
  readonly speaker: string;
  readonly text: string;
  /** How well its words fit, by BM25, the larger the better; 0 where it was not found by words. */
  readonly words: number;
  /** Which of the query's words it contains. */
  readonly matchedWords: readonly number[];
  /** How rare the related words are that it contains instead of query words. */
  readonly related?: number | undefined;
  /** Closeness in meaning, 0 to 1. */
  readonly vector?: number;
  /** Of its text, where somebody keeps them. */
  readonly traits?: TurnTraits | undefined;
}

/** How well the words of those beside a turn fit, and how many of the question's words are there. */
export interface Beside {
  before: number;
  after: number;
  around: number;
  coverage: number;
}

/**
 * The candidates in the order of their source files, addressed by index. A search looks at hundreds, so what is computed
 * of each is written into lists of numbers that are made once.
 */
export class CandidateSet {
  readonly turns: readonly Candidate[];
  readonly #traits: (TurnTraits | undefined)[];
  /** Indexes by place, and where in that order each stands. */
  readonly #order: readonly number[];
  readonly #rank: Uint32Array;
  readonly #chunks: Float64Array;
  readonly #relatedChunks: Float64Array;
  /** For each word of the question, how much it counts where it is closest; used again for each turn. */
  #shares = new Float64Array();
  /** How well the words fit of the turn itself, in the middle, and of the three on each side; used again, too. */
  readonly #near = new Float64Array(2 * NEAR + 1);
  #oldest = Infinity;
  #newest = -Infinity;

  constructor(turns: readonly Candidate[]) {
    this.turns = turns;
    this.#traits = turns.map(({ traits }) => traits);
    this.#order = turns
      .map((_, index) => index)
      .sort((a, b) => turns[a]!.sourceId - turns[b]!.sourceId || turns[a]!.pos - turns[b]!.pos);
    this.#rank = new Uint32Array(turns.length);
    for (let at = 0; at < turns.length; at += 1) this.#rank[this.#order[at]!] = at;
    for (const { ts } of turns) {
      if (ts < this.#oldest) this.#oldest = ts;
      if (ts > this.#newest) this.#newest = ts;
    }
    const scores = new Float64Array(turns.length);
    for (let index = 0; index < turns.length; index += 1) scores[index] = turns[index]!.words;
    this.#chunks = this.#chunkScores(scores);
    for (let index = 0; index < turns.length; index += 1) scores[index] = turns[index]!.related ?? 0;
    this.#relatedChunks = this.#chunkScores(scores);
  }

  traits(index: number): TurnTraits {
    return (this.#traits[index] ??= new TurnTraits(this.turns[index]!.text));
  }

  /** The turn right before it, if that is a candidate. */
  previous(index: number): number | undefined {
    const turn = this.turns[index]!;
    const at = this.#rank[index]!;
    if (at === 0) return undefined;
    const before = this.#order[at - 1]!;
    const { sourceId, pos } = this.turns[before]!;
    return sourceId === turn.sourceId && pos === turn.pos - 1 ? before : undefined;
  }

  /** Written into `found`. */
  beside(index: number, rarity: readonly number[], found: Beside): void {
    const { sourceId, pos } = this.turns[index]!;
    const at = this.#rank[index]!;
    if (this.#shares.length !== rarity.length) this.#shares = new Float64Array(rarity.length);
    const shares = this.#shares.fill(0);
    const words = this.#near.fill(0);
    for (let near = at; near >= 0; near -= 1) {
      const turn = this.turns[this.#order[near]!]!;
      const back = pos - turn.pos;
      if (turn.sourceId !== sourceId || back >= COVERAGE_BEFORE.length) break;
      if (back <= NEAR) words[NEAR - back] = turn.words;
      cover(shares, turn.matchedWords, COVERAGE_BEFORE[back]!);
    }
    for (let near = at + 1; near < this.#order.length; near += 1) {
      const turn = this.turns[this.#order[near]!]!;
      const ahead = turn.pos - pos;
      if (turn.sourceId !== sourceId || ahead >= COVERAGE_AFTER.length) break;
      if (ahead <= NEAR) words[NEAR + ahead] = turn.words;
      cover(shares, turn.matchedWords, COVERAGE_AFTER[ahead]!);
    }
    let coverage = 0;
    for (let word = 0; word < rarity.length; word += 1) coverage += shares[word]! * rarity[word]!;
    found.before = words[NEAR - 1]!;
    found.after = words[NEAR + 1]!;
    found.around = words[NEAR - 2]! + words[NEAR - 3]! + words[NEAR + 2]! + words[NEAR + 3]!;
    found.coverage = coverage;
  }

  /** How well the words fit the chunk that it is in. */
  chunkScore(index: number): number {
    return this.#chunks[index]!;
  }

  relatedChunkScore(index: number): number {
    return this.#relatedChunks[index]!;
  }

  /** 0 for the oldest candidate, 1 for the newest. */
  recency(ts: number): number {
    return this.#newest > this.#oldest ? (ts - this.#oldest) / (this.#newest - this.#oldest) : 0;
  }

  /** For each candidate that of its chunk. A chunk is a stretch of a source, so its turns stand side by side. */
  #chunkScores(scores: Float64Array): Float64Array {
    const order = this.#order;
    const found = new Float64Array(order.length);
    const sorted = new Float64Array(order.length);
    for (let from = 0; from < order.length;) {
      const { chunkId } = this.turns[order[from]!]!;
      let count = 0;
      let to = from;
      for (; to < order.length && this.turns[order[to]!]!.chunkId === chunkId; to += 1) {
        const score = scores[order[to]!]!;
        if (score <= 0) continue;
        let place = count++;
        for (; place > 0 && sorted[place - 1]! < score; place -= 1) sorted[place] = sorted[place - 1]!;
        sorted[place] = score;
      }
      let sum = 0;
      let share = 1;
      for (let at = 0; at < count; at += 1) {
        sum += sorted[at]! * share;
        share *= CHUNK_DECAY;
      }
      if (sum > 0) for (let at = from; at < to; at += 1) found[order[at]!] = sum;
      from = to;
    }
    return found;
  }
}

/** On each side of a turn. */
const NEAR = 3;

function cover(shares: Float64Array, matchedWords: readonly number[], share: number): void {
  for (let at = 0; at < matchedWords.length; at += 1) {
    const word = matchedWords[at]!;
    if (share > shares[word]!) shares[word] = share;
  }
}
