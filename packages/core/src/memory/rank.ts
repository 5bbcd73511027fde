import {
  hasNumber,
  hasPlace,
  hasTimeWords,
  isAboutListener,
  isQuestion,
  isReaction,
  namesHeld,
  type AnswerShape,
} from "./answer-shape.ts";
import type { DateWindow } from "./date-window.ts";
import type { SpeakerPrior } from "./speaker-prior.ts";
import type { TurnRole } from "./turn.ts";
import {
  AFTERMATH_DAYS,
  AFTERMATH_SHARE,
  CHUNK_DECAY,
  COVERAGE_AFTER,
  COVERAGE_BEFORE,
  RANKING_WEIGHTS,
  type RankingWeights,
} from "./weights.ts";

/** A turn that may be shown: one that the index found, or one that stands beside such a turn. */
export interface Candidate {
  readonly id: number;
  readonly sourceId: number;
  /** Place among the turns of its source, without gaps. */
  readonly pos: number;
  readonly chunkId: number;
  readonly ts: number;
  readonly role: TurnRole;
  readonly speaker: string;
  readonly text: string;
  /** How well its words fit, by BM25, the larger the better; 0 where it was not found by words. */
  readonly words: number;
  /** Which of the question's words it holds. */
  readonly holds: readonly number[];
  /** Closeness in meaning, 0 to 1. */
  readonly vector?: number;
}

/** All that was read out of a question. */
export interface Asked {
  /** For each of its words, how rare it is. */
  readonly rarity: readonly number[];
  readonly prior: SpeakerPrior;
  readonly windows: readonly DateWindow[];
  readonly shape: AnswerShape;
  readonly latest: boolean;
}

export interface Ranked<T extends Candidate = Candidate> {
  readonly candidate: T;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
}

export type RankPart = keyof RankingWeights;

const DAY_MS = 86_400_000;

/**
 * Best first. Age never takes from a score; of two that score the same the newer goes first. What is left is
 * settled by the words themselves and not by ids, so that an index built anew answers the same.
 *
 * What needs a look at the text is only asked of those that are ahead without it: it moves a turn by a few places.
 */
export function rankTurns<T extends Candidate>(
  candidates: readonly T[],
  asked: Asked,
  weights: RankingWeights = RANKING_WEIGHTS,
): Ranked<T>[] {
  const room = new Room(candidates);
  const ahead = candidates
    .map((candidate) => weighed(candidate, placeFeatures(candidate, asked, room), weights))
    .sort(byScore);
  const closer = ahead.slice(0, CLOSER_MAX).map(({ candidate, score, parts }) => {
    const more = weighed(candidate, textFeatures(candidate, asked, room), weights);
    return { candidate, score: score + more.score, parts: { ...parts, ...more.parts } };
  });
  return [...closer.sort(byScore), ...ahead.slice(CLOSER_MAX)];
}

/** Far more than anybody is shown. */
const CLOSER_MAX = 200;

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || inDoubt(a.candidate, b.candidate);
}

function inDoubt(a: Candidate, b: Candidate): number {
  if (a.ts !== b.ts) return b.ts - a.ts;
  if (a.text !== b.text) return a.text < b.text ? -1 : 1;
  return b.pos - a.pos;
}

function weighed<T extends Candidate>(
  candidate: T,
  features: Partial<Record<RankPart, number>>,
  weights: RankingWeights,
): Ranked<T> {
  const parts: Record<string, number> = {};
  let score = 0;
  for (const name in features) {
    const part = weights[name as RankPart] * features[name as RankPart]!;
    if (part === 0) continue;
    parts[name] = part;
    score += part;
  }
  return { candidate, score, parts };
}

/** Each by its name in the weights, before it is weighed. */
export function placeFeatures(turn: Candidate, asked: Asked, room: Room) {
  return {
    words: turn.words,
    chunk: room.chunkScore(turn.chunkId),
    before: room.wordsAt(turn, -1),
    after: room.wordsAt(turn, 1),
    around: room.wordsAt(turn, -2) + room.wordsAt(turn, -3) + room.wordsAt(turn, 2) + room.wordsAt(turn, 3),
    coverage: coverage(turn, asked.rarity, room),
    speaker: asked.prior.of(turn),
    date: dateFit(turn.ts, asked.windows),
    length: Math.log(1 + wordCount(turn.text)),
    latest: asked.latest ? room.recency(turn.ts) : 0,
    vector: turn.vector ?? 0,
  } satisfies Partial<Record<RankPart, number>>;
}

