import type { Group } from "./claim-features.ts";

/** A table as training writes it; texts are base64. */
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
  readonly #signs: Uint8Array;
  readonly #weights: Uint8Array;
  readonly #answers: number;

  constructor(packed: PackedTable) {
    this.#packed = packed;
    this.#answers = packed.biases.length;
    this.#signs = fromBase64(packed.signs);
    this.#weights = fromBase64(packed.weights);
    const slots = packed.buckets * SLOTS_PER_BUCKET;
    if (this.#signs.length !== slots || this.#weights.length !== (slots * this.#answers) / 2)
      throw new Error("The weights do not fit their table. Train again.");
  }

  /** What pieces add up to, for each answer; sums of several groups can be added. */
  sum(groups: readonly Group[], into: Float32Array = new Float32Array(this.#answers)): Float32Array {
    const { buckets } = this.#packed;
    const answers = this.#answers;
    for (const { pieces, weight } of groups)
      for (const piece of pieces) {
        const from = bucketOf(piece, buckets) * SLOTS_PER_BUCKET;
        const sign = signOf(piece);
        for (let slot = from; slot < from + SLOTS_PER_BUCKET; slot += 1) {
          if (this.#signs[slot] !== sign) continue;
          const at = slot * answers;
          for (let answer = 0; answer < answers; answer += 1) {
            const index = at + answer;
            const level = (this.#weights[index >> 1]! >> ((index & 1) << 2)) & 15;
            into[answer]! += LEVELS[level]! * weight;
          }
          break;
        }
      }
    return into;
  }

  /** A probability for each answer. */
  chances(sums: Float32Array): number[] {
    const { scales, biases } = this.#packed;
    return biases.map((bias, answer) => 1 / (1 + Math.exp(-(bias + sums[answer]! * scales[answer]!))));
  }
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Core has neither Buffer nor atob. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const codes = new Uint8Array(128);
  for (let i = 0; i < ALPHABET.length; i += 1) codes[ALPHABET.charCodeAt(i)] = i;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const out = new Uint8Array((text.length / 4) * 3 - padding);
  for (let i = 0, at = 0; i < text.length; i += 4, at += 3) {
    const word =
      (codes[text.charCodeAt(i)]! << 18) |
      (codes[text.charCodeAt(i + 1)]! << 12) |
      (codes[text.charCodeAt(i + 2)]! << 6) |
      codes[text.charCodeAt(i + 3)]!;
    out[at] = word >> 16;
    if (at + 1 < out.length) out[at + 1] = word >> 8;
    if (at + 2 < out.length) out[at + 2] = word;
  }
  return out;
}
