import { LIMITS } from "@elwood/core/base/limits";
import { RECALL_HITS, type RankingWeights } from "@elwood/core/memory/weights";
import { SearchedIndex } from "@elwood/memory/search/searched-index";
import { searchTurns } from "@elwood/memory/search/search-turns";
import { toldHits, turnsOf } from "@elwood/memory/told-hits";
import type { CorpusIndex, CorpusQuestion } from "./memory-corpus.ts";

export const TOKENS_MAX = 1_000;
const TOP = 10;
const RANKED_MAX = 50;

const searched = new WeakMap<CorpusIndex["db"], SearchedIndex>();

/** What the gateway keeps from search to search is kept here, too. */
function keptOf(db: CorpusIndex["db"]): SearchedIndex {
  const known = searched.get(db) ?? new SearchedIndex(db, { keeps: true });
  searched.set(db, known);
  return known;
}

/** Shares of the gold turns, and one over the place of the first. */
export interface Found {
  readonly top10: number;
  readonly reciprocal: number;
  readonly evidence: number;
}

/** Asks as the gateway searches: once for the order, once for what is handed to a model. */
export function ask({ db, now }: CorpusIndex, question: CorpusQuestion, weights?: RankingWeights) {
  const options = weights ? { weights } : {};
  const text = question.question;
  const began = performance.now();
  const ranked = searchTurns(db, { text, limit: RANKED_MAX, now }, options, keptOf(db));
  const ms = performance.now() - began;
  const limits = { limit: RECALL_HITS, tokensMax: TOKENS_MAX, now };
  const handed = searchTurns(db, { text, ...limits }, options, keptOf(db)).flatMap(
    ({ before, turn, after }) => [...before, turn, ...after],
  );
  const runs = (turns: readonly { readonly run?: string }[]) => turns.map(({ run }) => run ?? "");
  return { ms, found: measure(goldOf(question), runs(ranked.map(({ turn }) => turn)), runs(handed)) };
}

/** What of the gold turns is told without anybody having asked memory for it, and how many turns are told in all. */
export function askUnasked({ db, now }: CorpusIndex, question: CorpusQuestion) {
  const text = question.question;
  const limits = { limit: RECALL_HITS, tokensMax: TOKENS_MAX, now, forRecall: true, onlyTold: true };
  const hits = toldHits(searchTurns(db, { text, ...limits }, {}, keptOf(db)), text);
  const runs = new Set(hits.flatMap(turnsOf).map(({ run = "" }) => run));
  const told = [...runs].slice(0, LIMITS.recallItemsMax);
  const gold = goldOf(question);
  return { share: new Set(told.filter((run) => gold.has(run))).size / gold.size, turns: told.length };
}

/** The turns that hold the answer, by their run. */
export function goldOf({ conv, evidence }: CorpusQuestion): ReadonlySet<string> {
  return new Set(evidence.map((id) => `${conv} ${id}`));
}

export function measure(
  gold: ReadonlySet<string>,
  ranked: readonly string[],
  handed: readonly string[],
): Found {
  const first = ranked.slice(0, RANKED_MAX).findIndex((run) => gold.has(run));
  const share = (runs: readonly string[]) => new Set(runs.filter((run) => gold.has(run))).size / gold.size;
  return {
    top10: share(ranked.slice(0, TOP)),
    reciprocal: first < 0 ? 0 : 1 / (first + 1),
    evidence: share(handed),
  };
}
