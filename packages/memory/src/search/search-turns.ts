import type { DatabaseSync, StatementSync } from "node:sqlite";
import { answerShape } from "@elwood/core/memory/answer-shape";
import { excerpt, spend } from "@elwood/core/memory/budget";
import { asksForLatest, dateWindows } from "@elwood/core/memory/date-window";
import { keyMatcher } from "@elwood/core/memory/key-match";
import { piecesAsked, queryWords, type QueryWord } from "@elwood/core/memory/query-words";
import { type Asked, type Candidate, type Ranked, rankTurns } from "@elwood/core/memory/rank";
import {
  nearBest,
  nearBestScore,
  recallWords,
  relevanceOf,
  type RecallWords,
  type Relevance,
} from "@elwood/core/memory/recall-gate";
import { relatedWords } from "@elwood/core/memory/related-words";
import { speakerPrior, type SpeakerPrior } from "@elwood/core/memory/speaker-prior";
import type { MemoryHit, MemoryQuery, MemoryTurn, TurnRole } from "@elwood/core/memory/turn";
import type { TurnTraits } from "@elwood/core/memory/turn-traits";
import { RANKING_WEIGHTS, type RankingWeights } from "@elwood/core/memory/weights";
import { wordMatcher } from "@elwood/core/memory/word-match";
import {
  findByDate,
  findByKey,
  findByWords,
  querySpeakers,
  readAround,
  readPaths,
  readTurns,
  RECALL_REACH,
  SEARCH_LIMITS,
  turnsHolding,
  type KeyedNote,
  type TurnCounts,
  type TurnRow,
} from "./find-candidates.ts";
import type { TurnCache } from "./turn-cache.ts";
import type { HeldWords } from "./word-places.ts";
import { SearchedIndex } from "./searched-index.ts";
import { turnFilter, type TurnFilter } from "./turn-filter.ts";
import { ftsWord } from "@elwood/core/memory/fts-query";

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
 * Searches the index: turns by words or by others in their place, those beside them, and those of a named time, ranked by one linear score, as
 * many as are wanted and fit, with neighbours. No model and no key; it only reads, and it takes the time of a few queries.
 */
export function searchTurns(
  db: DatabaseSync,
  query: MemoryQuery,
  options: SearchOptions = {},
  index: SearchedIndex = new SearchedIndex(db),
): MemoryHit[] {
  return index.reading(() => search(index, query, options));
}

function search(index: SearchedIndex, query: MemoryQuery, options: SearchOptions): MemoryHit[] {
  const kept = index.kept();
  const prior = speakerPrior(query.text, kept?.speakers ?? querySpeakers(index));
  const { vector: weighsNear } = options.weights ?? RANKING_WEIGHTS;
  const isNear = options.near !== undefined && weighsNear > 0;
  const recall =
    query.forRecall === true ? relevanceTo(index, query, prior.nameWords, { kept, isNear }) : undefined;
  if (recall === NOTHING) return [];
  const gathered = gather(index, query, options, { kept, prior, recall });
  if (!gathered) return [];
  const { candidates, asked, words, filter, told, held } = gathered;
  const byScore = rankTurns(candidates, asked, options.weights);
  const inOrder = options.reorder?.(byScore) ?? byScore;
  const ranked = (told ? worthTelling(inOrder, told, namedIn(recall)) : inOrder).slice(0, SHOWN_MAX);
  // What is too far behind to be told is not told beside another hit either, and nothing beside it has to be read.
  const wanted = query.onlyTold === true ? nearBest(ranked) : ranked;
  const isWanted = new Set(wanted);
  const budgeted = query.tokensMax !== undefined;
  const shown = new Map<number, Shown>();
  const show = (row: TurnRow): Shown => {
    const known = shown.get(row.id);
    if (known) return known;
    const text = budgeted ? excerpt(row.text, words, EXCERPT_CHARS) : row.text;
    const made = { row, text, speaker: row.speaker };
    shown.set(row.id, made);
    return made;
  };
  const beside = kept
    ? (sourceId: number, pos: number) => keptAt(kept, sourceId, pos, filter)
    : neighbours(
        index,
        filter,
        wanted.slice(0, query.limit),
        candidates,
        query.onlyTold === true && recall?.asked === recallWords(query.text) ? held : undefined,
      );
  const scored = new Map<Shown, Ranked<SearchCandidate>>();
  const picked = spend(inTurn(ranked, show, scored), query, (item, step) => {
    if (!isWanted.has(scored.get(item)!)) return undefined;
    const place = beside(item.row.sourceId, item.row.pos + step);
    return place === undefined ? undefined : show(place);
  }).filter(({ item }) => isWanted.has(scored.get(item)!));
  const paths = readPaths(
    index,
    picked.map(({ item }) => item.row.sourceId),
    kept,
  );
  const turnOf = (each: Shown) => turnShown(each, paths.get(each.row.sourceId) ?? "");
  return picked.map(({ item, before, after }) => {
    const ranking = scored.get(item)!;
    return {
      turn: Object.assign(turnOf(item), { id: item.row.id }),
      score: ranking.score,
      // Written out for whoever wants to see them, which a recall does not. Not when they are asked for: each such object
      // would be of a kind of its own to V8, which keeps all that was looked at alive until the next great collection.
      parts: recall ? NO_PARTS : ranking.parts,
      ...(isNear ? { near: ranking.candidate.vector ?? 0 } : {}),
      before: before.map(turnOf),
      after: after.map(turnOf),
    };
  });
}

