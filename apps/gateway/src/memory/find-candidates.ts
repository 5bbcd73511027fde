import type { DatabaseSync } from "node:sqlite";
import type { DateWindow } from "@elwood/core/memory/date-window";
import { ftsQuery, ftsTrigrams, ftsWord } from "@elwood/core/memory/fts-query";
import type { QueryWord, QueryWords } from "@elwood/core/memory/query-words";
import type { MemoryOrigin, TurnRole } from "@elwood/core/memory/turn";
import type { TurnFilter } from "./turn-filter.ts";

export const SEARCH_LIMITS = {
  /** Turns found by words that are looked at closer. */
  found: 300,
  /** Those of them, best first, whose neighbours may be shown in their place. */
  widened: 100,
  widenedBy: 2,
  /** Turns of a time that was named. */
  dated: 300,
  /** Turns that hold any of the words; the most frequent words are left out until it is not more. */
  matches: 8_000,
  /** Newest turns of unspaced scripts that are read through where trigrams find little. */
  unspacedScanned: 5_000,
  unspacedEnough: 20,
  speakers: 200,
} as const;

/** A row of `turns`. */
export interface TurnRow {
  readonly id: number;
  readonly sourceId: number;
  readonly chunkId: number;
  readonly pos: number;
  readonly line: number;
  readonly session: string | null;
  readonly run: string | null;
  readonly ts: number;
  readonly role: TurnRole;
  readonly speaker: string;
  readonly origin: MemoryOrigin;
  readonly text: string;
}

export interface WordsFound {
  /** By id of the turn, the larger the better. */
  readonly scores: ReadonlyMap<number, number>;
  /** Words that were looked for, each with how rare it is. */
  readonly words: readonly (QueryWord & { readonly rarity: number })[];
}

const COLUMNS = `t.id, t.source_id AS sourceId, t.chunk_id AS chunkId, t.pos, t.line, t.session, t.run,
  t.ts, t.role, t.speaker, t.origin, t.text`;

/** Turns by the words they hold, as BM25 has it. */
export function findByWords(db: DatabaseSync, asked: QueryWords, filter: TurnFilter): WordsFound {
  const words = worthLooking(db, asked.words);
  const scores = new Map<number, number>();
  if (words.length > 0)
    for (const { id, score } of match(db, "turns_fts", ftsQuery(words), filter)) scores.set(id, score);
  for (const [id, score] of findUnspaced(db, asked, filter))
    scores.set(id, Math.max(score, scores.get(id) ?? 0));
  return { scores, words };
}

/**
 * The index scores every turn that holds any word before it can say which are best, so on a large one the most
 * frequent words are given up, the rarest kept first. The last one stays, whatever it costs.
 */
function worthLooking(db: DatabaseSync, words: readonly QueryWord[]): (QueryWord & { rarity: number })[] {
  const total = Number(db.prepare("SELECT count(*) AS n FROM turns").get()?.["n"] ?? 0);
  const count = db.prepare(
    "SELECT count(*) AS n FROM (SELECT 1 FROM turns_fts WHERE turns_fts MATCH ? LIMIT ?)",
  );
  const counted = words
    .map((word) => ({ ...word, turns: Number(count.get(ftsWord(word), SEARCH_LIMITS.matches)?.["n"] ?? 0) }))
    .filter(({ turns }) => turns > 0)
    .sort((a, b) => a.turns - b.turns);
  let sum = 0;
  return counted
    .filter(({ turns }, index) => {
      sum += turns;
      return index === 0 || sum <= SEARCH_LIMITS.matches;
    })
    .map(({ word, forms, turns }) => ({
      word,
      forms,
      rarity: Math.max(0.1, Math.log((total - turns + 0.5) / (turns + 0.5))),
    }));
}

/** The newest matches first, so that even a single word that half of all turns hold costs a bounded time. */
function match(
  db: DatabaseSync,
  table: "turns_fts" | "turns_tri",
  expression: string,
  { sql, values }: TurnFilter,
): { id: number; score: number }[] {
  const joined = sql === "" ? "" : `JOIN turns t ON t.id = ${table}.rowid`;
  const rows = db
    .prepare(
      `SELECT id, -score AS score FROM (
        SELECT ${table}.rowid AS id, bm25(${table}) AS score FROM ${table} ${joined}
        WHERE ${table} MATCH ? ${sql === "" ? "" : `AND ${sql}`} ORDER BY ${table}.rowid DESC LIMIT ?
      ) ORDER BY score DESC LIMIT ?`,
    )
    .all(expression, ...values, SEARCH_LIMITS.matches, SEARCH_LIMITS.found);
  // BM25 of a word that more than half of the turns hold is 0 or below.
  return rows.map((row) => ({ id: Number(row["id"]), score: Math.max(0.01, Number(row["score"])) }));
}

