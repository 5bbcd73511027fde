import type { DateWindow } from "@elwood/core/memory/date-window";
import { ftsQuery, ftsTrigrams, ftsWord } from "@elwood/core/memory/fts-query";
import { keyMatcher } from "@elwood/core/memory/key-match";
import { keyOfSource } from "@elwood/core/memory/note-key";
import type { QueryWord, QueryWords } from "@elwood/core/memory/query-words";
import type { MemoryOrigin, TurnRole } from "@elwood/core/memory/turn";
import type { TurnTraits } from "@elwood/core/memory/turn-traits";
import type { TurnCache } from "./turn-cache.ts";
import type { SearchedIndex } from "./searched-index.ts";
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
  /** Notes whose keys are looked at; those of them that fit best, and the first turns of each. */
  keys: 5_000,
  keyedNotes: 20,
  keyedTurns: 40,
  /** An index of so many turns and characters at most is kept in memory from search to search. */
  keptTurns: 2_000,
  keptChars: 1_000_000,
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
  readonly traits?: TurnTraits;
}

export interface WordsFound {
  /** By id of the turn, the larger the better. */
  readonly scores: ReadonlyMap<number, number>;
  /** Words that were looked for, each with how rare it is. */
  readonly words: readonly (QueryWord & { readonly rarity: number })[];
  /** By id of a turn from a note whose key holds some of them, which these are. */
  readonly keyed: ReadonlyMap<number, readonly number[]>;
  /** How many turns there are in all. */
  readonly total: number;
}

export const COLUMNS = `t.id, t.source_id AS sourceId, t.chunk_id AS chunkId, t.pos, t.line, t.session, t.run,
  t.ts, t.role, t.speaker, t.origin, t.text`;

/** Turns by the words they hold, as BM25 has it. */
export function findByWords(
  index: SearchedIndex,
  asked: QueryWords,
  question: string,
  filter: TurnFilter,
  kept: TurnCache | undefined,
): WordsFound {
  const total = kept?.size ?? Number(index.prepare("SELECT count(*) AS n FROM turns").get()?.["n"] ?? 0);
  const byKey = findByKey(index, asked, question);
  const words = worthLooking(index, asked.words, total, kept, byKey);
  const scores =
    words.length > 0 ? match(index, "turns_fts", ftsQuery(words), filter, kept) : new Map<number, number>();
  for (const [id, score] of findUnspaced(index, asked, filter, kept))
    scores.set(id, Math.max(score, scores.get(id) ?? 0));
  const keyed = new Map<number, readonly number[]>();
  for (const { ids, held, unspaced } of byKey) {
    const among = words.flatMap(({ word }, at) => (held.has(word) ? [at] : []));
    let score = unspaced ? rarityOf(ids.length, total) : 0;
    for (const at of among) score += words[at]!.rarity;
    for (const id of ids) {
      keyed.set(id, among);
      scores.set(id, (scores.get(id) ?? 0) + score);
    }
  }
  return { scores, words, keyed, total };
}

interface KeyedNote {
  /** Of its turns. */
  readonly ids: readonly number[];
  /** Asked words that its key holds. */
  readonly held: ReadonlySet<string>;
  readonly unspaced: boolean;
}

/** Notes whose keys hold what was asked for, those first that hold most of it. */
function findByKey(index: SearchedIndex, { words }: QueryWords, question: string): readonly KeyedNote[] {
  const matches = keyMatcher(words, question);
  const turns = index.prepare("SELECT id FROM turns WHERE source_id = ? ORDER BY pos LIMIT ?");
  return index
    .prepare(
      "SELECT id, path FROM sources WHERE path >= 'memory/' AND path < 'memory0' ORDER BY path LIMIT ?",
    )
    .all(SEARCH_LIMITS.keys)
    .flatMap((row) => {
      const match = matches(keyOfSource(String(row["path"])) ?? "");
      return match ? [{ sourceId: Number(row["id"]), ...match }] : [];
    })
    .sort((a, b) => b.words.length - a.words.length)
    .slice(0, SEARCH_LIMITS.keyedNotes)
    .map(({ sourceId, words: held, unspaced }) => ({
      ids: turns.all(sourceId, SEARCH_LIMITS.keyedTurns).map((row) => Number(row["id"])),
      held: new Set(held.map((at) => words[at]!.word)),
      unspaced,
    }));
}