/**
 * One after the other, as far as they are wanted. It stands here for V8's sake, which makes a kind of object for each
 * generator function, and with it keeps alive until the next great collection whatever that function saw.
 */
function* inTurn(
  ranked: readonly Ranked<SearchCandidate>[],
  show: (row: TurnRow) => Shown,
  scored: Map<Shown, Ranked<SearchCandidate>>,
): Generator<Shown> {
  for (const each of ranked) {
    const item = show(each.candidate.row);
    scored.set(item, each);
    yield item;
  }
}

const SHOWN_MAX = 300;
const NO_PARTS: Readonly<Record<string, number>> = {};

/** Of the best score. Whoever tells cuts closer, once what must not be told is out. */
const BEHIND_FAR = 0.5;
/** Of notes that are named, lines that share no word with the message. A note on a person has about as many. */
const NAMED_LINES_MAX = 8;

function worthTelling(
  ranked: readonly Ranked<SearchCandidate>[],
  told: Told,
  { lines: named, words: nameWords }: Named,
): readonly Ranked<SearchCandidate>[] {
  const relevant = ranked.filter(({ candidate }) => told.has(candidate.id));
  const heldBy = ({ candidate: { id } }: Ranked<SearchCandidate>) => told.get(id)!;
  if (named.size === 0) {
    const best = relevant[0]?.score ?? 0;
    return relevant.filter(({ score }) => score >= best * BEHIND_FAR);
  }
  const isNamed = ({ candidate: { id } }: Ranked<SearchCandidate>) => named.has(id);
  const isOnMatter = (each: Ranked<SearchCandidate>) => heldBy(each).some((at) => !nameWords.has(at));
  // A line of such a note has the name by its key, so that one which holds it by itself is compared with its like.
  const onMatter = relevant.filter(isOnMatter);
  const besides = onMatter.find((each) => !isNamed(each) && heldBy(each).some((at) => nameWords.has(at)));
  const best = (besides ?? onMatter[0] ?? relevant[0])?.score ?? 0;
  const least = nearBestScore(best);
  // What is noted of somebody who is asked about is told, and whatever else has their name, behind what is on the matter.
  const scoreOf = (each: Ranked<SearchCandidate>) => {
    const most = onMatter.length > 0 && !isOnMatter(each) ? least : best;
    return Math.min(most, isNamed(each) ? Math.max(least, each.score) : each.score);
  };
  let bare = 0;
  return relevant
    .filter((each) => isNamed(each) || each.score >= best * BEHIND_FAR)
    .map((each) => ({ candidate: each.candidate, score: scoreOf(each), parts: NO_PARTS }))
    .sort((a, b) => b.score - a.score)
    .filter((each) => {
      if (!isNamed(each) || heldBy(each).length > 0) return true;
      bare += 1;
      return bare <= NAMED_LINES_MAX;
    });
}

