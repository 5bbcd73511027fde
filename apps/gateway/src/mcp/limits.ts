/** Every bound of MCP servers. Reaching one is said in words, never a hang. */
export const MCP_LIMITS = {
  serversMax: 64,
  toolsPerServerMax: 256,
  /** Pages of a list of tools. */
  pagesMax: 20,
  /** One message of a server, an answer with its pictures included. */
  messageBytesMax: 8 * 1024 * 1024,
  /** All that a server sends while no call ends. */
  streamBytesMax: 64 * 1024 * 1024,
  /** Lines on standard output that are no messages; some servers print a greeting there. */
  junkLinesMax: 200,
  descriptionCharsMax: 1_500,
  schemaBytesMax: 64 * 1024,
  schemaDepthMax: 32,
  /** A description inside of a schema. */
  schemaTextCharsMax: 500,
  /** From the start of a server until its tools are listed; the first start may have to fetch it. */
  startMs: 60_000,
  /** How long a server may take to say that it does not know the newest protocol; one that has to be fetched first says it late. */
  probeMs: 20_000,
  /** A call, where the settings do not say. */
  callMs: 60_000,
  /** A server that nobody needs is ended after this long. */
  idleMs: 5 * 60_000,
  /** How long a server may take to leave once its input is closed. */
  graceMs: 2_000,
  /** After a crash the next start waits, four times as long each time. */
  backoffMs: 1_000,
  backoffMaxMs: 5 * 60_000,
  /** Crashes in a row after which a server stays down until the owner starts it. */
  crashesMax: 8,
  callsAtOnceMax: 32,
  /** Questions of a server to the owner within one call, and tries to answer one of them. */
  questionsPerCallMax: 8,
  answerTriesMax: 3,
  choicesMax: 20,
  questionCharsMax: 1_000,
  /** A call whose time stands still because the owner is asked is given up after so long all the same. */
  callCeilingMs: 8 * 24 * 3_600_000,
  inputBytesMax: 4 * 1024 * 1024,
  attachmentsMax: 16,
  progressPerCallMax: 200,
  progressCharsMax: 200,
  errorCharsMax: 2_000,
  logFileBytesMax: 1024 * 1024,
  logLineCharsMax: 2_000,
  logLinesKept: 500,
  logPendingCharsMax: 256 * 1024,
  cacheFileBytesMax: 4 * 1024 * 1024,
  /** npm's list of what it fetched for a server. */
  packageListBytesMax: 16 * 1024 * 1024,
  /** How long a login waits for the owner's browser. */
  loginMs: 10 * 60_000,
  scopeCharsMax: 4_000,
  /** How often the streams of a server over HTTP are opened again before a call is answered, and how soon. */
  reopeningsMax: 200,
  reopenMsMin: 100,
  /** Tries to open one again that fail. */
  reopenTriesMax: 2,
  /** Resources or prompts of a server, all pages. */
  resourcesMax: 500,
  promptArgumentsMax: 20,
  uriCharsMax: 2_048,
  /** Of a resource or a prompt; the rest is left out, and counted. */
  textCharsMax: 100_000,
  mentionsMax: 4,
  envMax: 64,
  envValueCharsMax: 16 * 1024,
  foldersMax: 32,
} as const;

export type McpLimits = { readonly [Name in keyof typeof MCP_LIMITS]: number };