/** Chinese, Japanese, Thai …: by runs of three characters, and where that finds little by runs of two. */
function findUnspaced(db: DatabaseSync, { trigrams, bigrams }: QueryWords, filter: TurnFilter) {
  const scores = new Map<number, number>();
  if (trigrams.length > 0)
    for (const { id, score } of match(db, "turns_tri", ftsTrigrams(trigrams), filter)) scores.set(id, score);
  if (bigrams.length === 0 || scores.size >= SEARCH_LIMITS.unspacedEnough) return scores;
  const rows = db
    .prepare(
      `SELECT t.id, t.text FROM turns t WHERE t.cjk = 1 ${filter.sql === "" ? "" : `AND ${filter.sql}`}
        ORDER BY t.id DESC LIMIT ?`,
    )
    .all(...filter.values, SEARCH_LIMITS.unspacedScanned)
    .map((row) => ({ id: Number(row["id"]), text: String(row["text"]) }));
  for (const bigram of bigrams) {
    const holding = rows.filter(({ text }) => text.includes(bigram));
    const rarity = Math.max(0.1, Math.log((rows.length - holding.length + 0.5) / (holding.length + 0.5)));
    for (const { id } of holding) scores.set(id, (scores.get(id) ?? 0) + rarity);
  }
  return scores;
}

/** Turns of the times that were named, the newest first. */
export function findByDate(db: DatabaseSync, windows: readonly DateWindow[], filter: TurnFilter): number[] {
  if (windows.length === 0) return [];
  const statement = db.prepare(
    `SELECT t.id FROM turns t WHERE t.ts >= ? AND t.ts < ? ${filter.sql === "" ? "" : `AND ${filter.sql}`}
      ORDER BY t.ts DESC LIMIT ?`,
  );
  return windows.flatMap(({ from, to }) =>
    statement.all(from, to, ...filter.values, SEARCH_LIMITS.dated).map((row) => Number(row["id"])),
  );
}

export function readTurns(db: DatabaseSync, ids: readonly number[], filter: TurnFilter): TurnRow[] {
  const rows = db
    .prepare(
      `SELECT ${COLUMNS} FROM json_each(?) j JOIN turns t ON t.id = j.value
        ${filter.sql === "" ? "" : `WHERE ${filter.sql}`}`,
    )
    .all(JSON.stringify(ids), ...filter.values);
  // The columns are those of a STRICT table, named as in the interface.
  return rows as unknown as TurnRow[];
}

/** What stands around these turns in their files, themselves left out. */
export function readAround(
  db: DatabaseSync,
  turns: readonly TurnRow[],
  by: number,
  filter: TurnFilter,
): TurnRow[] {
  const statement = db.prepare(
    `SELECT ${COLUMNS} FROM turns t
      WHERE t.source_id = ? AND t.pos BETWEEN ? AND ? ${filter.sql === "" ? "" : `AND ${filter.sql}`}`,
  );
  const known = new Set(turns.map(({ id }) => id));
  return stretches(turns, by).flatMap(({ sourceId, from, to }) =>
    (statement.all(sourceId, from, to, ...filter.values) as unknown as TurnRow[]).filter(({ id }) => {
      const isNew = !known.has(id);
      known.add(id);
      return isNew;
    }),
  );
}

/** Places that lie close together are read at once. */
function stretches(turns: readonly TurnRow[], by: number) {
  const found: { sourceId: number; from: number; to: number }[] = [];
  for (const { sourceId, pos } of [...turns].sort((a, b) => a.sourceId - b.sourceId || a.pos - b.pos)) {
    const last = found.at(-1);
    if (last !== undefined && last.sourceId === sourceId && pos - by <= last.to + 1) last.to = pos + by;
    else found.push({ sourceId, from: pos - by, to: pos + by });
  }
  return found;
}

/** Paths of files by their ids. */
export function readPaths(db: DatabaseSync, sourceIds: Iterable<number>): Map<number, string> {
  const rows = db
    .prepare("SELECT s.id, s.path FROM json_each(?) j JOIN sources s ON s.id = j.value")
    .all(JSON.stringify([...new Set(sourceIds)]));
  return new Map(rows.map((row) => [Number(row["id"]), String(row["path"])]));
}

/** Everybody who speaks in memory, found by stepping through an index. */
export function readSpeakers(db: DatabaseSync): string[] {
  const rows = db
    .prepare(
      `WITH RECURSIVE s (name) AS (
        SELECT min(speaker) FROM turns
        UNION ALL SELECT (SELECT min(speaker) FROM turns WHERE speaker > s.name) FROM s WHERE s.name IS NOT NULL
      ) SELECT name FROM s WHERE name IS NOT NULL LIMIT ?`,
    )
    .all(SEARCH_LIMITS.speakers);
  return rows.map((row) => String(row["name"]));
}
