import type { StatementSync } from "node:sqlite";
import { ftsWord } from "@elwood/core/memory/fts-query";

export const RELATED_LIMITS = {
  /** A word that a larger part of all turns holds, or more turns than these, tells nothing about any of them. */
  share: 0.05,
  matches: 200,
  /** In a small index a share means little. */
  matchesMin: 20,
  /** Turns that hold no asked word, only words in their place, and are looked at all the same. */
  found: 40,
} as const;

/**
 * Turns by words that may stand in the place of the asked ones, a list for each of these. By id, how rare those
 * words are; of one list only the rarest counts, so that a turn with many words of a kind does not outdo one that answers.
 */
export function findRelated(
  index: { prepare(sql: string): StatementSync },
  groups: readonly (readonly string[])[],
  total: number,
): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  if (groups.length === 0) return scores;
  const { share, matches, matchesMin } = RELATED_LIMITS;
  const most = Math.floor(Math.min(matches, Math.max(matchesMin, share * total)));
  const statement = index.prepare("SELECT rowid FROM turns_fts WHERE turns_fts MATCH ? LIMIT ?");
  statement.setReturnArrays(true);
  for (const group of groups) {
    const rarest = new Map<number, number>();
    for (const word of group) {
      const rows = statement.all(ftsWord({ word, forms: [] }), most + 1);
      if (rows.length > most) continue;
      const rarity = Math.max(0.1, Math.log((total - rows.length + 0.5) / (rows.length + 0.5)));
      // Lists of one column, as the statement was told to return them.
      for (const [id] of rows as unknown as readonly (readonly [id: number])[])
        if (rarity > (rarest.get(id) ?? 0)) rarest.set(id, rarity);
    }
    for (const [id, rarity] of rarest) scores.set(id, (scores.get(id) ?? 0) + rarity);
  }
  return scores;
}

/** The best of them that were not found by what was asked. */
export function bestRelated(
  related: ReadonlyMap<number, number>,
  found: ReadonlyMap<number, number>,
): number[] {
  return [...related]
    .filter(([id]) => !found.has(id))
    .sort(([a, x], [b, y]) => y - x || b - a)
    .slice(0, RELATED_LIMITS.found)
    .map(([id]) => id);
}
