import type { DatabaseSync } from "node:sqlite";
import { Best, dot, fromBytes, unit } from "../index/vector-math.ts";
import { nativeTable } from "../index/vector-schema.ts";

/** A question as a vector, and where its neighbours are to be looked for. */
export interface NearestQuery {
  readonly spaceId: number;
  readonly vector: Float32Array;
  readonly k: number;
  /** Whether this connection knows sqlite-vec. */
  readonly native: boolean;
}

/** Turns nearest in meaning, by id, with their cosine, nearest first. Both ways of finding them give the same. */
export function nearestTurns(db: DatabaseSync, query: NearestQuery): Map<number, number> {
  const best = new Best(query.k);
  const vector = unit(query.vector);
  for (const { id, cosine } of query.native ? byExtension(db, query, vector) : byScan(db, query, vector))
    best.offer(id, rounded(cosine));
  return new Map(best.list().map(({ id, score }) => [id, score]));
}

function byExtension(db: DatabaseSync, { spaceId, k }: NearestQuery, vector: Float32Array) {
  const rows = db
    .prepare(`SELECT rowid AS id, distance FROM ${nativeTable(spaceId)} WHERE e MATCH ? AND k = ?`)
    .all(new Uint8Array(vector.buffer), k) as { id: number; distance: number | null }[];
  // A vector of zeros has no distance to anything.
  return rows.map(({ id, distance }) => ({ id, cosine: distance === null ? 0 : 1 - distance }));
}

function* byScan(db: DatabaseSync, { spaceId }: NearestQuery, vector: Float32Array) {
  const rows = db
    .prepare(
      `SELECT v.turn_id AS id, c.vec FROM turn_vectors v
        JOIN embedding_cache c ON c.space_id = v.space_id AND c.sha = v.sha WHERE v.space_id = ?`,
    )
    .iterate(spaceId) as Iterable<{ id: number; vec: Uint8Array }>;
  for (const { id, vec } of rows) yield { id, cosine: dot(vector, fromBytes(vec)) };
}

/** So far that the two ways of computing it cannot be told apart. */
function rounded(cosine: number): number {
  return Math.round(cosine * 10_000) / 10_000;
}
