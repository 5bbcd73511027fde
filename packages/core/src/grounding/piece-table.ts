import { bytesOf } from "./packed-bytes.ts";
import type { PieceList } from "./piece-list.ts";

/** A table as training writes it; texts are packed bytes. */
export interface PackedTable {
  readonly buckets: number;
  /** One unsigned byte a slot; 0 where nothing is kept. */
  readonly signs: string;
  /** Half a byte for each slot and answer, the first in the low half: which of LEVELS. */
  readonly weights: string;
  /** For each answer, what a level of 1 is worth. */
  readonly scales: readonly number[];
  readonly biases: readonly number[];
}

export const SLOTS_PER_BUCKET = 8;

/** What half a byte stands for: finer steps near nothing, where most weights are. */
export const LEVELS = Float32Array.from({ length: 16 }, (_, at) =>
  at === 0 ? 0 : Math.sign(at - 8) * (Math.abs(at - 8) / 7) ** 1.5,
);

/** A piece is kept in the bucket that its hash names, and told from others there by this sign. */
export function signOf(piece: number): number {
  return Math.imul(piece ^ (piece >>> 16), 0x45d9f3b) >>> 24 || 1;
}

/** At most 16,384 buckets; by the high bits, as a remainder of numbers this large is slow. */
export function bucketOf(piece: number, buckets: number): number {
  return ((piece >>> 15) * buckets) >>> 17;
}

/**
 * Logistic regression for one or more yes-or-no answers. Each piece that training kept has a
 * slot of its own, told by a sign of one byte: a piece that training never saw counts for
 * nothing, but for the few whose sign is the same by chance.
 */
export class PieceTable {
  readonly #packed: PackedTable;
  /** Signs, four at a time. */
  readonly #fours: Int32Array;
  /** Which of LEVELS, for each slot and answer. */
  readonly #levels: Uint8Array;
  readonly #answers: number;
  /** What the levels are worth in the group that is being summed. */
  readonly #worth = new Float64Array(LEVELS.length);

  constructor(packed: PackedTable) {
    this.#packed = packed;
    this.#answers = packed.biases.length;
    const signs = bytesOf(packed.signs);
    const halves = bytesOf(packed.weights);
    const slots = packed.buckets * SLOTS_PER_BUCKET;
    if (signs.length !== slots || halves.length !== (slots * this.#answers) / 2)
      throw new Error("The weights do not fit their table. Train again.");
    this.#levels = new Uint8Array(halves.length * 2);
    for (const [at, two] of halves.entries()) {
      this.#levels[at * 2] = two & 15;
      this.#levels[at * 2 + 1] = two >> 4;
    }
    this.#fours = new Int32Array(signs.buffer);
  }

  /** What the pieces of some groups add up to, for the first answer. */
  sumOfFirst(list: PieceList, from: number, to: number): number {
    const { buckets } = this.#packed;
    const answers = this.#answers;
    const fours = this.#fours;
    const levels = this.#levels;
    const { pieces } = list;
    let sum = 0;
    for (let group = from; group < to; group += 1) {
      const weight = list.weight[group]!;
      const end = list.to[group]!;
      for (let index = list.from[group]!; index < end; index += 1) {
        const slot = slotOf(pieces[index]!, fours, buckets);
        if (slot < 0) continue;
        sum += LEVELS[levels[slot * answers]!]! * weight;
      }
    }
    return sum;
  }

  /** The same for every answer; `into` may have sums already. */
  sum(list: PieceList, from: number, to: number, into: Float64Array): void {
    const { buckets } = this.#packed;
    const answers = this.#answers;
    const fours = this.#fours;
    const levels = this.#levels;
    const { pieces } = list;
    for (let group = from; group < to; group += 1) {
      const weight = list.weight[group]!;
      for (let level = 0; level < LEVELS.length; level += 1) this.#worth[level] = LEVELS[level]! * weight;
      const worth = this.#worth;
      const end = list.to[group]!;
      for (let index = list.from[group]!; index < end; index += 1) {
        const slot = slotOf(pieces[index]!, fours, buckets);
        if (slot < 0) continue;
        const at = slot * answers;
        for (let answer = 0; answer < answers; answer += 1) into[answer]! += worth[levels[at + answer]!]!;
      }
    }
  }

  /** The probability of one answer. */
  chance(sum: number, answer: number): number {
    const { scales, biases } = this.#packed;
    return 1 / (1 + Math.exp(-(biases[answer]! + sum * scales[answer]!)));
  }
}

/** Where a piece has its levels, or -1: most were never seen in training. Four signs are compared at a time. */
function slotOf(piece: number, fours: Int32Array, buckets: number): number {
  const bucket = bucketOf(piece, buckets);
  const all = Math.imul(signOf(piece), 0x01010101);
  const low = zerosIn(fours[bucket * 2]! ^ all);
  if (low !== 0) return bucket * SLOTS_PER_BUCKET + firstByte(low);
  const high = zerosIn(fours[bucket * 2 + 1]! ^ all);
  return high === 0 ? -1 : bucket * SLOTS_PER_BUCKET + 4 + firstByte(high);
}

/** Not 0 where one of four bytes is 0; its lowest bit is in the first of them. */
function zerosIn(bytes: number): number {
  return (bytes - 0x01010101) & ~bytes & 0x80808080;
}

/** In which of four bytes the lowest bit is. */
function firstByte(bytes: number): number {
  return (31 - Math.clz32(bytes & -bytes)) >> 3;
}
