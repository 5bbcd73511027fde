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
const KNOWN_MIN = 512;

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
  return Math.imul(piece >>> 15, buckets) >>> 17;
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
  /** By bucket: its eight signs, and behind them the levels of its slots for the first answer, four at a time each. */
  readonly #first: Int32Array;
  /** Which of LEVELS, for each slot and answer. */
  readonly #levels: Uint8Array;
  readonly #answers: number;
  /** What the levels are worth in the group that is being summed. */
  readonly #worth = new Float64Array(LEVELS.length);
  /** Where the levels of its known pieces begin. */
  #known = new Int32Array(KNOWN_MIN);

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
    const first = new Uint8Array(slots * 2);
    for (let slot = 0; slot < slots; slot += 1) {
      const at = Math.floor(slot / SLOTS_PER_BUCKET) * SLOTS_PER_BUCKET * 2 + (slot % SLOTS_PER_BUCKET);
      first[at] = signs[slot]!;
      first[at + SLOTS_PER_BUCKET] = this.#levels[slot * this.#answers]!;
    }
    this.#first = new Int32Array(first.buffer);
  }

  /**
   * What the pieces of some groups add up to, for the first answer. Whether a piece is known cannot be
   * foreseen, so that nothing here jumps by it: what is not known has the level that counts for nothing.
   */
  sumOfFirst(list: PieceList, from: number, to: number): number {
    const { buckets } = this.#packed;
    const first = this.#first;
    const { pieces } = list;
    let sum = 0;
    for (let group = from; group < to; group += 1) {
      const weight = list.weight[group]!;
      const end = list.to[group]!;
      for (let index = list.from[group]!; index < end; index += 1) {
        const piece = pieces[index]!;
        const bucket = bucketOf(piece, buckets) * 4;
        const all = Math.imul(signOf(piece), 0x01010101);
        const low = zerosIn(first[bucket]! ^ all);
        const high = zerosIn(first[bucket + 1]! ^ all);
        // All bits where one of the first four signs is the piece's.
        const isLow = (low | -low) >> 31;
        const hit = (low & isLow) | (high & ~isLow);
        const levels = (first[bucket + 2]! & isLow) | (first[bucket + 3]! & ~isLow);
        const level = (levels >> (firstByte(hit) * 8)) & 15 & ((hit | -hit) >> 31);
        sum += LEVELS[level]! * weight;
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
    const worth = this.#worth;
    const { pieces } = list;
    for (let group = from; group < to; group += 1) {
      const weight = list.weight[group]!;
      const end = list.to[group]!;
      if (end - list.from[group]! > this.#known.length) this.#known = new Int32Array(end * 2);
      const known = this.#known;
      let count = 0;
      for (let index = list.from[group]!; index < end; index += 1) {
        const piece = pieces[index]!;
        const bucket = bucketOf(piece, buckets);
        const all = Math.imul(signOf(piece), 0x01010101);
        const low = zerosIn(fours[bucket * 2]! ^ all);
        const high = zerosIn(fours[bucket * 2 + 1]! ^ all);
        const isLow = (low | -low) >> 31;
        const hit = (low & isLow) | (high & ~isLow);
        known[count] = (bucket * SLOTS_PER_BUCKET + (~isLow & 4) + firstByte(hit)) * answers;
        count += (hit | -hit) >>> 31;
      }
      for (let level = 0; level < LEVELS.length; level += 1) worth[level] = LEVELS[level]! * weight;
      let answer = 0;
      // Several at a time: the processor adds to one while it waits for the others.
      for (; answer + 3 < answers; answer += 4) {
        let one = into[answer]!;
        let two = into[answer + 1]!;
        let three = into[answer + 2]!;
        let four = into[answer + 3]!;
        for (let at = 0; at < count; at += 1) {
          const place = known[at]! + answer;
          one += worth[levels[place]!]!;
          two += worth[levels[place + 1]!]!;
          three += worth[levels[place + 2]!]!;
          four += worth[levels[place + 3]!]!;
        }
        into[answer] = one;
        into[answer + 1] = two;
        into[answer + 2] = three;
        into[answer + 3] = four;
      }
      for (; answer < answers; answer += 1) {
        let sum = into[answer]!;
        for (let at = 0; at < count; at += 1) sum += worth[levels[known[at]! + answer]!]!;
        into[answer] = sum;
      }
    }
  }

  /** The probability of one answer. */
  chance(sum: number, answer: number): number {
    const { scales, biases } = this.#packed;
    return 1 / (1 + Math.exp(-(biases[answer]! + sum * scales[answer]!)));
  }
}

/** Not 0 where one of four bytes is 0; its lowest bit is in the first of them. */
function zerosIn(bytes: number): number {
  return (bytes - 0x01010101) & ~bytes & 0x80808080;
}

/** In which of four bytes the lowest bit is; any number where there is none. */
function firstByte(bytes: number): number {
  return (31 - Math.clz32(bytes & -bytes)) >> 3;
}
