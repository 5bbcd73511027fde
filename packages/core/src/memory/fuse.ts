/** The constant of reciprocal rank fusion; the larger, the less the first places stand out. */
export const RRF_K = 60;

/**
 * Several rankings of the same things made one: each gives 1 / (k + place) to what it
 * lists. Things come best first; of two that score the same, the one that was listed first.
 */
export function fuseRanks<T>(
  rankings: readonly (readonly T[])[],
  k: number = RRF_K,
): { item: T; score: number }[] {
  const scores = new Map<T, number>();
  for (const ranking of rankings) {
    [...new Set(ranking)].forEach((item, index) => {
      scores.set(item, (scores.get(item) ?? 0) + 1 / (k + index + 1));
    });
  }
  return [...scores].map(([item, score]) => ({ item, score })).sort((a, b) => b.score - a.score);
}