/** What a message names that asks. */
interface Named {
  /** Of the notes on it. */
  readonly lines: ReadonlySet<number>;
  /** Places of its name among the asked words. */
  readonly words: ReadonlySet<number>;
}

function namedIn(recall: RecallSearch | undefined): Named {
  const named = recall?.asked.asks ? recall.byKey.filter(({ isNamed }) => isNamed) : NO_NOTES;
  if (!recall || named.length === 0) return { lines: NO_IDS, words: NO_IDS };
  const words = recall.asked.words.flatMap(({ word }, at) =>
    named.some(({ held }) => held.has(word)) ? [at] : [],
  );
  return { lines: new Set(named.flatMap(({ ids }) => ids)), words: new Set(words) };
}

const NO_NOTES: readonly KeyedNote[] = [];

const NOTHING = "nothing";

interface RecallSearch extends Relevance {
  readonly asked: RecallWords;
  readonly counts: TurnCounts;
  readonly byKey: readonly KeyedNote[];
  /** Closeness in meaning is a part of the score. */
  readonly isNear: boolean;
}

/** What a turn needs to be told unasked; nothing where none can have it, so that none has to be looked for. */
function relevanceTo(
  index: SearchedIndex,
  { text }: MemoryQuery,
  nameWords: ReadonlySet<string>,
  { kept, isNear }: { readonly kept: TurnCache | undefined; readonly isNear: boolean },
): RecallSearch | typeof NOTHING {
  const asked = recallWords(text, nameWords) ?? recallWords(text);
  if (asked === undefined) return NOTHING;
  const turns = asked.words.map((word) => turnsHolding(index, word, kept));
  const byKey = findByKey(index, asked, asked.inKey, kept);
  const names = new Set(byKey.flatMap(({ isNamed, held }) => (isNamed ? [...held] : [])));
  const relevance = relevanceOf(asked, turns, kept?.size ?? index.total(), { names });
  if (!relevance.isPossible && !isNear && asked.trigrams.length === 0 && byKey.length === 0) return NOTHING;
  const counts = new Map(asked.words.map((word, at) => [word, turns[at]!]));
  return { asked, counts, byKey, isNear, ...relevance };
}

/** The turns that are worth telling, by id, each with the words that it holds. `keyed`: from notes whose keys hold some of them. */
function relevantTurns(
  index: SearchedIndex,
  rows: readonly TurnRow[],
  { isRelevant, isNear, asked }: RecallSearch,
  { keyed, near, kept }: RelevantOptions,
): Told {
  const ofKeyed = keyed.size > 0 ? rows.filter(({ id }) => keyed.has(id)) : [];
  const paths =
    ofKeyed.length > 0
      ? readPaths(
          index,
          ofKeyed.map(({ sourceId }) => sourceId),
          kept,
        )
      : NO_PATHS;
  const relevant = new Map<number, readonly number[]>();
  for (const row of rows) {
    const source = paths.get(row.sourceId) ?? "";
    // Of a long turn only its best passage is told.
    const text = excerpt(row.text, asked.words, EXCERPT_CHARS);
    const held = asked.heldIn(text);
    const isNote = row.role === "note";
    if (!isRelevant({ source, text, isNote }, isNear ? near?.get(row.id) : 0, held)) continue;
    relevant.set(row.id, text === row.text ? held : asked.heldIn(row.text));
  }
  return relevant;
}

interface RelevantOptions {
  readonly keyed: ReadonlyMap<number, unknown>;
  readonly near: ReadonlyMap<number, number> | undefined;
  readonly kept: TurnCache | undefined;
}

/** By id of a turn the words that it holds. */
type Told = ReadonlyMap<number, readonly number[]>;

const NO_PATHS: ReadonlyMap<number, string> = new Map();

