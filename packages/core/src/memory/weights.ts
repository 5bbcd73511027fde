/**
 * What makes a turn worth showing, in one place. The numbers were chosen on dated conversations of two
 * people with the question's gold turns known, one conversation left out at a time; docs/benchmarks.md has what
 * they reach on it. Change them together, measure, and raise the version.
 */
export const RANKING_VERSION = "2";

export interface RankingWeights {
  /** How well the words fit (BM25 of the turn alone). The unit of all others. */
  readonly words: number;
  /** How well they fit the stretch of about 500 tokens around it. */
  readonly chunk: number;
  /** How well they fit the turn before, the one after, and the two beyond on each side. */
  readonly before: number;
  readonly after: number;
  readonly around: number;
  /** How many of the asked words are here or close by, the rare ones first. */
  readonly coverage: number;
  /** Words in the place of asked ones ("puppy" for "pet"), in the turn and in the stretch around it. */
  readonly related: number;
  readonly relatedChunk: number;
  /** Said by whom the question is about. */
  readonly speaker: number;
  /** Said in the time that was asked for, or shortly after it. */
  readonly date: number;
  /** "When" is answered by time words, "how many" by numbers, "where" by places. */
  readonly timeWords: number;
  readonly numbers: number;
  readonly places: number;
  /** A question seldom holds the answer; what follows one often does. */
  readonly question: number;
  readonly answer: number;
  /** The more so, the better that question fits. */
  readonly answered: number;
  /** "Wow, that's great!" and words about the listener seldom tell something first; names often do. */
  readonly reaction: number;
  readonly aboutListener: number;
  readonly names: number;
  /** Longer turns say more: by the logarithm of their words. */
  readonly length: number;
  /** Only where the latest word on something is asked for. */
  readonly latest: number;
  /** Closeness in meaning, 0 to 1, where an embedder is set up. */
  readonly vector: number;
}

export const RANKING_WEIGHTS: RankingWeights = {
  words: 1,
  chunk: 0.5,
  before: 0.55,
  after: 0.09,
  around: 0.13,
  coverage: 0.7,
  related: 0.4,
  relatedChunk: 0.2,
  speaker: 8.5,
  date: 11,
  timeWords: 3.3,
  numbers: 2,
  places: 2,
  question: -2.2,
  answer: 1,
  answered: 0.15,
  reaction: -2,
  aboutListener: -1,
  names: 0.3,
  length: 1.55,
  latest: 3,
  vector: 4,
};

/**
 * As many hits as recall asks for within its budget of about 1,000 tokens: enough for what is looked for, and
 * room for the turns beside the best.
 */
export const RECALL_HITS = 20;

/** Of turns that come so long after a named time, the closer the more, as people tell things later. */
export const AFTERMATH_DAYS = { day: 3, week: 7, month: 10, year: 10 } as const;
export const AFTERMATH_SHARE = 0.27;
/** Where several people are named, the first is mostly the one asked about. */
export const FIRST_OF_SEVERAL_SHARE = 0.3;
/** What each further turn of a chunk adds to it. */
export const CHUNK_DECAY = 0.4;
/** How much a word counts that is not in the turn itself but 1, 2, 3 … turns before or after it. */
export const COVERAGE_BEFORE: readonly number[] = [1, 0.9, 0.65, 0.5, 0.4, 0.3, 0.2];
export const COVERAGE_AFTER: readonly number[] = [1, 0.6, 0.5, 0.4, 0.3, 0.2];
