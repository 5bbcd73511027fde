import type { DatabaseSync } from "node:sqlite";
import { VECTOR_LIMITS } from "./limits.ts";
import { atOnce, hasVectorTables, nativeTable } from "./vector-schema.ts";
import { dropNative, hasTable } from "./vector-space.ts";

/**
 * Removes the vectors of turns that are gone: from the cache, where no other turn has the same
 * text, and from sqlite-vec. Needs no embedder, and no extension either: without it the tables behind
 * sqlite-vec's are emptied whole, and filled from the cache when they can be. Answers how many turns were cleared away.
 */
export function sweepVectors(db: DatabaseSync, native = false): number {
  if (!hasVectorTables(db)) return 0;
  let swept = 0;
  for (;;) {
    const cleared = atOnce(db, () => sweepSome(db, native));
    if (cleared === 0) return swept;
    swept += cleared;
  }
}

export function hasDebris(db: DatabaseSync): boolean {
  return hasVectorTables(db) && db.prepare("SELECT 1 FROM vector_debris LIMIT 1").get() !== undefined;
}

function sweepSome(db: DatabaseSync, native: boolean): number {
  const debris = db
    .prepare("SELECT rowid AS id, turn_id, sha FROM vector_debris LIMIT ?")
    .all(VECTOR_LIMITS.debrisRows) as { id: number; turn_id: number; sha: string }[];
  if (debris.length === 0) return 0;
  const spaces = db.prepare("SELECT id FROM spaces").all() as { id: number }[];
  for (const { id } of spaces) {
    if (!hasTable(db, nativeTable(id))) continue;
    if (!native) dropNative(db, id, false);
    else {
      const drop = db.prepare(`DELETE FROM ${nativeTable(id)} WHERE rowid = ?`);
      // Not a row of a turn that came back under the same id.
      const used = db.prepare("SELECT 1 FROM turn_vectors WHERE space_id = ? AND turn_id = ?");
      for (const row of debris) if (!used.get(id, row.turn_id)) drop.run(BigInt(row.turn_id));
    }
  }
  const forget = db.prepare(
    "DELETE FROM embedding_cache WHERE space_id = ?2 AND sha = ?1 AND NOT EXISTS (SELECT 1 FROM turn_vectors WHERE sha = ?1)",
  );
  const clear = db.prepare("DELETE FROM vector_debris WHERE rowid = ?");
  for (const row of debris) {
    for (const { id } of spaces) forget.run(row.sha, id);
    clear.run(row.id);
  }
  return debris.length;
}
