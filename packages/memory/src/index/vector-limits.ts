/** What embedding may take at once, and how patient it is. */
export const VECTOR_LIMITS = {
  /** Shorter turns ("Yes, do that") mean nothing by themselves. */
  textCharsMin: 12,
  /** About 1,500 tokens; of a longer turn the beginning is embedded. */
  textCharsMax: 6_000,
  /** A text that an embedder finds too long is halved down to this, then left out. */
  textCharsLeast: 400,
  batchTexts: 64,
  batchChars: 60_000,
  /** Turns that are looked at in one step while the index is filled. */
  scanTurns: 256,
  /** Pause after a failure: doubled each time, up to the second. */
  pauseMs: 30_000,
  pauseMaxMs: 10 * 60_000,
  /** Share of the cap that is kept for questions. */
  queryShare: 0.05,
  queryCharsMax: 2_000,
  /** After so many questions without an answer the embedder is left alone for a while. */
  queryFailuresMax: 2,
  queryPauseMs: 30_000,
  queryVectorsKept: 256,
  /** Neighbours that a question is given; more where it is narrowed down afterwards. */
  nearest: 200,
  nearestNarrowed: 1_000,
  debrisRows: 500,
} as const;