function rarityOf(turns: number, total: number): number {
  return Math.max(0.1, Math.log((Math.max(0, total - turns) + 0.5) / (turns + 0.5)));
}

/**
 * The index scores every turn that holds any word before it can say which are best, so on a large one the most
 * frequent words are given up, the rarest kept first. The last one stays, whatever it costs.
 */
function worthLooking(
  index: SearchedIndex,
  words: readonly QueryWord[],
  total: number,
  kept: TurnCache | undefined,
  byKey: readonly KeyedNote[],
): (QueryWord & { rarity: number })[] {
  // Where they are few there is nothing to stop at, and counting takes a third of the time.
  const count = kept
    ? index.prepare("SELECT count(*) AS n FROM turns_fts WHERE turns_fts MATCH ?")
    : index.prepare("SELECT count(*) AS n FROM (SELECT 1 FROM turns_fts WHERE turns_fts MATCH ? LIMIT ?)");
  const most = kept ? [] : [SEARCH_LIMITS.matches];
  const counted = words
    .map((word) => {
      const named = byKey.reduce((sum, { ids, held }) => sum + (held.has(word.word) ? ids.length : 0), 0);
      return { ...word, turns: named + Number(count.get(ftsWord(word), ...most)?.["n"] ?? 0) };
    })
    .filter(({ turns }) => turns > 0)
    .sort((a, b) => a.turns - b.turns);
  let sum = 0;
  return counted
    .filter(({ turns }, at) => {
      sum += turns;
      return at === 0 || sum <= SEARCH_LIMITS.matches;
    })
    .map(({ word, forms, turns }) => ({
      word,
      forms,
      rarity: rarityOf(turns, total),
    }));
}

/** The newest matches first, so that even a single word that half of all turns hold costs a bounded time. */
function match(
  index: SearchedIndex,
  table: "turns_fts" | "turns_tri",
  expression: string,
  filter: TurnFilter,
  kept: TurnCache | undefined,
): Map<number, number> {
  const { sql, values } = filter;
  const inSql = sql !== "" && !kept;
  const joined = inSql ? `JOIN turns t ON t.id = ${table}.rowid` : "";
  const statement = index.prepare(
    `SELECT id, -score AS score FROM (
      SELECT ${table}.rowid AS id, bm25(${table}) AS score FROM ${table} ${joined}
      WHERE ${table} MATCH ? ${inSql ? `AND ${sql}` : ""} ORDER BY ${table}.rowid DESC LIMIT ?
    ) ORDER BY score DESC LIMIT ?`,
  );
  const most = kept ? SEARCH_LIMITS.keptTurns : SEARCH_LIMITS.found;
  const scores = new Map<number, number>();
  // Rows as lists are made in a quarter of the time.
  statement.setReturnArrays(true);
  const rows = statement.all(expression, ...(inSql ? values : []), SEARCH_LIMITS.matches, most);
  for (const [id, score] of rows as unknown as readonly (readonly [id: number, score: number])[]) {
    if (scores.size >= SEARCH_LIMITS.found) break;
    const turn = kept?.get(id);
    if (kept && !(turn && filter.allows(turn))) continue;
    // BM25 of a word that more than half of the turns hold is 0 or below.
    scores.set(id, Math.max(0.01, score));
  }
  return scores;
}

