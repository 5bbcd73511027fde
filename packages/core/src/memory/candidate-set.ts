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

/** The candidates in the order of their source files, addressed by index. */
export class CandidateSet {
  readonly turns: readonly Candidate[];
  readonly #traits: (TurnTraits | undefined)[];
  /** Indexes by place, and where in that order each stands. */
  readonly #order: readonly number[];
  readonly #rank: readonly number[];
  readonly #chunks: ReadonlyMap<number, number>;
  readonly #relatedChunks: ReadonlyMap<number, number>;
  /** For each word of the question, how much it counts where it is closest; used again for each turn. */
  #shares: number[] = [];
  #oldest = Infinity;
  #newest = -Infinity;

  constructor(turns: readonly Candidate[]) {
    this.turns = turns;
    this.#traits = turns.map(({ traits }) => traits);
    this.#order = turns
      .map((_, index) => index)
      .sort((a, b) => turns[a]!.sourceId - turns[b]!.sourceId || turns[a]!.pos - turns[b]!.pos);
    const rank: number[] = turns.map(() => 0);
    this.#order.forEach((index, at) => (rank[index] = at));
    this.#rank = rank;
    for (const { ts } of turns) {
      this.#oldest = Math.min(this.#oldest, ts);
      this.#newest = Math.max(this.#newest, ts);
    }
    this.#chunks = chunkScores(turns, ({ words }) => words);
    this.#relatedChunks = chunkScores(turns, ({ related = 0 }) => related);
  }

  traits(index: number): TurnTraits {
    return (this.#traits[index] ??= new TurnTraits(this.turns[index]!.text));
  }

  /** The turn right before it, if that is a candidate. */
  previous(index: number): number | undefined {
    const turn = this.turns[index]!;
    const before = this.#order[this.#rank[index]! - 1];
    if (before === undefined) return undefined;
    const { sourceId, pos } = this.turns[before]!;
    return sourceId === turn.sourceId && pos === turn.pos - 1 ? before : undefined;
  }

  /** How well the words of those beside it fit, and how many of the question's words are there. */
  beside(index: number, rarity: readonly number[]) {
    const { sourceId, pos } = this.turns[index]!;
    const at = this.#rank[index]!;
    if (this.#shares.length !== rarity.length) this.#shares = rarity.map(() => 0);
    const shares = this.#shares.fill(0);
    const words = [0, 0, 0, 0, 0, 0, 0];
    for (let near = at; near >= 0; near -= 1) {
      const turn = this.turns[this.#order[near]!]!;
      const back = pos - turn.pos;
      if (turn.sourceId !== sourceId || back >= COVERAGE_BEFORE.length) break;
      if (back <= 3) words[3 - back] = turn.words;
      cover(shares, turn.matchedWords, COVERAGE_BEFORE[back]!);
    }
    for (let near = at + 1; near < this.#order.length; near += 1) {
      const turn = this.turns[this.#order[near]!]!;
      const ahead = turn.pos - pos;
      if (turn.sourceId !== sourceId || ahead >= COVERAGE_AFTER.length) break;
      if (ahead <= 3) words[3 + ahead] = turn.words;
      cover(shares, turn.matchedWords, COVERAGE_AFTER[ahead]!);
    }
    let coverage = 0;
    for (let word = 0; word < rarity.length; word += 1) coverage += shares[word]! * rarity[word]!;
    return {
      before: words[3 - 1]!,
      after: words[3 + 1]!,
      around: words[3 - 2]! + words[3 - 3]! + words[3 + 2]! + words[3 + 3]!,
      coverage,
    };
  }

  chunkScore(chunk: number): number {
    return this.#chunks.get(chunk) ?? 0;
  }

  relatedChunkScore(chunk: number): number {
    return this.#relatedChunks.get(chunk) ?? 0;
  }

  /** 0 for the oldest candidate, 1 for the newest. */
  recency(ts: number): number {
    return this.#newest > this.#oldest ? (ts - this.#oldest) / (this.#newest - this.#oldest) : 0;
  }
}

function cover(shares: number[], matchedWords: readonly number[], share: number): void {
  for (const word of matchedWords) if (share > shares[word]!) shares[word] = share;
}

function chunkScores(turns: readonly Candidate[], of: (turn: Candidate) => number): Map<number, number> {
  const found = new Map<number, number[]>();
  for (const turn of turns) {
    const score = of(turn);
    if (score <= 0) continue;
    const scores = found.get(turn.chunkId);
    if (scores) scores.push(score);
    else found.set(turn.chunkId, [score]);
  }
  return new Map([...found].map(([chunk, scores]) => [chunk, decayedSum(scores)]));
}

function decayedSum(scores: number[]): number {
  let sum = 0;
  let share = 1;
  for (const score of scores.sort((a, b) => b - a)) {
    sum += score * share;
    share *= CHUNK_DECAY;
  }
  return sum;
}
