import type { SQLInputValue } from "node:sqlite";
import type { DateWindow } from "@elwood/core/memory/date-window";
import { ftsQuery, ftsTrigrams, ftsWord } from "@elwood/core/memory/fts-query";
import { KeyTable, type KeyMatcher } from "@elwood/core/memory/key-match";
import { keyOfSource } from "@elwood/core/memory/note-key";
import type { QueryWord, QueryWords } from "@elwood/core/memory/query-words";
import type { MemoryOrigin, TurnRole } from "@elwood/core/memory/turn";
import type { TurnTraits } from "@elwood/core/memory/turn-traits";
import type { TurnCache } from "./turn-cache.ts";
import type { SearchedIndex } from "./searched-index.ts";
import type { HeldWords, ScoredTurn } from "./word-places.ts";
import type { TurnFilter } from "./turn-filter.ts";

export const SEARCH_LIMITS = {
  /** Turns found by words that are looked at closer. */
  found: 300,
  /** Those of them, best first, whose neighbours may be shown in their place. */
  widened: 100,
  widenedBy: { before: 2, after: 2 },
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
  keptTurns: 12_000,
  keptChars: 3_000_000,
} as const;

/** How far a search looks. */
export interface SearchReach {
  readonly found: number;
  readonly widened: number;
  readonly dated: number;
  readonly matches: number;
}

/**
 * What is told unasked holds much of the message, so that it is among the first; nobody waits for the rest. Turns
 * around it that hold little of the message are not ranked with it: they change the order and tell no more.
 */
export const RECALL_REACH: SearchReach = {
  found: 50,
  widened: 0,
  dated: 60,
  matches: 2_000,
};

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

const COLUMNS =
  "t.id, t.source_id, t.chunk_id, t.pos, t.line, t.session, t.run, t.ts, t.role, t.speaker, t.origin, t.text";

/** Turns `t`; `from` is what follows FROM. Rows come as lists: as objects they take twice the time and much more memory. */
export function selectTurns(index: SearchedIndex, from: string): (...values: SQLInputValue[]) => TurnRow[] {
  const statement = index.prepare(`SELECT ${COLUMNS} FROM ${from}`);
  statement.setReturnArrays(true);
  // The columns of a STRICT table, in the order above.
  return (...values) => (statement.all(...values) as unknown as TurnValues[]).map(turnRow);
}

type TurnValues = readonly [
  id: number,
  sourceId: number,
  chunkId: number,
  pos: number,
  line: number,
  session: string | null,
  run: string | null,
  ts: number,
  role: TurnRole,
  speaker: string,
  origin: MemoryOrigin,
  text: string,
];

function turnRow(values: TurnValues): TurnRow {
  const [id, sourceId, chunkId, pos, line, session, run, ts, role, speaker, origin, text] = values;
  return { id, sourceId, chunkId, pos, line, session, run, ts, role, speaker, origin, text };
}

interface FindOptions {
  /** Only turns that hold one of these words. */
  readonly only?: readonly QueryWord[];
  /** Only turns that hold enough, where what is kept of the words can tell. */
  readonly held?: HeldWords | undefined;
  /** How many turns hold each of the words, where that was asked before. */
  readonly counts?: TurnCounts | undefined;
  /** The same of notes by their keys. */
  readonly byKey?: readonly KeyedNote[] | undefined;
}

export type TurnCounts = ReadonlyMap<QueryWord, number>;