/** Chinese, Japanese, Thai …: by runs of three characters, and where that finds little by runs of two. */
function findUnspaced(
  index: SearchedIndex,
  { trigrams, bigrams }: QueryWords,
  filter: TurnFilter,
  kept: TurnCache | undefined,
) {
  const scores =
    trigrams.length > 0
      ? match(index, "turns_tri", ftsTrigrams(trigrams), filter, kept)
      : new Map<number, number>();
  if (bigrams.length === 0 || scores.size >= SEARCH_LIMITS.unspacedEnough) return scores;
  const rows = index
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
export function findByDate(
  index: SearchedIndex,
  windows: readonly DateWindow[],
  filter: TurnFilter,
): number[] {
  if (windows.length === 0) return [];
  const statement = index.prepare(
    `SELECT t.id FROM turns t WHERE t.ts >= ? AND t.ts < ? ${filter.sql === "" ? "" : `AND ${filter.sql}`}
      ORDER BY t.ts DESC LIMIT ?`,
  );
  return windows.flatMap(({ from, to }) =>
    statement.all(from, to, ...filter.values, SEARCH_LIMITS.dated).map((row) => Number(row["id"])),
  );
}

export function readTurns(
  index: SearchedIndex,
  ids: readonly number[],
  filter: TurnFilter,
  kept: TurnCache | undefined,
): TurnRow[] {
  if (kept) return ids.map((id) => kept.get(id)).filter((turn) => !!turn && filter.allows(turn)) as TurnRow[];
  const rows = index
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
  index: SearchedIndex,
  turns: readonly TurnRow[],
  by: number,
  filter: TurnFilter,
  kept: TurnCache | undefined,
): TurnRow[] {
  const known = new Set(turns.map(({ id }) => id));
  if (kept) return keptAround(kept, stretches(turns, by), known, filter);
  const statement = index.prepare(
    `SELECT ${COLUMNS} FROM turns t
      WHERE t.source_id = ? AND t.pos BETWEEN ? AND ? ${filter.sql === "" ? "" : `AND ${filter.sql}`}`,
  );
  return stretches(turns, by).flatMap(({ sourceId, from, to }) =>
    (statement.all(sourceId, from, to, ...filter.values) as unknown as TurnRow[]).filter(({ id }) => {
      const isNew = !known.has(id);
      known.add(id);
      return isNew;
    }),
  );
}

function keptAround(
  kept: TurnCache,
  around: ReturnType<typeof stretches>,
  known: ReadonlySet<number>,
  filter: TurnFilter,
): TurnRow[] {
  const found: TurnRow[] = [];
  for (const { sourceId, from, to } of around)
    for (let pos = Math.max(0, from); pos <= to; pos += 1) {
      const turn = kept.at(sourceId, pos);
      if (turn && !known.has(turn.id) && filter.allows(turn)) found.push(turn);
    }
  return found;
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
export function readPaths(
  index: SearchedIndex,
  sourceIds: Iterable<number>,
  kept: TurnCache | undefined,
): Map<number, string> {
  if (kept) return new Map([...sourceIds].map((id) => [id, kept.path(id)]));
  const rows = index
    .prepare("SELECT s.id, s.path FROM json_each(?) j JOIN sources s ON s.id = j.value")
    .all(JSON.stringify([...new Set(sourceIds)]));
  return new Map(rows.map((row) => [Number(row["id"]), String(row["path"])]));
}

/** Everybody who speaks in memory, found by stepping through an index. */
export function querySpeakers(index: SearchedIndex): string[] {
  const rows = index
    .prepare(
      `WITH RECURSIVE s (name) AS (
        SELECT min(speaker) FROM turns
        UNION ALL SELECT (SELECT min(speaker) FROM turns WHERE speaker > s.name) FROM s WHERE s.name IS NOT NULL
      ) SELECT name FROM s WHERE name IS NOT NULL LIMIT ?`,
    )
    .all(SEARCH_LIMITS.speakers);
  return rows.map((row) => String(row["name"]));
}
