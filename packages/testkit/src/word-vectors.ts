/**
 * Vectors that a test can reason about: each word has a direction of its own, chosen by its
 * hash, and a text points where its words do together. Texts that share words are near each
 * other; words of one `synonyms` group are the same word. Another `seed` (a model's name) is
 * another space, in which the same word points elsewhere.
 */
export interface WordVectorOptions {
  readonly dims: number;
  readonly seed: string;
  readonly synonyms?: readonly (readonly string[])[];
}

export function wordVector(text: string, { dims, seed, synonyms = [] }: WordVectorOptions): Float32Array {
  const sum = new Float64Array(dims);
  for (const word of wordsOf(text)) {
    const meant = synonyms.find((group) => group.includes(word))?.[0] ?? word;
    const next = numbersFrom(hashOf(`${seed} ${meant}`));
    for (let at = 0; at < dims; at++) sum[at]! += next() + next() + next() - 1.5;
  }
  const length = Math.hypot(...sum) || 1;
  return Float32Array.from(sum, (value) => value / length);
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2);
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