export function textFeatures(turn: Candidate, { shape }: Asked, room: Room) {
  const previous = room.at(turn, -1);
  const asksBefore = previous !== undefined && isQuestion(previous.text);
  return {
    timeWords: shape.time && hasTimeWords(turn.text) ? 1 : 0,
    numbers: shape.number && hasNumber(turn.text) ? 1 : 0,
    places: shape.place && hasPlace(turn.text) ? 1 : 0,
    question: isQuestion(turn.text) ? 1 : 0,
    answer: asksBefore ? 1 : 0,
    reaction: isReaction(turn.text) ? 1 : 0,
    aboutListener: isAboutListener(turn.text) ? 1 : 0,
    names: namesHeld(turn.text),
    answered: asksBefore ? room.wordsAt(turn, -1) : 0,
  } satisfies Partial<Record<RankPart, number>>;
}

/** By spaces alone, as it is done for every candidate; scripts without them count as one word for two characters. */
function wordCount(text: string): number {
  let spaces = 0;
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10) spaces += 1;
    else if (code >= 0x0e00) wide += 1;
  }
  return spaces + 1 + wide / 2;
}

/** The candidates as they stand beside each other in their files. */
export class Room {
  readonly #places = new Map<number, Map<number, Candidate>>();
  readonly #chunks = new Map<number, number>();
  readonly #oldest: number;
  readonly #newest: number;

  constructor(candidates: readonly Candidate[]) {
    const found = new Map<number, number[]>();
    let oldest = Infinity;
    let newest = -Infinity;
    for (const turn of candidates) {
      const source = this.#places.get(turn.sourceId) ?? new Map<number, Candidate>();
      this.#places.set(turn.sourceId, source.set(turn.pos, turn));
      oldest = Math.min(oldest, turn.ts);
      newest = Math.max(newest, turn.ts);
      if (turn.words <= 0) continue;
      const scores = found.get(turn.chunkId) ?? [];
      scores.push(turn.words);
      found.set(turn.chunkId, scores);
    }
    for (const [chunk, scores] of found) this.#chunks.set(chunk, decayedSum(scores));
    this.#oldest = oldest;
    this.#newest = newest;
  }

  at(turn: Candidate, step: number): Candidate | undefined {
    return this.#places.get(turn.sourceId)?.get(turn.pos + step);
  }

  wordsAt(turn: Candidate, step: number): number {
    return this.at(turn, step)?.words ?? 0;
  }

  chunkScore(chunk: number): number {
    return this.#chunks.get(chunk) ?? 0;
  }

  /** 0 for the oldest candidate, 1 for the newest. */
  recency(ts: number): number {
    return this.#newest > this.#oldest ? (ts - this.#oldest) / (this.#newest - this.#oldest) : 0;
  }
}

function decayedSum(scores: number[]): number {
  let sum = 0;
  let share = 1;
  for (const score of scores.sort((a, b) => b - a)) {
    sum += score * share;
    share *= CHUNK_DECAY;
  }
  return sum;
}

function coverage(turn: Candidate, rarity: readonly number[], room: Room): number {
  const best: number[] = [];
  const look = (step: number, share: number) => {
    const beside = room.at(turn, step);
    if (beside === undefined) return;
    for (const word of beside.holds) if (share > (best[word] ?? 0)) best[word] = share;
  };
  COVERAGE_BEFORE.forEach((share, step) => look(-step, share));
  COVERAGE_AFTER.forEach((share, step) => look(step, share));
  let sum = 0;
  for (const [word, share] of best.entries()) if (share !== undefined) sum += share * (rarity[word] ?? 0);
  return sum;
}

function dateFit(ts: number, windows: readonly DateWindow[]): number {
  let fit = 0;
  for (const { from, to, grain } of windows) {
    if (ts >= from && ts < to) return 1;
    const late = (ts - to) / (DAY_MS * AFTERMATH_DAYS[grain]);
    if (late >= 0 && late < 1) fit = Math.max(fit, AFTERMATH_SHARE * (1 - late));
  }
  return fit;
}