/** Turns by the words they hold, as BM25 has it. */
export function findByWords(
  index: SearchedIndex,
  asked: QueryWords,
  inKey: KeyMatcher,
  filter: TurnFilter,
  kept: TurnCache | undefined,
  reach: SearchReach = SEARCH_LIMITS,
  { only, held, counts, byKey = findByKey(index, asked, inKey, kept) }: FindOptions = {},
): WordsFound {
  const total = kept?.size ?? index.total();
  const words = worthLooking(index, asked.words, total, kept, byKey, reach, counts);
  const sought = only && only.length > 0 ? only : words;
  const scores =
    words.length > 0
      ? match(index, rowsByWords(index, sought, reach, held), filter, kept, reach)
      : new Map<number, number>();
  for (const [id, score] of findUnspaced(index, asked, filter, kept))
    scores.set(id, Math.max(score, scores.get(id) ?? 0));
  const keyed = new Map<number, readonly number[]>();
  for (const { ids, held, isNamed, unspaced } of byKey) {
    const among = words.flatMap(({ word }, at) => (held.has(word) ? [at] : []));
    const ofNote = rarityOf(ids.length, total);
    let score = unspaced ? ofNote : 0;
    for (const at of among) score += words[at]!.rarity;
    // However often somebody is spoken of, few lines are the note on them.
    if (isNamed) score = Math.max(score, ofNote);
    for (const id of ids) {
      keyed.set(id, among);
      scores.set(id, (scores.get(id) ?? 0) + score);
    }
  }
  return { scores, words, keyed, total };
}

export interface KeyedNote {
  /** Of its turns. */
  readonly ids: readonly number[];
  /** Asked words that its key holds. */
  readonly held: ReadonlySet<string>;
  /** They are all of its key. */
  readonly isNamed: boolean;
  readonly unspaced: boolean;
}

/** Notes whose keys hold what was asked for: those first that it is about, then those that hold most of it. */
export function findByKey(
  index: SearchedIndex,
  { words }: Pick<QueryWords, "words">,
  inKey: KeyMatcher,
  kept?: TurnCache,
): readonly KeyedNote[] {
  const named = noteKeys(index).mayHold(words);
  if (named.length === 0) return NO_NOTES;
  return named
    .flatMap(({ sourceId, key }) => {
      const match = inKey(key);
      return match ? [{ sourceId, ...match }] : [];
    })
    .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.words.length - a.words.length)
    .slice(0, SEARCH_LIMITS.keyedNotes)
    .map(({ sourceId, words: held, isNamed, unspaced }) => ({
      ids: kept?.idsOf(sourceId, SEARCH_LIMITS.keyedTurns) ?? turnsOfNote(index, sourceId),
      held: new Set(held.map((at) => words[at]!.word)),
      isNamed,
      unspaced,
    }));
}

function turnsOfNote(index: SearchedIndex, sourceId: number): readonly number[] {
  return index.ofNote(sourceId, () => {
    const statement = index.prepare("SELECT id FROM turns WHERE source_id = ? ORDER BY pos LIMIT ?");
    statement.setReturnArrays(true);
    // Lists of one column, as the statement was told to return them.
    const rows = statement.all(sourceId, SEARCH_LIMITS.keyedTurns) as unknown as readonly (readonly [
      number,
    ])[];
    return rows.map(([id]) => id);
  });
}

const NO_NOTES: readonly KeyedNote[] = [];

function noteKeys(index: SearchedIndex) {
  return index.ofNotes("keys", () => {
    const notes = index
      .prepare(
        // One without a line is gone unnoticed, and its number may be given to another file.
        `SELECT id, path FROM sources WHERE path >= 'memory/' AND path < 'memory0'
          AND EXISTS (SELECT 1 FROM turns WHERE source_id = sources.id) ORDER BY path LIMIT ?`,
      )
      .all(SEARCH_LIMITS.keys)
      .map((row) => ({ sourceId: Number(row["id"]), key: keyOfSource(String(row["path"])) ?? "" }));
    return new KeyTable(notes);
  });
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
  reach: SearchReach,
  counts: TurnCounts | undefined,
): (QueryWord & { rarity: number })[] {
  const counted = words
    .map((word) => {
      const named = byKey.reduce((sum, { ids, held }) => sum + (held.has(word.word) ? ids.length : 0), 0);
      return { ...word, turns: named + (counts?.get(word) ?? turnsHolding(index, word, kept)) };
    })
    .filter(({ turns }) => turns > 0)
    .sort((a, b) => a.turns - b.turns);
  let sum = 0;
  return counted
    .filter(({ turns }, at) => {
      sum += turns;
      return at === 0 || sum <= reach.matches;
    })
    .map(({ word, forms, turns }) => ({
      word,
      forms,
      rarity: rarityOf(turns, total),
    }));
}

