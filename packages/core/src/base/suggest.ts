/** The candidate a person most likely meant, or undefined where none is near enough to be worth saying. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const plain = bare(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  let bestLook = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(plain, bare(candidate));
    if (distance > bestDistance) continue;
    // Of two spellings of one word, the one that looks like what was written.
    const look = editDistance(word, candidate);
    if (distance < bestDistance || look < bestLook) {
      [best, bestDistance, bestLook] = [candidate, distance, look];
    }
  }
  const distanceMax = Math.min(3, Math.floor(plain.length / 3) + (plain.length > 1 ? 1 : 0));
  return bestDistance <= distanceMax ? best : undefined;
}

/** Spelling habits (snake_case, camelCase, kebab-case) are not mistakes worth counting. */
function bare(word: string): string {
  return word.toLowerCase().replaceAll(/[_\- ]/g, "");
}

const WORD_CHARS_MAX = 100;

/** Insertions, deletions, substitutions and swaps of neighbours, each counting one. */
export function editDistance(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length > WORD_CHARS_MAX || b.length > WORD_CHARS_MAX) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, beforeLast[j - 2]! + 1);
      }
      row.push(value);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
