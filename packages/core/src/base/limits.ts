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
  /** WebSockets of such clients; for one more the oldest gives way. */
  preAuthConnectionsMax: 64,
  connectionsMax: 256,
  /** TCP connections of any kind; one more is closed unheard. */
  socketsMax: 1_024,
  /** Of them, those on which nothing is being asked; for one more the oldest gives way. */
  idleSocketsMax: 512,
  /** After this much silence the system asks whether the other machine still lives. */
  deadPeerProbeMs: 60_000,
  frameBytesMax: 2 * 1024 * 1024,
  /** Above this many unsent bytes, text deltas to that client are merged. */
  sendBufferSoftBytes: 1024 * 1024,
  /** Above this many, the client does not read: it is closed and may come back. */
  sendBufferHardBytes: 16 * 1024 * 1024,
  tooSlowGraceMs: 30_000,
  requestsInFlightPerConnectionMax: 64,
  failedAuthPerWindowMax: 10,
  failedAuthWindowMs: 60_000,
  failedAuthKeysMax: 4_096,
  /** A shorter token could be guessed, so it waits with the wrong ones. */
  guessableTokenChars: 16,
  loginTicketMs: 10 * 60_000,
  loginTicketsMax: 32,
  /** A device has so long to sign what it was given. */
  deviceChallengeMs: 60_000,
  deviceChallengesMax: 1_024,
  /** Tokens of devices that stay logged in, over all of them; the oldest gives way, and its device signs again. */
  deviceTokensMax: 1_024,
  blobTicketMs: 5 * 60_000,
  blobTicketsMax: 1_024,
  exportTicketMs: 60_000,
  exportTicketsMax: 16,
  httpHeadBytesMax: 16 * 1024,
  httpBodyBytesMax: 64 * 1024,
  /** What another system may send to a webhook at once, and how often to one of them. */
  hookBodyBytesMax: 256 * 1024,
  hookRequestsPerMinuteMax: 60,
  /** The secret of a webhook; a shorter one could be guessed. */
  hookSecretCharsMin: 16,
  /** How far the time in a signature may be from ours: an older one may be a copy. */
  hookSignatureAgeMs: 5 * 60_000,
  /** Who is at the page answers within this time; only then does something ring. */
  notifyDelayMs: 15_000,
  /** Between two notifications; what comes meanwhile is told as one. */
  notifyGapMs: 60_000,
  /** When something that still waits is told a second time, and the last. */
  notifyRemindMs: 4 * 60 * 60_000,
  /** Things that one notification names; of more it says how many. */
  notifyLinesMax: 4,
  /** The clock is looked at this often while something waits: a machine may have slept. */
  notifyCheckMs: 5 * 60_000,
  /** Browsers that asked to be woken; for one more the oldest is dropped. */
  pushSubscriptionsMax: 20,
  pushMs: 10_000,
  /** A whole request, an upload on a slow line included. */
  httpRequestMs: 60_000,
  blobBytesMax: 20 * 1024 * 1024,
  messageCharsMax: 400_000,
  /** A question of a program to the owner, and how long it may wait. */
  ownerQuestionCharsMax: 2_000,
  ownerOptionsMax: 10,
  ownerQuestionMsMax: 7 * 86_400_000,
  /** Questions of programs that wait in one session. */
  ownerQuestionsWaitingMax: 20,
  /** Assistants of programs, and what belongs to one of them. */
  assistantsMax: 200,
  assistantIdCharsMax: 24,
  assistantTextCharsMax: 20_000,
  assistantContextBytesMax: 64 * 1024,
  clientToolsMax: 64,
  clientToolNameCharsMax: 32,
  clientToolDescriptionCharsMax: 4_000,
  clientMessageCharsMax: 8_000,
  /** A program that is not connected when its tool is called has this long to come. */
  clientToolWaitMs: 10_000,
  /** A program that went away in the middle of a call has this long to come back. */
  clientToolGoneMs: 30_000,
  /** What a tool in a client may answer; it travels in one frame. */
  clientResultBytesMax: 1024 * 1024,
  partsPerMessageMax: 32,
  titleCharsMax: 120,
  titleFromMessageCharsMax: 60,
  titleTokensMax: 60,
  previewCharsMax: 120,
  sessionSystemCharsMax: 20_000,
  sessionPinsMax: 100,
  /** Versions of one turn; what their calls did for the same words is added up. */
  versionsPerTurnMax: 50,
  folderCharsMax: 60,
  /** What a program may send at once, and messages in it. */
  apiBodyBytesMax: 8 * 1024 * 1024,
  apiMessagesMax: 1_000,
  /** Executions of one action that wait for their turn; one more is refused. */
  actionQueueMax: 256,
  /** How long an execution may take where nobody says, and at most. */
  actionTimeoutMs: 120_000,
  actionTimeoutMaxMs: 15 * 60_000,
  /** Rounds in which tools of an action answer its model. */
  actionToolTurnsMax: 10,
  /** What a hook that looks at a text may take. */
  moderationMs: 10_000,
  /** Comments keep a stream alive that has nothing to say. */
  sseKeepAliveMs: 15_000,
  /** Who does not read for so long is not waited for. */
  sseSlowReaderMs: 60_000,
  /** Characters that are kept of an answer which is passed on as it comes, where neither log nor traces want more. */
  passedOnCharsKept: 1_000,
  /** How long the answer to a request with a key is kept, for when it is sent again. */
  keptAnswerMs: 24 * 60 * 60_000,
  /** Answers in the cache of actions; for one more the oldest goes. */
  cachedAnswersMax: 2_000,
  /** Answers that a question is compared with by meaning. */
  cachedAnswersCompared: 200,
  snippetCharsMax: 160,
  idempotencyKeyCharsMax: 200,
  pageSizeMax: 200,
  pageSizeDefault: 50,
  searchQueryCharsMax: 200,
  queuedRunsPerSessionMax: 20,
  runsQueuedMax: 1_000,
  /** How often a run is taken up again after the gateway died under it. */
  attemptsPerRunMax: 4,
  /** How often a model that said nothing at all, and called nothing, is asked again before the owner is told. */
  emptyAnswerRetriesMax: 1,
  /** Text of an unfinished answer is put on disk at least this often. */
  partialFlushMs: 1_000,
  partialFlushChars: 4_096,
  feedsEndedMax: 200,
  feedsEndedCharsMax: 8 * 1024 * 1024,
  /** Runs that are watched over HTTP, and what is kept of each for who comes back. */
  runLogsMax: 64,
  runLogEventsMax: 2_000,
  runLogCharsMax: 512 * 1024,
  configFileBytesMax: 256 * 1024,
  openApiFileBytesMax: 512 * 1024,
  configNodesMax: 20_000,
  configDepthMax: 32,
  /** Problems of one configuration that are told at once. */
  configProblemsMax: 50,
  /** A key or token, in a file, a variable or on standard input. */
  secretBytesMax: 16 * 1024,
  /** A change of the settings waits this long for another. */
  configLockMs: 5_000,
  /** All secrets that Elwood keeps for its settings. */
  secretsFileBytesMax: 256 * 1024,
  authFileBytesMax: 1024 * 1024,
  authProfilesMax: 64,
  /** A writer of auth-profiles.json waits this long for another, and may hold the lock this long. */
  authLockMs: 5_000,
  /** How fresh `lastUsedAt` is kept; finer would write the file on every turn. */
  authTouchMs: 60_000,
  /** How long a key or model rests that failed for the first time, the second, and so on; the last one counts from then on. */
  keyRestMs: [30_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000],
  /** The same for a key whose account has no credit left. */
  keyBillingRestMs: [5 * 3_600_000, 10 * 3_600_000, 24 * 3_600_000],
  /** The longest that a provider may have a key rest by `retry-after`. */
  keyRestMaxMs: 24 * 3_600_000,
  /** A pause this short is waited out, so that the prompt cache of the key is not given up for it. */
  keyPauseMs: 2_000,
  /** For so long after an answer a conversation stays with the key that gave it. */
  keyKeptMs: 3_600_000,
  /** Conversations whose key is remembered. */
  conversationKeysMax: 1_000,
  /** A token of a subscription is renewed when it has less than this left. */
  oauthRenewMs: 60_000,
  oauthRequestMs: 15_000,
  oauthAnswerBytesMax: 64 * 1024,
  fallbackModelsMax: 8,
  logValueCharsMax: 4_096,
  logLineCharsMax: 32 * 1024,
  logDepthMax: 6,
  logItemsMax: 50,
  /** Tries of one request to a model, the first one counted. */
  modelAttemptsMax: 4,
  modelRetryBaseMs: 1_000,
  /** Longest pause before another try. A provider that asks for a longer one is not waited for: the owner is told. */
  modelRetryDelayMaxMs: 60_000,
  /** Silence before the first sign of an answer. */
  modelFirstEventMs: 120_000,
  /** The same on the owner's own machine, where the model may have to be loaded first; Node's fetch itself gives up at 300 s. */
  modelFirstEventLocalMs: 290_000,
  /** Silence in the middle of an answer. */
  modelIdleMs: 90_000,
  modelAnswerMs: 15 * 60_000,
  /** After its last word a provider gets this long to close the stream, so that the connection can be used again. */
  modelDrainMs: 1_000,
  /** How long, and how often, a server that says it is loading the model is asked again. */
  modelLoadingMs: 5 * 60_000,
  modelLoadingPollMs: 3_000,
  /** Below transcriptLineBytesMax, so that whatever a provider sent can be kept. */
  modelReplyBytesMax: 30 * 1024 * 1024,
  modelErrorBytesMax: 64 * 1024,
  modelBlocksMax: 512,
  /** Pictures and files of one request; the newest go first. */
  modelBlobBytesMax: 24 * 1024 * 1024,
  /** Text of one attached file that is shown to a model. */
  modelFileCharsMax: 200_000,
  modelsListedMax: 1_000,
  /** One tiny completion, or a list of models, while a person waits. */
  modelLiveTestMs: 60_000,
  /** The list of a provider's models while somebody chooses one, how long it is kept, and how many are named. */
  modelListMs: 5_000,
  modelListKeptMs: 5 * 60_000,
  providerModelsMax: 200,
  modelClientsMax: 32,
  /** How long a server may take to say how large its window is, and how long an answer that may change is kept. */
  modelWindowMs: 1_500,
  modelWindowUnsureMs: 15_000,
  /** A model's window where neither its maker nor its server nor the owner told it. */
  contextTokensAssumed: 32_000,
  /** Questions to the model for one summary. */
  compactionPassesMax: 24,
  /** After a summary that failed, the next is tried once this has passed, or once the conversation grew by this share of the window. */
  compactionAgainMs: 10 * 60_000,
  compactionGrowthShare: 0.1,
  /** Output smaller than this is not worth leaving out, nor are so few messages worth a summary. */
  compactionOutputTokensMin: 200,
  compactionTokensMin: 400,
  /** So many runs are looked through for words before a search gives what it has. */
  runsSearchedMax: 2_000,
  agentFileBytesMax: 64 * 1024,
  agentsMax: 64,
  /** Conversations kept parsed in memory, by the size of their files. */
  recentTranscriptsBytesMax: 8 * 1024 * 1024,
  /** Those that stay while nobody talks. */
  restingTranscriptsBytesMax: 256 * 1024,
  transcriptLineBytesMax: 32 * 1024 * 1024,
  /** Stopping waits this long for runs in flight to reach a step that is safe to leave. */
  shutdownMs: 10_000,
  /** How long a tool's handler may take where its author says nothing, and at most. */
  toolTimeoutMs: 30_000,
  toolTimeoutMaxMs: 15 * 60_000,
  /** What a tool is asked beside its handler: what a call would change, what it is about, whether it took effect. */
  toolPreviewMs: 20_000,
  toolFactsMs: 10_000,
  toolReconcileMs: 20_000,
  toolsMax: 1_000,
  /** Mistakes in one input that are told to the model at once. */
  toolInputProblemsMax: 10,
  /** One check of a program, in a checker that is ready; it is ended after that. */
  programCheckMs: 2_000,
  /** How long a checker may take to get ready. */
  programCheckerStartMs: 20_000,
  /** A checker that nobody needs leaves after this long, and one that did so many checks is replaced. */
  programCheckerIdleMs: 60_000,
  programChecksPerProcessMax: 2_000,
  /** Programs that wait to be checked. */
  programChecksQueuedMax: 32,
  /** Of one call as it is shown: what it was asked with, what it said, and its typed answer. */
  callInputBytesMax: 256 * 1024,
  callOutputCharsMax: 64 * 1024,
  callValueBytesMax: 256 * 1024,
  callReceiptsMax: 200,
  callsListedMax: 1_000,
  /** Receipts, or checkpoints, of the log in its own order, for checking it elsewhere. */
  receiptsPageMax: 1_000,
  /** Receipts of one run that are read to tell what it did. */
  runReceiptsMax: 10_000,
  timelineSpansMax: 2_000,
  /** First words of a run in a list, in bytes. */
  runSummaryBytesMax: 200,
  forkMessagesMax: 20_000,
  attentionItemsMax: 100,
  /** So long it must be quiet before clients hear that something wants the owner. */
  attentionQuietMs: 200,
  /** Below it nothing new is begun: the rest is for what is under way. */
  storageReserveBytes: 16 * 1024 * 1024,
  /** How often the disk is looked at unasked, the second while it is full; and for how long a look that found room counts. */
  storageLookMs: 15_000,
  storageLookAgainMs: 3_000,
  storageFreshMs: 1_000,
  authExpirySoonMs: 7 * 24 * 60 * 60_000,
  /** How often, and up to which size, the log is checked unasked while somebody looks. */
  receiptsCheckMs: 60 * 60_000,
  receiptsCheckedMax: 20_000,
  usageDaysMax: 366,
  usageDaysDefault: 30,
  usageSessionsMax: 20,
  /** Runs and calls whose beginning is remembered for how long they took. */
  observedOpenMax: 10_000,
  /** Series of metrics; a fact that would make one more is counted as left out. */
  metricSeriesMax: 2_000,
  metricLabelCharsMax: 120,
  /** Spans that wait for the collector; one more is dropped. They go out in batches, every so often. */
  spansQueuedMax: 2_048,
  spansBatchMax: 256,
  spansBatchMs: 2_000,
  spansSendMs: 5_000,
  /** How rarely a collector that is down is asked. */
  spansRetryMsMax: 120_000,
  spanContentCharsMax: 20_000,
  /** Runs whose request is remembered for the lines of the log. */
  requestsRememberedMax: 1_000,
  /** First messages of runs that are kept for the policy: some 5,000 short ones. One that is longer is read each time. */
  firstMessagesBytesMax: 2 * 1024 * 1024,
  firstMessageBytesMax: 128 * 1024,
  /** The last lines of the log that are kept to be looked at. */
  logLinesKept: 1_000,
  logCharsKept: 1024 * 1024,
  logLinesDefault: 200,
  /** A log file (log.file), and how many full ones are kept beside it. */
  logFileBytesMax: 10 * 1024 * 1024,
  logFilesKept: 4,
  /** Models of one server on this machine that are named. */
  detectedModelsMax: 50,
  doctorMs: 60_000,
  /** A copy of a session that was begun so long ago and is not there was left by a crash. */
  forkMs: 60 * 60_000,
  /** One note, and how many there may be. More is refused with words, never cut. */
  noteBytesMax: 64 * 1024,
  notesMax: 2_000,
  /** What notes held before they were changed, for taking that back. */
  noteCopiesMax: 500,
  noteCopiesMs: 30 * 24 * 60 * 60_000,
  /** Before a turn, looking into memory may take this long; then the run goes on without. */
  recallMs: 150,
  /** The first time in a process, when the index has yet to be opened and looked through. */
  recallFirstMs: 1_000,
  recallItemsMax: 12,
  /** The shortest word of which everything can be forgotten, and the longest. */
  forgetWordCharsMin: 3,
  forgetWordCharsMax: 200,
  /** Stretches of a forgotten text that are looked for: in copies of it, and in the bytes of all files. */
  forgetNeedlesMax: 64,
  /** Places that a plan of forgetting names one by one; all are counted. */
  forgetPlacesMax: 50,
  /** Files that are larger are not searched for what was forgotten, and that is said. */
  forgetFileBytesMax: 8 * 1024 * 1024 * 1024,
  forgetFilesMax: 200_000,
  /** A database up to this size is written anew whenever something was forgotten, a larger one only where it must be. */
  forgetVacuumBytesMax: 256 * 1024 * 1024,
  /** Skills of one agent, and what of each is told in every prompt. */
  skillsMax: 64,
  skillDescriptionCharsMax: 300,
  skillsPromptCharsMax: 8_000,
  /** How often is looked whether a tool that is off can be used by now. */
  offToolsLookMs: 60_000,
  /** Folders of a kind that the prompt names; of more it says how many. */
  promptFoldersMax: 20,
  skillFilesMax: 100,
  /** A message to a chat that cannot be sent is tried for this long, with growing waits. */
  outboxAgeMaxMs: 48 * 60 * 60_000,
  outboxRetryBaseMs: 1_000,
  outboxRetryMaxMs: 60_000,
  /** The longest wait that a platform is granted at once. */
  outboxWaitMaxMs: 60 * 60_000,
  /** Stopping waits this long for messages that are being sent; after that nobody knows of them. */
  outboxStopMs: 5_000,
  /** Messages owed to chats that are taken up at a start. */
  outboxUnsettledMax: 10_000,
  /** How long it is kept what was delivered, so that an answer to a message finds what it is about. */
  outboxKeptMs: 30 * 24 * 60 * 60_000,
  /** How often a run is looked at whose reply a chat waits for, where its channel sets no pace. */
  channelProgressMs: 4_000,
  /** An answer that comes sooner needs no sign that it is being written. */
  channelTypingAfterMs: 300,
  /** A shorter beginning of an answer is not worth a message of its own. */
  channelPreviewCharsMin: 40,
  /** In a chat, how long the question counts whether the owner is sure. */
  surePressMs: 5 * 60_000,
  /** How long a reply that could not be delivered is shown as something to look at. */
  undeliveredShownMs: 7 * 24 * 60 * 60_000,
  /** Files that go out behind one reply to a chat; more are only counted. */
  replyFilesMax: 10,
  /** A code for letting somebody in: how long it counts, how many wrong ones are taken, how many may be open in a channel. */
  pairingCodeMs: 10 * 60_000,
  pairingTriesMax: 5,
  pairingsAskedMax: 20,
  /** A live check of a channel's token, while a person waits. */
  channelCheckMs: 20_000,
  /** The same for an integration, and what it may send and be answered in one request. */
  integrationCheckMs: 20_000,
  /** What a program may send in one request over MCP. */
  mcpBodyBytesMax: 4 * 1024 * 1024,
  integrationAnswerBytesMax: 32 * 1024 * 1024,
  /** How long an event of a channel is remembered, should it come again. */
  inboxKeptMs: 7 * 24 * 60 * 60_000,
  /** Jobs there may be, and how far ahead their next times are listed. */
  jobsMax: 500,
  jobNameCharsMax: 80,
  jobMessageCharsMax: 20_000,
  jobNextTimesMax: 20,
  /** Due times of one job that are kept as its history; a run that has not ended is kept longer. */
  jobHistoryMax: 200,
  /** For so long a due time is kept even where there are more: a clock that was set back by a day finds it. */
  jobHistoryMs: 2 * 24 * 60 * 60_000,
  jobHistoryRowsMax: 3_000,
  /** Due times that wait behind a run of the same job. */
  jobQueueMax: 5,
  /** A due time that is noticed later than this was missed: Elwood was off, or the machine asleep. */
  jobLateMs: 5 * 60_000,
  /** Missed times of one job that are counted; of more it is said that there were at least so many. */
  jobMissedMax: 1_000,
  jobEveryMsMin: 60_000,
  jobEveryMsMax: 366 * 24 * 60 * 60_000,
  jobJitterMsMax: 60 * 60_000,
  jobsPerTickMax: 50,
  /** Of a standing permission for a job: uses in one run, days, and how many are given at once. */
  grantUsesPerRunMax: 100,
  grantDaysMax: 365,
  grantsAtOnceMax: 100,
  /** The clock is looked at this often: a machine that slept, or whose clock was set, is noticed within it. */
  jobClockCheckMs: 30_000,
  trashKeptMs: 30 * 24 * 60 * 60_000,
  /** So long after the last thing that was said, the clock is doubted, and nothing is destroyed for its age. */
  silenceMsMax: 180 * 24 * 60 * 60_000,
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