/** A row with what the question makes of it. There are hundreds in a search, so it copies nothing. */
export class SearchCandidate implements Candidate {
  readonly row: TurnRow;
  readonly words: number;
  readonly matchedWords: readonly number[];
  readonly related: number;
  readonly vector: number;

  constructor(row: TurnRow, words: number, matchedWords: readonly number[], related: number, vector: number) {
    this.row = row;
    this.words = words;
    this.matchedWords = matchedWords;
    this.related = related;
    this.vector = vector;
  }

  get id(): number {
    return this.row.id;
  }

  get sourceId(): number {
    return this.row.sourceId;
  }

  get pos(): number {
    return this.row.pos;
  }

  get chunkId(): number {
    return this.row.chunkId;
  }

  get ts(): number {
    return this.row.ts;
  }

  get role(): TurnRole {
    return this.row.role;
  }

  get speaker(): string {
    return this.row.speaker;
  }

  get text(): string {
    return this.row.text;
  }

  get traits(): TurnTraits | undefined {
    return this.row.traits;
  }
}

interface Shown {
  readonly row: TurnRow;
  readonly text: string;
  readonly speaker: string;
}

/** Whatever may be shown, and what was read out of the question; undefined where nothing may be told. */
function gather(
  index: SearchedIndex,
  query: MemoryQuery,
  { near }: SearchOptions,
  { kept, prior, recall }: GatherOptions,
) {
  const filter = turnFilter(query);
  const reach = recall ? RECALL_REACH : SEARCH_LIMITS;
  const windows = dateWindows(query.text, query.now, index.localTime(query.timeZone ?? "UTC"));
  const sought = recall
    ? { ...piecesAsked(query.text), words: recall.asked.words }
    : queryWords(query.text, prior.nameWords);
  const held = recall && !kept ? heldIn(index, recall) : undefined;
  const { scores, words, keyed, total } = findByWords(
    index,
    sought,
    recall?.asked.inKey ?? keyMatcher(sought.words, query.text),
    filter,
    kept,
    reach,
    recall ? { only: recall.rare, held, counts: recall.counts, byKey: recall.byKey } : {},
  );
  // What shares no word with the message is not told, however close it comes.
  const related = recall ? NOT_RELATED : findRelated(index, relatedWords(sought.words), total);
  const beyond = new Set([...bestRelated(related, scores), ...(near?.keys() ?? [])]);
  const dated = findByDate(index, windows, filter, reach);
  const ids = new Set([
    ...scores.keys(),
    ...(held && dated.length > 0 ? held.among(dated) : dated),
    ...beyond,
  ]);
  const rows = readTurns(index, [...ids], filter, kept);
  const told = recall && relevantTurns(index, rows, recall, { keyed, near, kept });
  if (told?.size === 0) return undefined;
  const latest = asksForLatest(query.text);
  const best = reach.widened > 0 ? rows.filter(({ id }) => scores.has(id) || beyond.has(id)) : [];
  best.sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0)).splice(reach.widened);
  const around = readAround(index, best, SEARCH_LIMITS.widenedBy, filter, kept, ids);
  const compared = told && !latest ? besideThem(rows, told) : rows;
  const matchWords = wordMatcher(words);
  const matchedIn = recall ? inOrderOf(words, recall.asked.words) : undefined;
  const candidateOf = (row: TurnRow) => {
    const { id } = row;
    const found = scores.get(id) ?? 0;
    const known = matchedIn && told?.get(id);
    const inText = found > 0 ? (known ? matchedIn(known) : matchWords(row.text)) : NONE;
    const inKey = keyed.size > 0 ? keyed.get(id) : undefined;
    const held = inKey ? [...new Set([...inText, ...inKey])].sort((x, y) => x - y) : inText;
    const instead = related.size > 0 ? (related.get(id) ?? 0) : 0;
    return new SearchCandidate(row, found, held, instead, near?.get(id) ?? 0);
  };
  const candidates = compared.map(candidateOf);
  for (const row of around) candidates.push(candidateOf(row));
  const asked: Asked = {
    rarity: words.map(({ rarity }) => rarity),
    prior,
    windows,
    shape: answerShape(query.text),
    latest,
  };
  return { candidates, asked, words, filter, told, held };
}

