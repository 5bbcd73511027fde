import type { DatabaseSync } from "node:sqlite";
import { answerShape } from "@elwood/core/memory/answer-shape";
import { excerpt, spend } from "@elwood/core/memory/budget";
import { asksForLatest, dateWindows } from "@elwood/core/memory/date-window";
import { queryWords } from "@elwood/core/memory/query-words";
import { rankTurns, type Asked, type Candidate, type Ranked } from "@elwood/core/memory/rank";
import { speakerPrior } from "@elwood/core/memory/speaker-prior";
import type { MemoryHit, MemoryQuery, MemoryTurn } from "@elwood/core/memory/turn";
import type { RankingWeights } from "@elwood/core/memory/weights";
import { wordMatcher } from "@elwood/core/memory/word-match";
import {
  findByDate,
  findByWords,
  readAround,
  readPaths,
  readSpeakers,
  readTurns,
  SEARCH_LIMITS,
  type TurnRow,
} from "./find-candidates.ts";
import { turnFilter } from "./turn-filter.ts";

export interface SearchOptions {
  /** Closeness in meaning by id of a turn, 0 to 1, where an embedder is set up. Those turns are looked at too. */
  readonly near?: ReadonlyMap<number, number>;
  readonly weights?: RankingWeights;
  /** Puts what was ranked into another order, such as one that two rankings agree on. */
  readonly reorder?: (ranked: readonly Ranked<SearchCandidate>[]) => readonly Ranked<SearchCandidate>[];
}

/** A turn longer than this is handed out as its best passage where there is a budget. */
export const EXCERPT_CHARS = 800;

/**
 * Searches the index: turns by words, those beside them, and those of a named time, ranked by one linear score, as
 * many as are wanted and fit, with neighbours. No model and no key; it only reads, and it takes the time of a few queries.
 */
export function searchTurns(db: DatabaseSync, query: MemoryQuery, options: SearchOptions = {}): MemoryHit[] {
  const { candidates, asked, words } = gather(db, query, options);
  const byScore = rankTurns(candidates, asked, options.weights);
  const ranked = options.reorder?.(byScore) ?? byScore;
  const budgeted = query.tokensMax !== undefined;
  const shown = new Map<number, Shown>();
  const show = (turn: SearchCandidate): Shown => {
    const known = shown.get(turn.id);
    if (known) return known;
    const text = budgeted ? excerpt(turn.text, words, EXCERPT_CHARS) : turn.text;
    const made = { row: turn.row, text, speaker: turn.speaker };
    shown.set(turn.id, made);
    return made;
  };
  const scored = new Map(ranked.slice(0, SHOWN_MAX).map((each) => [show(each.candidate), each]));
  const beside = neighbours(db, query, [...scored.keys()].slice(0, query.limit), candidates);
  const picked = spend([...scored.keys()], query, (item, step) => {
    const place = beside.get(`${item.row.sourceId} ${item.row.pos + step}`);
    return place === undefined ? undefined : show(place);
  });
  const paths = readPaths(
    db,
    picked.map(({ item }) => item.row.sourceId),
  );
  const turnOf = (each: Shown) => turnShown(each, paths.get(each.row.sourceId) ?? "");
  return picked.map(({ item, before, after }) => {
    const { score, parts } = scored.get(item)!;
    return {
      turn: { ...turnOf(item), id: item.row.id },
      score,
      parts,
      before: before.map(turnOf),
      after: after.map(turnOf),
    };
  });
}

const SHOWN_MAX = 300;

export interface SearchCandidate extends Candidate {
  readonly row: TurnRow;
}

interface Shown {
  readonly row: TurnRow;
  readonly text: string;
  readonly speaker: string;
}

/** Whatever may be shown, and what was read out of the question. */
export function gather(db: DatabaseSync, query: MemoryQuery, { near }: SearchOptions) {
  const filter = turnFilter(query);
  const prior = speakerPrior(query.text, readSpeakers(db));
  const windows = dateWindows(query.text, query.now, query.timeZone);
  const { scores, words } = findByWords(db, queryWords(query.text, prior.nameWords), filter);
  const holds = wordMatcher(words);
  const ids = new Set([...scores.keys(), ...findByDate(db, windows, filter), ...(near?.keys() ?? [])]);
  const rows = readTurns(db, [...ids], filter);
  const best = rows
    .filter(({ id }) => scores.has(id) || near?.has(id))
    .sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0))
    .slice(0, SEARCH_LIMITS.widened);
  const around = readAround(db, best, SEARCH_LIMITS.widenedBy, filter).filter(({ id }) => !ids.has(id));
  const candidates = [...rows, ...around].map((row) => {
    const found = scores.get(row.id) ?? 0;
    return candidateOf(row, found, found > 0 ? holds(row.text) : [], near?.get(row.id));
  });
  const asked: Asked = {
    rarity: words.map(({ rarity }) => rarity),
    prior,
    windows,
    shape: answerShape(query.text),
    latest: asksForLatest(query.text),
  };
  return { candidates, asked, words };
}

function candidateOf(
  row: TurnRow,
  words: number,
  holds: readonly number[],
  vector: number | undefined = 0,
): SearchCandidate {
  const { id, sourceId, pos, chunkId, ts, role, speaker, text } = row;
  return { row, id, sourceId, pos, chunkId, ts, role, speaker, text, words, holds, vector };
}

/** By place, the turns beside the best ones; some of them were no candidates. */
function neighbours(
  db: DatabaseSync,
  query: MemoryQuery,
  best: readonly Shown[],
  candidates: readonly SearchCandidate[],
): Map<string, SearchCandidate> {
  const places = new Map(candidates.map((turn) => [`${turn.sourceId} ${turn.pos}`, turn]));
  const missing = best.filter(({ row }) =>
    [-1, 1].some((step) => row.pos + step >= 0 && !places.has(`${row.sourceId} ${row.pos + step}`)),
  );
  for (const row of readAround(
    db,
    missing.map(({ row }) => row),
    1,
    turnFilter(query),
  ))
    if (!places.has(`${row.sourceId} ${row.pos}`))
      places.set(`${row.sourceId} ${row.pos}`, candidateOf(row, 0, []));
  return places;
}

function turnShown({ row, text }: Shown, source: string): MemoryTurn {
  return {
    source,
    line: row.line,
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.run === null ? {} : { run: row.run }),
    ts: row.ts,
    role: row.role,
    speaker: row.speaker,
    origin: row.origin,
    text,
  };
}