/** How many turns hold a word, of a large index `SEARCH_LIMITS.matches` at most. */
export function turnsHolding(index: SearchedIndex, word: QueryWord, kept: TurnCache | undefined): number {
  const most = kept ? undefined : SEARCH_LIMITS.matches;
  return index.words()?.count(word, most) ?? index.count(ftsWord(word), most);
}

/** Finds turns within a filter, the best first, `most` at most. */
type RowsOf = (filter: SqlFilter, most: number) => readonly ScoredTurn[];
type SqlFilter = Pick<TurnFilter, "sql" | "values">;

/** By what is kept of the words, where that is enough; else by asking the index. */
function rowsByWords(
  index: SearchedIndex,
  words: readonly QueryWord[],
  { matches }: SearchReach,
  held: HeldWords | undefined,
): RowsOf {
  return (filter, most) =>
    (filter === NO_FILTER ? index.words()?.match(words, matches, most, held) : undefined) ??
    matchRows(index, "turns_fts", ftsQuery(words), filter, matches, most);
}

/** The newest matches first, so that even a single word that half of all turns hold costs a bounded time. */
function match(
  index: SearchedIndex,
  rowsOf: RowsOf,
  filter: TurnFilter,
  kept: TurnCache | undefined,
  reach: SearchReach,
): Map<number, number> {
  const isFiltered = filter.sql !== "";
  // A filter seldom leaves much out, and reading all that match to apply it takes longer than the search itself.
  const most = isFiltered ? reach.found * 2 : reach.found;
  let rows = rowsOf(NO_FILTER, most);
  if (isFiltered) {
    const allowed = kept
      ? rows.filter((turn) => keptAllows(kept, turn[0], filter))
      : firstAllowed(index, rows, filter, reach.found);
    rows =
      allowed.length >= reach.found || rows.length < most
        ? allowed
        : kept
          ? rowsOf(NO_FILTER, reach.matches).filter(([id]) => keptAllows(kept, id, filter))
          : rowsOf(filter, reach.found);
  }
  const scores = new Map<number, number>();
  for (let at = 0; at < rows.length && scores.size < reach.found; at += 1)
    // BM25 of a word that more than half of the turns hold is 0 or below.
    scores.set(rows[at]![0], Math.max(0.01, rows[at]![1]));
  return scores;
}

const NO_FILTER: SqlFilter = { sql: "", values: [] };

function matchRows(
  index: SearchedIndex,
  table: "turns_fts" | "turns_tri",
  expression: string,
  { sql, values }: SqlFilter,
  matches: number,
  most: number,
): readonly ScoredTurn[] {
  const statement = index.prepare(
    `SELECT id, -score AS score FROM (
      SELECT ${table}.rowid AS id, bm25(${table}) AS score FROM ${table}
      ${sql === "" ? "" : `JOIN turns t ON t.id = ${table}.rowid`}
      WHERE ${table} MATCH ? ${sql === "" ? "" : `AND ${sql}`} ORDER BY ${table}.rowid DESC LIMIT ?
    ) ORDER BY score DESC LIMIT ?`,
  );
  // Rows as lists are made in a quarter of the time.
  statement.setReturnArrays(true);
  return statement.all(expression, ...values, matches, most) as unknown as readonly ScoredTurn[];
}

function keptAllows(kept: TurnCache, id: number, filter: TurnFilter): boolean {
  const turn = kept.get(id);
  return turn !== undefined && filter.allows(turn);
}

/** The first so many that the filter admits. They are read for it, and will be wanted. */
function firstAllowed(
  index: SearchedIndex,
  rows: readonly ScoredTurn[],
  filter: TurnFilter,
  most: number,
): readonly ScoredTurn[] {
  const allowed: ScoredTurn[] = [];
  for (let at = 0; at < rows.length && allowed.length < most;) {
    const next = rows.slice(at, at + most - allowed.length);
    at += next.length;
    const seen = new Set<number>();
    for (const { id } of readTurns(
      index,
      next.map((turn) => turn[0]),
      filter,
      undefined,
    ))
      seen.add(id);
    for (const turn of next) if (seen.has(turn[0])) allowed.push(turn);
  }
  return allowed;
}