/** For places among the asked words those among the words that are looked for, which are fewer, the rarest first. */
function inOrderOf(words: readonly QueryWord[], asked: readonly QueryWord[]) {
  const places = asked.map(({ word }) => words.findIndex((each) => each.word === word));
  return (held: readonly number[]): readonly number[] =>
    held
      .map((at) => places[at]!)
      .filter((place) => place >= 0)
      .sort((a, b) => a - b);
}

/** What stands elsewhere says nothing about those that may be told, unless their age is compared. */
function besideThem(rows: readonly TurnRow[], told: Told): readonly TurnRow[] {
  const sources = new Set<number>();
  for (const { id, sourceId } of rows) if (told.has(id)) sources.add(sourceId);
  return rows.filter(({ sourceId }) => sources.has(sourceId));
}

/**
 * Which turns hold enough to be told. undefined where one may be told that holds none of the words: by its meaning, or by
 * runs of characters.
 */
function heldIn(index: SearchedIndex, { asked, isNear, enough }: RecallSearch): HeldWords | undefined {
  return isNear || asked.trigrams.length > 0 ? undefined : index.words()?.held(enough);
}

interface GatherOptions {
  readonly kept: TurnCache | undefined;
  readonly prior: SpeakerPrior;
  readonly recall: RecallSearch | undefined;
}

const NONE: readonly number[] = [];
const NO_IDS: ReadonlySet<number> = new Set();
const BESIDE = { before: 1, after: 1 };
const NOT_RELATED: ReadonlyMap<number, number> = new Map();

/**
 * The turns beside the best ones, by place; some of them were no candidates. With `held` only those are read that hold
 * one of its words, or stand in a note.
 */
function neighbours(
  index: SearchedIndex,
  filter: TurnFilter,
  best: readonly Ranked<SearchCandidate>[],
  candidates: readonly SearchCandidate[],
  held: HeldWords | undefined,
): (sourceId: number, pos: number) => TurnRow | undefined {
  const bySource = new Map<number, Map<number, TurnRow>>();
  const placesOf = (sourceId: number) => {
    const known = bySource.get(sourceId);
    if (known) return known;
    const places = new Map<number, TurnRow>();
    for (const { row } of candidates) if (row.sourceId === sourceId) places.set(row.pos, row);
    bySource.set(sourceId, places);
    return places;
  };
  const at = (sourceId: number, pos: number) => placesOf(sourceId).get(pos);
  const missing = best
    .map(({ candidate }) => candidate.row)
    .filter(({ sourceId, pos }) => (pos > 0 && !at(sourceId, pos - 1)) || !at(sourceId, pos + 1));
  const read = (rows: readonly TurnRow[], among?: (ids: readonly number[]) => readonly number[]) => {
    for (const row of readAround(index, rows, BESIDE, filter, undefined, NO_IDS, among)) {
      const places = placesOf(row.sourceId);
      if (!places.has(row.pos)) places.set(row.pos, row);
    }
  };
  if (held) {
    // A line of a note is told for the note's key, too.
    read(missing.filter(({ role }) => role === "note"));
    read(
      missing.filter(({ role }) => role !== "note"),
      (ids) => held.holding(ids),
    );
  } else read(missing);
  return at;
}

function keptAt(kept: TurnCache, sourceId: number, pos: number, filter: TurnFilter): TurnRow | undefined {
  const turn = kept.at(sourceId, pos);
  return turn && filter.allows(turn) ? turn : undefined;
}

function turnShown({ row, text }: Shown, source: string): MemoryTurn {
  const { line, session, run, ts, role, speaker, origin } = row;
  const shown = { source, line, ts, role, speaker, origin, text };
  if (session !== null) Object.assign(shown, { session });
  if (run !== null) Object.assign(shown, { run });
  return shown;
}

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
