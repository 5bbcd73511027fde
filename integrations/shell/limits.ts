/** Every bound of the command tool, by name. */
export const SHELL_LIMITS = {
  timeoutDefaultMs: 30_000,
  timeoutMaxMs: 120_000,
  /** What the model and the owner get to see of a command's output, its beginning and its end. */
  outputBytesMax: 100 * 1024,
  /** A command that writes more than this is stopped: nobody reads it. */
  outputReadBytesMax: 256 * 1024 * 1024,
  argumentsMax: 512,
  commandCharsMax: 64_000,
  envNamesMax: 32,
  envValueCharsMax: 4_096,
  /** From SIGTERM to SIGKILL. The gate waits two seconds for a stopped call. */
  killGraceMs: 1_000,
  /** A command that ended may have left its output open to somebody else. */
  drainMs: 500,
  progressEveryMs: 250,
  progressCharsMax: 300,
  progressLinesMax: 400,
  /** Writable memory in the cage: `/tmp`, which is the scratch folder, and `/dev/shm`. */
  scratchBytesMax: 512 * 1024 * 1024,
  sharedMemoryBytesMax: 64 * 1024 * 1024,
  /** Memory that one process may write to: of a command that runs unasked, and of others as a share of the machine's. */
  dataBytesLooksMax: 256 * 1024 * 1024,
  dataShareMax: 0.75,
  /** Commands at the same time; another waits this long and is then not started. */
  runningMax: 8,
  waitingMs: 20_000,
  cageProbeMs: 5_000,
  /** A missing cage is looked for again after this long; one that was found stays found. */
  cageMissingMs: 30_000,
  /** All of the owner's patterns over one command. */
  patternsMs: 1_000,
  patternCharsMax: 16_000,
  safeCommandsMax: 200,
  /** Words of a command that are held against Elwood's own places. */
  ownWordsMax: 256,
  repositoryConfigBytesMax: 64 * 1024,
  repositoryDepthMax: 64,
  /** Files that a question is bound to by their content, and how many places are looked at for them. */
  boundFilesMax: 32,
  boundLooksMax: 500,
  boundFileBytesMax: 4 * 1024 * 1024,
  /** How much of one is read for the names of others. */
  boundReadBytesMax: 64 * 1024,
} as const;