/** Chinese, Japanese, Thai …: by runs of three characters, and where that finds little by runs of two. */
function findUnspaced(
  index: SearchedIndex,
  { trigrams, bigrams }: QueryWords,
  filter: TurnFilter,
  kept: TurnCache | undefined,
) {
  const byTrigrams: RowsOf = (narrowed, most) =>
    matchRows(index, "turns_tri", ftsTrigrams(trigrams), narrowed, SEARCH_LIMITS.matches, most);
  const scores =
    trigrams.length > 0 ? match(index, byTrigrams, filter, kept, SEARCH_LIMITS) : new Map<number, number>();
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
  { dated }: SearchReach,
): number[] {
  if (windows.length === 0) return [];
  const statement = index.prepare(
    `SELECT t.id FROM turns t WHERE t.ts >= ? AND t.ts < ? ${filter.sql === "" ? "" : `AND ${filter.sql}`}
      ORDER BY t.ts DESC LIMIT ?`,
  );
  statement.setReturnArrays(true);
  return windows.flatMap(({ from, to }) => {
    // Lists of one column, as the statement was told to return them.
    const rows = statement.all(from, to, ...filter.values, dated) as unknown as readonly (readonly [
      number,
    ])[];
    return rows.map(([id]) => id);
  });
}

export function readTurns(
  index: SearchedIndex,
  ids: readonly number[],
  filter: TurnFilter,
  kept: TurnCache | undefined,
): TurnRow[] {
  if (kept) return ids.map((id) => kept.get(id)).filter((turn) => !!turn && filter.allows(turn)) as TurnRow[];
  const rows = index.rowsOf(ids);
  return filter.sql === "" ? rows : rows.filter((turn) => filter.allows(turn));
}

/** How many turns before one, and how many after it. */
export interface Around {
  readonly before: number;
  readonly after: number;
}

/** What stands around these turns in their files, those left out that are known already, or not `among` those wanted. */
export function readAround(
  index: SearchedIndex,
  turns: readonly TurnRow[],
  by: Around,
  filter: TurnFilter,
  kept: TurnCache | undefined,
  known: ReadonlySet<number>,
  among: (ids: readonly number[]) => readonly number[] = (ids) => ids,
): TurnRow[] {
  if (kept) return keptAround(kept, stretches(turns, by), known, filter);
  // First which they are, by an index alone: most were read before.
  const statement = index.prepare("SELECT id FROM turns WHERE source_id = ? AND pos BETWEEN ? AND ?");
  statement.setReturnArrays(true);
  const ids: number[] = [];
  for (const { sourceId, from, to } of stretches(turns, by)) {
    // Lists of one column, as the statement was told to return them.
    const rows = statement.all(sourceId, from, to) as unknown as readonly (readonly [id: number])[];
    for (const row of rows) if (!known.has(row[0])) ids.push(row[0]);
  }
  return readTurns(index, among(ids), filter, undefined);
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
function stretches(turns: readonly TurnRow[], { before, after }: Around) {
  const found: { sourceId: number; from: number; to: number }[] = [];
  for (const { sourceId, pos } of [...turns].sort((a, b) => a.sourceId - b.sourceId || a.pos - b.pos)) {
    const last = found.at(-1);
    if (last !== undefined && last.sourceId === sourceId && pos - before <= last.to + 1)
      last.to = pos + after;
    else found.push({ sourceId, from: pos - before, to: pos + after });
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
  return new Map([...sourceIds].map((id) => [id, index.path(id)]));
}

/** Everybody who speaks in memory, found by stepping through an index. */
export function querySpeakers(index: SearchedIndex): readonly string[] {
  return index.speakers(() => readSpeakers(index));
}

function readSpeakers(index: SearchedIndex): string[] {
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
