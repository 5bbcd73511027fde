import { unit } from "@elwood/memory/index/vector-math";

/** One text as weights by word. */
type Row = readonly (readonly [word: number, weight: number])[];

const DIMS = 100;
const ROUNDS = 6;
/** Words this short carry no meaning of their own. */
const WORD_CHARS_MIN = 3;

/**
 * Latent semantic analysis of a few thousand texts: the main directions of their word counts, found by
 * repeated multiplication, without words that are to be ignored. Answers a function from a text to its place among them, of length 1.
 */
export function latentVectors(
  texts: readonly string[],
  ignored: ReadonlySet<string>,
): (text: string) => Float32Array {
  const wordsIn = (text: string) => wordsOf(text, ignored);
  const ids = new Map<string, number>();
  const held: number[] = [];
  for (const text of texts) {
    for (const word of new Set(wordsIn(text))) {
      const id = ids.get(word) ?? ids.size;
      ids.set(word, id);
      held[id] = (held[id] ?? 0) + 1;
    }
  }
  const rarity = held.map((count) => Math.log(1 + texts.length / count));
  const rowOf = (text: string): Row => weighedRow(wordsIn(text), ids, rarity);
  const rows = texts.map(rowOf);
  let basis = orthogonal(scattered(ids.size));
  for (let round = 0; round < ROUNDS; round++) {
    const next = Array.from({ length: ids.size }, () => new Float64Array(DIMS));
    for (const row of rows) {
      const place = project(row, basis);
      for (const [word, weight] of row) addTo(next[word]!, place, weight);
    }
    basis = orthogonal(next);
  }
  return (text) => unit(Float32Array.from(project(rowOf(text), basis)));
}

function weighedRow(
  words: readonly string[],
  ids: ReadonlyMap<string, number>,
  rarity: readonly number[],
): Row {
  const counts = new Map<number, number>();
  for (const word of words) {
    const id = ids.get(word);
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const row = [...counts].map(([word, count]) => [word, (1 + Math.log(count)) * rarity[word]!] as const);
  const length = Math.hypot(...row.map(([, weight]) => weight)) || 1;
  return row.map(([word, weight]) => [word, weight / length] as const);
}

function wordsOf(text: string, ignored: ReadonlySet<string>): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => word.length >= WORD_CHARS_MIN && !ignored.has(word))
    .map((word) => word.replace(/(ing|ed|es|s|ly)$/, ""));
}

function project(row: Row, basis: readonly Float64Array[]): Float64Array {
  const place = new Float64Array(DIMS);
  for (const [word, weight] of row) addTo(place, basis[word]!, weight);
  return place;
}

function addTo(sum: Float64Array, part: Float64Array, weight: number): void {
  for (let at = 0; at < DIMS; at++) sum[at]! += weight * part[at]!;
}

/** The same every time. */
function scattered(words: number): Float64Array[] {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296 - 0.5;
  };
  return Array.from({ length: words }, () => Float64Array.from({ length: DIMS }, next));
}

/** Gram and Schmidt, twice over, column by column. */
function orthogonal(rows: Float64Array[]): Float64Array[] {
  for (let column = 0; column < DIMS; column++) {
    for (let pass = 0; pass < 2; pass++) {
      for (let earlier = 0; earlier < column; earlier++) {
        let shared = 0;
        for (const row of rows) shared += row[column]! * row[earlier]!;
        for (const row of rows) row[column]! -= shared * row[earlier]!;
      }
    }
    let squares = 0;
    for (const row of rows) squares += row[column]! ** 2;
    const length = Math.sqrt(squares) || 1;
    for (const row of rows) row[column]! /= length;
  }
  return rows;
}
