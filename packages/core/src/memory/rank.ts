import type { AnswerShape } from "./answer-shape.ts";
import { CandidateSet, type Candidate } from "./candidate-set.ts";
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

type Features = Partial<Record<keyof RankingWeights, number>>;

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
  const ranking = { candidateSet: new CandidateSet(candidates), asked, weights };
  const ahead = candidates.map((candidate, index) => new Weighed(candidate, index, ranking)).sort(byScore);
  const closer = ahead.slice(0, CLOSER_MAX);
  for (const turn of closer) turn.lookCloser();
  return closer.sort(byScore).concat(ahead.slice(CLOSER_MAX));
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

interface Ranking {
  readonly candidateSet: CandidateSet;
  readonly asked: Asked;
  readonly weights: RankingWeights;
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
    this.score = placeScore(placeFeatures(ranking.candidateSet, index, ranking.asked), ranking.weights);
  }

  lookCloser(): void {
    const { candidateSet, asked, weights } = this.#ranking;
    this.score += textScore(textFeatures(candidateSet, this.#index, asked), weights);
    this.#isCloser = true;
  }

  get parts(): Readonly<Record<string, number>> {
    const { candidateSet, asked, weights } = this.#ranking;
    const features: Features = {
      ...placeFeatures(candidateSet, this.#index, asked),
      ...(this.#isCloser ? textFeatures(candidateSet, this.#index, asked) : {}),
    };
    const parts: Record<string, number> = {};
    for (const [name, feature] of Object.entries(features)) {
      const part = weights[name as keyof Features] * feature;
      if (part !== 0) parts[name] = part;
    }
    return parts;
  }
}

/** Each by its name in the weights, before it is weighed. */
function placeFeatures(candidateSet: CandidateSet, index: number, asked: Asked) {
  const turn = candidateSet.turns[index]!;
  const beside = candidateSet.beside(index, asked.rarity);
  return {
    words: turn.words,
    chunk: candidateSet.chunkScore(turn.chunkId),
    before: beside.before,
    after: beside.after,
    around: beside.around,
    coverage: beside.coverage,
    speaker: asked.prior.of(turn),
    date: dateFit(turn.ts, asked.windows),
    length: candidateSet.traits(index).length,
    latest: asked.latest ? candidateSet.recency(turn.ts) : 0,
    related: turn.related ?? 0,
    relatedChunk: candidateSet.relatedChunkScore(turn.chunkId),
    vector: turn.vector ?? 0,
  } satisfies Features;
}

function placeScore(of: ReturnType<typeof placeFeatures>, by: RankingWeights): number {
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

function textFeatures(candidateSet: CandidateSet, index: number, { shape }: Asked) {
  const traits = candidateSet.traits(index);
  const previous = candidateSet.previous(index);
  const asksBefore = previous !== undefined && candidateSet.traits(previous).question;
  return {
    timeWords: shape.time && traits.timeWords ? 1 : 0,
    numbers: shape.number && traits.number ? 1 : 0,
    places: shape.place && traits.place ? 1 : 0,
    question: traits.question ? 1 : 0,
    answer: asksBefore ? 1 : 0,
    reaction: traits.reaction ? 1 : 0,
    aboutListener: traits.aboutListener ? 1 : 0,
    names: traits.names,
    answered: asksBefore ? candidateSet.turns[previous]!.words : 0,
  } satisfies Features;
}

function textScore(of: ReturnType<typeof textFeatures>, by: RankingWeights): number {
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

function dateFit(ts: number, windows: readonly DateWindow[]): number {
  let fit = 0;
  for (const { from, to, grain } of windows) {
    if (ts >= from && ts < to) return 1;
    const late = (ts - to) / (DAY_MS * AFTERMATH_DAYS[grain]);
    if (late >= 0 && late < 1) fit = Math.max(fit, AFTERMATH_SHARE * (1 - late));
  }
  return fit;
}
