/** Every bound of the tools that users write. Reaching one is said in words, never a hang. */
export const WORKSPACE_LIMITS = {
  integrationsMax: 64,
  /** Sources of one integration. */
  filesMax: 64,
  fileBytesMax: 256 * 1024,
  folderBytesMax: 1024 * 1024,
  toolsPerIntegrationMax: 64,
  secretsPerToolMax: 16,
  descriptionCharsMax: 10_000,
  /** All that an integration says of its tools. */
  listingBytesMax: 1024 * 1024,
  /** From the start of a process until its modules are loaded. */
  startMs: 15_000,
  /** A process that nobody needs leaves after this long. */
  idleMs: 60_000,
  /** How long a handler that was stopped may take to notice; then its process is ended. */
  graceMs: 2_000,
  /** After a second crash in a row the next start waits, twice as long each time. */
  backoffMs: 500,
  backoffMaxMs: 30_000,
  processesMax: 12,
  callsPerProcessMax: 32,
  inputBytesMax: 8 * 1024 * 1024,
  /** An answer with its pictures and files. */
  answerBytesMax: 32 * 1024 * 1024,
  /** A request of `ctx.fetch`, its body in base64. */
  requestBytesMax: 16 * 1024 * 1024,
  /** What `ctx.fetch` gets back, before base64. */
  responseBytesMax: 16 * 1024 * 1024,
  requestUrlCharsMax: 8_192,
  requestHeadersMax: 100,
  requestHeaderCharsMax: 16_384,
  fetchesPerCallMax: 256,
  fetchesAtOnceMax: 8,
  progressPerCallMax: 1_000,
  linesPerProcessMax: 1_000,
  lineCharsMax: 2_000,
  targetCharsMax: 200,
  targetMs: 2_000,
  /** Changes in the folder are gathered for this long, and for this long at most. */
  gatherMs: 250,
  gatherMaxMs: 2_000,
  cacheFilesMax: 256,
  checkMs: 30_000,
  checkProblemsMax: 20,
  testMs: 60_000,
  outputBytesMax: 1024 * 1024,
} as const;

export type WorkspaceLimits = { readonly [Name in keyof typeof WORKSPACE_LIMITS]: number };
