import type { AnswerShape } from "./answer-shape.ts";
import { CandidateSet, type Beside, type Candidate } from "./candidate-set.ts";
import type { DateWindow } from "./date-window.ts";
import type { SpeakerPrior } from "./speaker-prior.ts";
import { AFTERMATH_DAYS, AFTERMATH_SHARE, RANKING_WEIGHTS, type RankingWeights } from "./weights.ts";

export type { Candidate };

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
  const ranking = new Ranking(candidates, asked, weights);
  const ahead = candidates.map((candidate, index) => new Weighed(candidate, index, ranking)).sort(byScore);
  const closer = ahead.slice(0, CLOSER_MAX);
  for (const turn of closer) turn.lookCloser();
  return closer.sort(byScore).concat(ahead.slice(CLOSER_MAX));
}

/** Far more than anybody is shown. */
const CLOSER_MAX = 200;

function byScore(a: Ranked, b: Ranked): number {
  // The difference would be a new object each time.
  if (a.score !== b.score) return a.score > b.score ? -1 : 1;
  return inDoubt(a.candidate, b.candidate);
}

function inDoubt(a: Candidate, b: Candidate): number {
  if (a.ts !== b.ts) return a.ts > b.ts ? -1 : 1;
  if (a.text !== b.text) return a.text < b.text ? -1 : 1;
  return b.pos - a.pos;
}

/** Its parts are written out for those that are shown, which are few. */
class Weighed<T extends Candidate> implements Ranked<T> {
  readonly candidate: T;
  score: number;
  readonly #index: number;
  readonly #ranking: Ranking;
  #isCloser = false;

  constructor(candidate: T, index: number, ranking: Ranking) {
    this.candidate = candidate;
    this.#index = index;
    this.#ranking = ranking;
    this.score = ranking.placeScore(index);
  }

  lookCloser(): void {
    this.score += this.#ranking.textScore(this.#index);
    this.#isCloser = true;
  }

  get parts(): Readonly<Record<string, number>> {
    return this.#ranking.parts(this.#index, this.#isCloser);
  }
}

/** Each by its name in the weights, before it is weighed. */
type Features<Name extends keyof RankingWeights> = Record<Name, number>;

type PlaceFeatures = Beside &
  Features<
    "words" | "chunk" | "speaker" | "date" | "length" | "latest" | "related" | "relatedChunk" | "vector"
  >;

type TextFeatures = Features<
  | "timeWords"
  | "numbers"
  | "places"
  | "question"
  | "answer"
  | "reaction"
  | "aboutListener"
  | "names"
  | "answered"
>;

/** Weighs turns one after the other. What is read of one is written over that of the one before: they are hundreds. */
class Ranking {
  readonly #candidateSet: CandidateSet;
  readonly #asked: Asked;
  readonly #weights: RankingWeights;
  readonly #place: PlaceFeatures = {
    words: 0,
    chunk: 0,
    before: 0,
    after: 0,
    around: 0,
    coverage: 0,
    speaker: 0,
    date: 0,
    length: 0,
    latest: 0,
    related: 0,
    relatedChunk: 0,
    vector: 0,
  };
  readonly #text: TextFeatures = {
    timeWords: 0,
    numbers: 0,
    places: 0,
    question: 0,
    answer: 0,
    reaction: 0,
    aboutListener: 0,
    names: 0,
    answered: 0,
  };

  constructor(candidates: readonly Candidate[], asked: Asked, weights: RankingWeights) {
    this.#candidateSet = new CandidateSet(candidates);
    this.#asked = asked;
    this.#weights = weights;
  }

  placeScore(index: number): number {
    const of = this.#placeFeatures(index);
    const by = this.#weights;
    return (
      by.words * of.words +
      by.chunk * of.chunk +
      by.before * of.before +
      by.after * of.after +
      by.around * of.around +
      by.coverage * of.coverage +
      by.speaker * of.speaker +
      by.date * of.date +
      by.length * of.length +
      by.latest * of.latest +
      by.related * of.related +
      by.relatedChunk * of.relatedChunk +
      by.vector * of.vector
    );
  }

  textScore(index: number): number {
    const of = this.#textFeatures(index);
    const by = this.#weights;
    return (
      by.timeWords * of.timeWords +
      by.numbers * of.numbers +
      by.places * of.places +
      by.question * of.question +
      by.answer * of.answer +
      by.reaction * of.reaction +
      by.aboutListener * of.aboutListener +
      by.names * of.names +
      by.answered * of.answered
    );
  }

  parts(index: number, withText: boolean): Readonly<Record<string, number>> {
    const features: Partial<Features<keyof RankingWeights>> = {
      ...this.#placeFeatures(index),
      ...(withText ? this.#textFeatures(index) : {}),
    };
    const parts: Record<string, number> = {};
    for (const [name, feature] of Object.entries(features)) {
      const part = this.#weights[name as keyof RankingWeights] * feature;
      if (part !== 0) parts[name] = part;
    }
    return parts;
  }

  #placeFeatures(index: number): PlaceFeatures {
    const candidateSet = this.#candidateSet;
    const asked = this.#asked;
    const turn = candidateSet.turns[index]!;
    const of = this.#place;
    candidateSet.beside(index, asked.rarity, of);
    of.words = turn.words;
    of.chunk = candidateSet.chunkScore(index);
    of.speaker = asked.prior.of(turn);
    of.date = asked.windows.length > 0 ? dateFit(turn.ts, asked.windows) : 0;
    of.length = candidateSet.traits(index).length;
    of.latest = asked.latest ? candidateSet.recency(turn.ts) : 0;
    of.related = turn.related ?? 0;
    of.relatedChunk = candidateSet.relatedChunkScore(index);
    of.vector = turn.vector ?? 0;
    return of;
  }

  #textFeatures(index: number): TextFeatures {
    const candidateSet = this.#candidateSet;
    const { shape } = this.#asked;
    const traits = candidateSet.traits(index);
    const previous = candidateSet.previous(index);
    const asksBefore = previous !== undefined && candidateSet.traits(previous).question;
    const of = this.#text;
    of.timeWords = shape.time && traits.timeWords ? 1 : 0;
    of.numbers = shape.number && traits.number ? 1 : 0;
    of.places = shape.place && traits.place ? 1 : 0;
    of.question = traits.question ? 1 : 0;
    of.answer = asksBefore ? 1 : 0;
    of.reaction = traits.reaction ? 1 : 0;
    of.aboutListener = traits.aboutListener ? 1 : 0;
    of.names = traits.names;
    of.answered = asksBefore ? candidateSet.turns[previous]!.words : 0;
    return of;
  }
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
