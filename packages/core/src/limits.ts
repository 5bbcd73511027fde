/**
 * Every limit that is not the owner's to set, by name. Reaching one is a polite, tested
 * outcome, never a hang. Limits that the owner may set live in the configuration and
 * take their defaults from RUN_LIMITS.
 */
export const LIMITS = {
  /** A WebSocket frame from a client that has not said who it is. */
  preAuthFrameBytesMax: 64 * 1024,
  /** How long such a client may stay silent. */
  preAuthMs: 5_000,
  preAuthConnectionsMax: 64,
  connectionsMax: 256,
  frameBytesMax: 2 * 1024 * 1024,
  /** Above this many unsent bytes, text deltas to that client are merged. */
  sendBufferSoftBytes: 1024 * 1024,
  /** Above this many, the client does not read: it is closed and may come back. */
  sendBufferHardBytes: 16 * 1024 * 1024,
  requestsInFlightPerConnectionMax: 64,
  failedAuthPerWindowMax: 10,
  failedAuthWindowMs: 60_000,
  failedAuthKeysMax: 4_096,
  loginTicketMs: 10 * 60_000,
  loginTicketsMax: 32,
  blobTicketMs: 5 * 60_000,
  blobTicketsMax: 1_024,
  httpBodyBytesMax: 64 * 1024,
  blobBytesMax: 20 * 1024 * 1024,
  messageCharsMax: 400_000,
  partsPerMessageMax: 32,
  titleCharsMax: 120,
  idempotencyKeyCharsMax: 200,
  pageSizeMax: 200,
  pageSizeDefault: 50,
  searchQueryCharsMax: 200,
  queuedRunsPerSessionMax: 20,
  runsQueuedMax: 1_000,
  /** Events of one attempt of a run; the attempt's number shifts `seq` by this, so that seq never falls after a restart. */
  eventsPerAttemptMax: 1_000_000,
  /** How often a run is taken up again after the gateway died under it. */
  attemptsPerRunMax: 4,
  /** Text of an unfinished answer is put on disk at least this often. */
  partialFlushMs: 1_000,
  partialFlushChars: 4_096,
  /** How long an ended run's feed stays in memory for clients that reconnect. */
  feedLingerMs: 60_000,
  feedsEndedMax: 200,
  agentFileBytesMax: 64 * 1024,
  agentsMax: 64,
  transcriptLineBytesMax: 32 * 1024 * 1024,
  /** Stopping waits this long for runs in flight to reach a step that is safe to leave. */
  shutdownMs: 10_000,
  trashKeptMs: 30 * 24 * 60 * 60_000,
  backupsKept: 5,
} as const;

/** Limits on a run that the owner may change; all are on by default. */
export interface RunLimits {
  readonly laps: number;
  readonly calls: number;
  /** The same call with the same input, again and again, within one run. */
  readonly identicalCalls: number;
  readonly tokens: number;
  readonly minutes: number;
  readonly costUsd: number;
  readonly dayCostUsd: number;
  readonly parallelRuns: number;
}

export const RUN_LIMITS: RunLimits = {
  laps: 40,
  calls: 100,
  identicalCalls: 5,
  tokens: 1_000_000,
  minutes: 15,
  costUsd: 2,
  dayCostUsd: 20,
  parallelRuns: 8,
};
