/** What the index may take at once. All are polite: what does not fit now is done later. */
export const INDEX_LIMITS = {
  /** A longer message becomes several turns, so that one hit never fills a budget by itself. */
  turnCharsMax: 8_000,
  /** Characters of a chunk: about 500 tokens. */
  chunkChars: 2_000,
  /** Read, indexed and committed at once; the event loop turns between two of them. */
  readBytes: 64 * 1024,
  /** Turns that are deleted in one transaction. */
  deleteTurns: 200,
  /** Up to so many turns of one source are overwritten where they stand. */
  fewTurns: 50,
  mergeStepsMax: 1_000_000,
  noteBytesMax: 1024 * 1024,
  /** Files of one kind that are looked at in one sweep. */
  filesMax: 50_000,
  trashPagesMax: 100,
  /** Own appends wait this long for others, unless a search comes first, and so many sessions at most. */
  flushMs: 1_000,
  pendingMax: 64,
  /** Within that time recalls have them indexed so often; a search that was asked for always does. */
  recallDrainsMax: 2,
  /** Bytes of an own append that are indexed at once; a longer one is read piece by piece. */
  appendBytesMax: 256 * 1024,
  /** Changes that come close together are looked at once. */
  gatherMs: 1_500,
  gatherMaxMs: 15_000,
  sweepMs: 10 * 60_000,
  /** After the start, before the files are looked through: whoever just started it wants to talk. */
  firstSweepMs: 2_000,
  /** A search waits at most this long for what is known to be missing from the index. */
  catchUpMs: 2_000,
  /** An index of more turns is searched, and one of more bytes is checked, in another thread. */
  mainThreadTurns: 20_000,
  /**
   * What every message waits for leaves the main thread sooner: once the index is too large to be kept in memory. Until
   * then a search takes less CPU than the thread would, and the turns take less memory than the thread.
   */
  mainThreadRecallTurns: 12_000,
  /** With more searches than this in a second the thread takes over, so that other sessions do not wait for them. */
  mainThreadSearchesPerSecond: 20,
  mainThreadCheckBytes: 8 * 1024 * 1024,
  /** Searches that wait for the thread, and how long one may take. */
  queuedMax: 64,
  searchMs: 30_000,
  /** The thread leaves after this long without a search: it holds 22 MB, and another one is there in a tenth of a second. */
  threadIdleMs: 10_000,
  /** A thread takes 48 MB for young objects and keeps them; with less than this it collects again and again what it still needs. */
  threadYoungMb: 12,
  errorCharsMax: 300,
} as const;

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
