import type { DatabaseSync } from "node:sqlite";
import { fuseRanks } from "@elwood/core/memory/fuse";
import type { MemoryHit, MemoryQuery } from "@elwood/core/memory/turn";
import { RANKING_WEIGHTS } from "@elwood/core/memory/weights";
import type { MemoryFusion } from "../settings.ts";
import { isDamage } from "../index/open-index.ts";
import { type SearchOptions, searchTurns as searchByWords } from "./search-turns.ts";
import type { SearchedIndex } from "./searched-index.ts";
import { turnFilter } from "./turn-filter.ts";
import { VECTOR_LIMITS } from "../index/limits.ts";
import { Best, dot, fromBytes, unit } from "../index/vector-math.ts";
import { nativeTable } from "../index/vector-schema.ts";

/** A query's vector, where to search, and how to weigh hits. Can be posted to a worker. */
export interface QueryVector extends Omit<NearestQuery, "k"> {
  readonly fusion: MemoryFusion;
}

/** Searches by words, and by vector too if the query's vector is known. */
export function searchTurns(
  db: DatabaseSync,
  query: MemoryQuery,
  queryVector?: QueryVector,
  index?: SearchedIndex,
): MemoryHit[] {
  const near = queryVector && tryNear(db, query, queryVector);
  return searchByWords(db, query, near && fused(near, queryVector.fusion), index);
}

/** What was found by meaning as part of a search by words: as one more feature of its score, or as a second vote. */
export function fused(near: ReadonlyMap<number, number>, fusion: MemoryFusion): SearchOptions {
  if (fusion === "linear") return { near: spread(near) };
  return {
    near,
    weights: { ...RANKING_WEIGHTS, vector: 0 },
    reorder(ranked) {
      const places = new Map(ranked.map((each) => [each.candidate.id, each]));
      const byWords = ranked.filter(wasFound).map(({ candidate }) => candidate.id);
      const byVector = [...near.keys()].filter((id) => places.has(id));
      return fuseRanks([byWords, byVector]).map(({ item, score }) => {
        const { candidate, parts } = places.get(item)!;
        return { candidate, score, parts: { ...parts, meaning: near.get(item) ?? 0, rrf: score } };
      });
    },
  };
}

/** Words or a date speak for it. What came in by its meaning alone has no vote of words to cast. */
function wasFound({ parts }: { readonly parts: Readonly<Record<string, number>> }): boolean {
  return ["words", "chunk", "before", "after", "around", "date"].some((part) => (parts[part] ?? 0) > 0);
}

/** Whatever is wrong with vectors, words are still found; only a damaged file is for whoever can replace it. */
function tryNear(
  db: DatabaseSync,
  query: MemoryQuery,
  queryVector: QueryVector,
): ReadonlyMap<number, number> | undefined {
  try {
    return nearIn(db, query, queryVector);
  } catch (error) {
    if (isDamage(error)) throw error;
    return undefined;
  }
}

/** The nearest turns that the query's filter admits. */
function nearIn(db: DatabaseSync, query: MemoryQuery, queryVector: QueryVector): ReadonlyMap<number, number> {
  const { sql, values } = turnFilter(query);
  if (sql === "") return nearestTurns(db, { ...queryVector, k: VECTOR_LIMITS.nearest });
  const near = nearestTurns(db, { ...queryVector, k: VECTOR_LIMITS.nearestNarrowed });
  const seen = db
    .prepare(`SELECT t.id FROM turns t WHERE t.id IN (SELECT value FROM json_each(?)) AND ${sql}`)
    .all(JSON.stringify([...near.keys()]), ...values);
  const allowed = new Set(seen.map((row) => Number(row["id"])));
  return new Map([...near].filter(([id]) => allowed.has(id)).slice(0, VECTOR_LIMITS.nearest));
}

/**
 * From 0 for the last to 1 for the first. Cosines of one embedder lie between .1 and .6, of another
 * between .7 and .9: only how they lie to each other says something.
 */
function spread(near: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const values = [...near.values()];
  const most = Math.max(...values);
  const least = Math.min(...values);
  if (!(most > least)) return near;
  return new Map([...near].map(([id, value]) => [id, (value - least) / (most - least)]));
}

/** A question as a vector, and where its neighbours are to be looked for. */
interface NearestQuery {
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
