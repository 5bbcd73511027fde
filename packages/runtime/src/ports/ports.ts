import type { ActivityItem, SessionActivityItem } from "@elwood/core/tool/activity";
import type { Embedded, EmbedRequest } from "@elwood/core/model/embedding";
import type { Failure } from "@elwood/core/base/failure";
import type { IdKind } from "@elwood/core/base/ids";
import type { RecalledItem } from "@elwood/core/memory/recalled";
import type { Message, TranscriptLine } from "@elwood/core/message/message";
import type { Handover, ModelEvent, ModelRef, ModelRequest, ToolSpec } from "@elwood/core/model/model";
import type { LapUsage } from "@elwood/core/model/price";
import type { CallNote, ReceiptPayloads } from "@elwood/core/receipts/receipt";
import type { Result } from "@elwood/core/base/result";
import type { RuleOfTwo } from "@elwood/core/policy/rule-of-two";
import type { TreeRun } from "@elwood/core/message/run-tree";
import type { Run, RunStatus, Session, SessionSettingsChange } from "@elwood/core/message/session";
import type { PromptSize, ToolSet } from "@elwood/core/model/model-profile";
import type { WorkingContext } from "@elwood/core/model/working-context";
import type { RunJob } from "@elwood/core/schedule/job-binding";
import type { CallEnd } from "@elwood/core/tool/tool";

/**
 * The ports: everything the runtime needs from outside. Implementations live in the other packages
 * (and in the testkit); each port has one contract suite that every implementation passes. Stores are
 * asynchronous although SQLite is not, so that a server database can be used instead; `tenant` is the first argument of every store method and part of every key.
 */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  next(kind: IdKind): string;
}

export interface Log {
  error(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  debug(message: string, fields?: Record<string, unknown>): void;
}

// ── models ──────────────────────────────────────────────────────────────────────────

/** See ModelEvent for the promise: once called, it never throws, and it ends with one `done` or `failed`. */
export interface ModelProvider {
  readonly id: string;
  chat(request: ModelRequest): AsyncIterable<ModelEvent>;
  /**
   * Texts as vectors; absent where the provider's API knows no such thing. It never throws
   * either, and tries again as `chat` does. An answer with too few vectors, or one of
   * another length than asked for, is a failure and never a shorter list.
   */
  embed?(request: EmbedRequest): Promise<Result<Embedded, Failure>>;
}

export interface ResolvedModel {
  readonly ref: ModelRef;
  readonly provider: ModelProvider;
  readonly maxOutputTokens: number;
  /** How much it takes at once, question and answer; undefined where nobody knows. */
  readonly contextTokens?: number;
  /** Asks its server for that, where the server decides; it answers within a short while, and undefined where nobody knows. */
  readonly askContextTokens?: () => Promise<number | undefined>;
  /** A scripted model that needs no key; every surface says so. */
  readonly demo: boolean;
  /** Where its key is from: the name of a variable, or of a file. Never the key. */
  readonly keyFrom?: string;
}

/**
 * Finds a model by reference, its credentials included. `asked` undefined means the configured
 * default. With `profile` that account pays or none does.
 */
export interface Models {
  resolve(asked: string | undefined, profile?: string): Promise<Result<ResolvedModel, Failure>>;
}

// ── tools ───────────────────────────────────────────────────────────────────────────

export interface ToolCall {
  readonly callId: string;
  readonly toolId: string;
  readonly input: unknown;
}

export interface ToolOutcome {
  /** `deferred`: the gateway is stopping; nothing is recorded, and the call resumes at the next start. */
  readonly status: "ok" | "error" | "deferred";
  /** The text the model receives. */
  readonly text: string;
  readonly images?: readonly { readonly mime: string; readonly blobId: string }[];
  /** How the call ended, where that is more precise than `status`. */
  readonly ended?: Exclude<CallEnd, "succeeded" | "failed" | "pending">;
}

/** What a call acts on, as far as its critical arguments name it. */
export interface CallSubject {
  /** The part of a tool's id before its first dot. */
  readonly area: string;
  readonly onlyReads: boolean;
  readonly names: readonly string[];
}

/** Which calls of a session are asked for; see `ToolHost.sessionActivity`. */
export interface SessionActivityQuery {
  readonly runId: string;
  readonly limit?: number;
  /** None unless one of them is an undo: most sessions have none, and then nothing more is read. */
  readonly ifUndone?: boolean;
}

/**
 * The only way to cause side effects, as the run loop sees it. Aborting resolves normally. `call` is
 * idempotent by `callId` and resumes after a restart.
 */
export interface ToolHost {
  /** Before a run does anything: takes in the tools that a start leaves asleep. Never rejects. */
  ready?(): Promise<void>;
  /**
   * The tools the agent may use in this run, for its tenant. The first call pins them for the whole run;
   * later calls add only tools that the run itself has loaded since.
   */
  specs(agent: Agent, runId: string, tenant: string): readonly ToolSpec[];
  call(call: ToolCall, context: ToolCallContext): Promise<ToolOutcome>;
  /** What a call would act on; undefined where its arguments name nothing. Calls on the same thing keep their order. */
  subjectOf?(call: Pick<ToolCall, "toolId" | "input">, runId: string): CallSubject | undefined;
  /** What the run's calls add up to so far, from receipts. */
  activity(tenant: string, runId: string): Promise<readonly ActivityItem[]>;
  /**
   * The same for the whole session up to and including a run: the newest calls, oldest first, as
   * many as SESSION_CALLS_MAX unless fewer are asked for. Calls recorded before numbers went
   * through the session are there only where they are of this run.
   */
  sessionActivity(
    tenant: string,
    sessionId: string,
    query: SessionActivityQuery,
  ): Promise<readonly SessionActivityItem[]>;
  /** Stores the secrets of an input in the vault and returns the input with handles in their place, safe to journal. */
  storeSecrets(tenant: string, callId: string, input: unknown): Promise<unknown>;
  /** Which of these a run with calls combined: untrusted input, private data, side effects. */
  ruleOfTwo?(tenant: string, run: Pick<Run, "id" | "sessionId">): Promise<RuleOfTwo | undefined>;
  /** Called once after a start. `open` are the calls that unfinished runs will resume; every other call that a crashed process left behind is ended. */
  closeOrphanedCalls(tenant: string, open: ReadonlySet<string>): Promise<void>;
  /** Ends the calls of a run that are still open, and returns how each call of the run ended. */
  closeRun(tenant: string, run: ClosedRun): Promise<ReadonlyMap<string, ToolOutcome>>;
}

/**
 * Puts on record what a run says of itself, beside its calls: that it began and ended, what
 * was recalled for it, and its reply. What is on record outlives the process, so that a run
 * that died in between ends as it would have.
 */
export interface RunRecorder {
  /** Records that a run started, resumed or finished. */
  noteRun(tenant: string, fact: RunFact): Promise<void>;
  /** The recent runs that have a start receipt but no end receipt. */
  openRuns(tenant: string): Promise<readonly string[]>;
  /** Records a reply: the verdict, and its drafts and final text in erasable bodies. Idempotent per run. */
  noteReply(tenant: string, fact: ReplyFact): Promise<void>;
  /** Records what was recalled from memory for a run, with the text in an erasable body. Without this method nothing is recalled. */
  noteRecall?(tenant: string, fact: RecallFact): Promise<void>;
  /** What `noteRecall` recorded, for a run that crashed before its first step. */
  recordedRecall?(tenant: string, runId: string): Promise<Recalled | undefined>;
  /** Records that a key or model gave up and another took over. Without this method it stays in the log alone. */
  noteHandover?(tenant: string, fact: HandoverFact): Promise<void>;
  /** The `ending` given to `noteReply`, for a run that crashed between its reply and its end. */
  recordedEnding(tenant: string, runId: string): Promise<unknown>;
  /** Size and root of the receipt log, shown under each reply so that the reply witnesses the log. */
  head?(tenant: string): { readonly size: number; readonly root: string } | undefined;
}

export interface ClosedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly surface: string;
  /** Who ended it: a person, or Elwood itself (a limit, a fault). */
  readonly by: Person | "gateway";
}

/** Who answered or stopped something, and from where. Built by the gateway from an authenticated connection, never from a message. */
export interface Person {
  readonly id: string;
  readonly surface: string;
}

export type RunFact = {
  readonly runId: string;
  readonly sessionId: string;
  readonly surface: string;
} & (
  | {
      readonly what: "started" | "resumed";
      readonly detail: Omit<ReceiptPayloads["run.started"], "sessionId">;
    }
  | {
      readonly what: "finished";
      readonly detail: Omit<ReceiptPayloads["run.finished"], "sessionId">;
    }
);

export interface ReplyFact {
  readonly runId: string;
  readonly surface: string;
  readonly payload: Omit<ReceiptPayloads["reply.grounded"], "draftCommit" | "replyCommit">;
  readonly drafts: readonly string[];
  /** All it takes to end the run with this reply and no other. */
  readonly ending: unknown;
}

/** What was found in memory for a run: the text for the model, and the source of each item. */
export interface Recalled {
  readonly text: string;
  readonly items: readonly RecalledItem[];
}

/** The run, and what its model is shown anyway. */
export interface RecallAbout {
  readonly runId: string;
  readonly sessionId: string;
  readonly agentId: string;
  /**
   * Whether this conversation was told of a place before. With `words`, as the model reads them: whether it was told just
   * that of any line of the file. A note may have been edited since.
   */
  readonly wasTold: (place: Pick<RecalledItem, "source" | "line">, words?: string) => boolean;
}

/**
 * Searches memory for what the owner's message is about. It returns only words of the owner and of the
 * agent itself, never what others wrote, and nothing for small talk. It is asked once per run, before
 * the model is.
 */
export interface Recall {
  before(
    tenant: string,
    about: RecallAbout,
    text: string,
    signal: AbortSignal,
  ): Promise<Recalled | undefined>;
  /** How long to wait for it now, if that differs from the usual limit. */
  patienceMs?(): number;
}

export interface HandoverFact {
  readonly runId: string;
  readonly surface: string;
  readonly handover: Handover;
}

export interface RecallFact extends Recalled {
  readonly runId: string;
  readonly surface: string;
}

export interface ToolCallContext {
  readonly tenant: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly surface: string;
  readonly signal: AbortSignal;
  progress(message: string): void;
  /** The call is recorded; the next one may be recorded after it. */
  entered(): void;
  /** The handler runs now. */
  started(): void;
  /** Whether the call waits for a person. Meanwhile the run occupies no slot and its timer is paused. */
  waiting(waiting: boolean): void;
  /** The job that the run belongs to, where nobody began it by hand. */
  readonly job?: RunJob;
  /** What whoever began the run is called, where that was not the owner. */
  readonly asker?: string;
  /** More fields for the call's first receipt, such as the program it belongs to. */
  readonly note?: CallNote;
  /** How many characters of a text the model can be shown as this call's result; undefined for all of it. */
  readonly shownChars?: (text: string) => number | undefined;
  /** For calls made by a program: reports them to listeners. */
  readonly child?: (callId: string, toolId: string) => ChildCallListener;
}

export interface ChildCallListener {
  progress(message: string): void;
  started(): void;
  finished(status: CallEnd): void;
}

// ── agents ──────────────────────────────────────────────────────────────────────────

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** provider/model; undefined means the configured default. */
  readonly model?: string;
  /** Tool ids or patterns this agent may use; undefined means all. */
  readonly tools?: readonly string[];
  /** How many of them it is offered; undefined means as many as its model can deal with. */
  readonly toolSet?: ToolSet;
  /** How long its prompt is; undefined means as its model needs it. */
  readonly prompt?: PromptSize;
  /** How it calls them; undefined means as configured. */
  readonly calls?: "native" | "programs" | "both";
  /** Sampling, where the session sets none. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly soul: string;
  readonly instructions: string;
  readonly toolNotes: string;
  /** How-tos that it can read when it needs them, by name. */
  readonly skills?: readonly SkillInfo[];
  /** Where it works. */
  readonly workingContext?: WorkingContext;
  /** Only in lists: why the agent cannot run as its files stand. */
  readonly problem?: string;
}

export interface SkillInfo {
  readonly name: string;
  /** When to use it, in a sentence or two. */
  readonly description: string;
}

/** Agents are folders of Markdown, read anew for every run. */
export interface Agents {
  list(): Promise<readonly Agent[]>;
  load(agentId: string): Promise<Agent | undefined>;
}

// ── stores ──────────────────────────────────────────────────────────────────────────

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** Hand it back as `before` for the next page; undefined at the end. */
  readonly next?: string;
}

export interface SearchHit {
  readonly session: Session;
  readonly runId: string;
  readonly ts: number;
  readonly role: "user" | "assistant";
  /** Text around the match. */
  readonly snippet: string;
}

/** Where a conversation takes place outside of Elwood: a chat of a channel, by the name that the channel has for it. */
export interface OutsideKey {
  readonly channel: string;
  readonly chat: string;
}

export interface SessionStore {
  /** With `firstMessage` it may reach the disk no sooner than the message that is stored in it next. */
  create(
    tenant: string,
    session: {
      id: string;
      agentId: string;
      title: string;
      at: number;
      surface?: string;
      firstMessage?: boolean;
    },
  ): Promise<Session>;
  /** Finds sessions in the trash too; look at `deletedAt`. */
  get(tenant: string, sessionId: string): Promise<Session | undefined>;
  /** Makes a session the one of an outside key, and no other any more. undefined where there is no such session. */
  bind(tenant: string, sessionId: string, key: OutsideKey): Promise<Session | undefined>;
  /** The session of an outside key; undefined where it has none, or where that lies in the trash. */
  findByKey(tenant: string, key: OutsideKey): Promise<Session | undefined>;
  /** The outside key that a session is bound to. */
  keyOf(tenant: string, sessionId: string): Promise<OutsideKey | undefined>;
  /**
   * Newest first, without the trash and the archive; with `deleted` or `archived` those alone, the last
   * deleted first, with `filed` those in folders alone. `query` matches titles, case ignored, archived ones too.
   */
  list(
    tenant: string,
    page: {
      query?: string;
      limit: number;
      before?: string;
      deleted?: boolean;
      archived?: boolean;
      filed?: boolean;
    },
  ): Promise<SessionPage>;
  /** Like a pin, a title is nothing that was said: it does not move the session in the list. */
  rename(
    tenant: string,
    sessionId: string,
    title: string,
    by: "message" | "owner",
  ): Promise<Session | undefined>;
  pin(tenant: string, sessionId: string, pinned: boolean): Promise<Session | undefined>;
  /** Out of the way since `at`, or back; a message that is accepted brings it back too. */
  archive(tenant: string, sessionId: string, at: number | undefined): Promise<Session | undefined>;
  /** Into a folder of that name, or out of any. */
  move(tenant: string, sessionId: string, folder: string | undefined): Promise<Session | undefined>;
  /** Changes settings of the session alone, at once with what others change of them. */
  configure(tenant: string, sessionId: string, change: SessionSettingsChange): Promise<Session | undefined>;
  trash(tenant: string, sessionId: string, at: number): Promise<Session | undefined>;
  restore(tenant: string, sessionId: string, at: number): Promise<Session | undefined>;
  /** Sessions trashed before `before`, oldest first. */
  trashed(tenant: string, before: number, limit: number): Promise<readonly Session[]>;
  /** Removes the session, its runs, their steps and its searchable text; usage totals stay. */
  purge(tenant: string, sessionId: string): Promise<void>;
  /** What people and the model said, case ignored, any script; newest first; without the trash, and without versions that are not shown. */
  search(tenant: string, query: string, limit: number): Promise<readonly SearchHit[]>;
}

export interface NewRun {
  readonly id: string;
  readonly sessionId: string;
  readonly surface: string;
  readonly modelAsked?: string;
  readonly idempotencyKey?: string;
  /** Hash over what was asked, to tell a repeated request from a reused key. */
  readonly requestHash: string;
  /** Why nothing new is accepted now. A repeated request finds its run all the same. */
  readonly refused?: Failure;
  readonly inbound: Message;
  readonly at: number;
  /** It is another version of this run, which is no longer shown, and neither is what continued it. */
  readonly versionOf?: string;
}

export type Accepted =
  | { readonly kind: "fresh"; readonly run: Run }
  | { readonly kind: "repeated"; readonly run: Run }
  | { readonly kind: "key-reused"; readonly run: Run };

export interface Journal {
  /** Complete messages of the run so far, the inbound one first. */
  readonly steps: readonly Message[];
  /** Text of the answer being written when it was last put on disk; void once a step follows. */
  readonly partial: string;
}

export interface RunEnd {
  readonly status: Extract<RunStatus, "done" | "failed" | "aborted">;
  readonly stopReason?: string;
  readonly failure?: Failure;
  readonly model?: string;
  readonly at: number;
  /** Size of the transcript file before this run is appended to it; recovery truncates to it. */
  readonly transcriptOffset: number;
}

/** What a run was given before it did anything itself. */
export interface Opening {
  readonly message: Message;
  /** The message with what was recalled from memory for it; it stands right behind the first. */
  readonly recalled?: Message;
  /** `new`: something may still be recalled for it. `ended`: it takes no more steps. */
  readonly state: "new" | "begun" | "ended";
}

export interface Inbound {
  readonly message: Message;
  readonly hasEnded: boolean;
}

/** Where a run stands in its conversation: its place is greater than those of the runs before it. */
export interface RunPlace {
  readonly id: string;
  readonly place: number;
}

/**
 * Which runs a conversation consists of, as two values to compare: the place of the session's newest run, and which
 * of its runs are in versions that are not shown. With both the same, so are the runs and their places; with `hidden`
 * the same, there are at most more of them behind the others.
 */
export interface ShownState {
  readonly last: number;
  readonly hidden: string;
}

export interface RunPage {
  readonly runs: readonly Run[];
  readonly next?: string;
}

/**
 * Runs and the journal of their steps. When a promise resolves, what it wrote survives
 * a pulled plug.
 *
 * R1 A run is accepted with its inbound message in one transaction: both or neither.
 * R2 At most one run of a session is `running` or `waiting`; the store itself refuses a second.
 * R3 Steps are only added, never changed; step order is message order.
 * R4 A run that ended never changes again, but for `committed`.
 *
 * Writing to a run that is not there fails with NOT_FOUND, one that R4 or the run's status
 * forbids with CONFLICT. Steps stay when a run is committed, and go when its session is purged.
 */
export interface RunStore {
  /**
   * NOT_FOUND where there is no such session, or no such run for a version; CONFLICT where it lies in the
   * trash, or for a version while a run of the session has not ended.
   */
  accept(tenant: string, run: NewRun): Promise<Accepted>;
  /** queued → running (or running again, after a crash), attempt + 1. undefined where R2 or R4 forbids it, and where it waits. */
  claim(tenant: string, runId: string, at: number): Promise<Run | undefined>;
  get(tenant: string, runId: string): Promise<Run | undefined>;
  /** Newest first. */
  list(
    tenant: string,
    page: {
      sessionId?: string;
      status?: RunStatus;
      surface?: string;
      /** Only those that failed, or of which a call on record did not succeed or ended with another code than 0. */
      failures?: boolean;
      limit: number;
      before?: string;
    },
  ): Promise<RunPage>;
  /** Newest first; the ids alone cost a fraction of the runs. Those that the session was copied with come after its own; versions that are not shown are left out. */
  idsOfSession(tenant: string, sessionId: string, limit: number): Promise<readonly string[]>;
  /** The runs of `idsOfSession`, oldest first. */
  shownRuns(
    tenant: string,
    sessionId: string,
    limit: number,
  ): Promise<ShownState & { readonly runs: readonly RunPlace[] }>;
  /** One look at a run of any conversation, however long: undefined where it is not among its runs, or not shown. */
  placeOf(
    tenant: string,
    sessionId: string,
    runId: string,
  ): Promise<(ShownState & { readonly place: number }) | undefined>;
  /** How these runs began, by run; of one that is gone, as a copy of its session keeps that. Costs a fraction of their journals. */
  openings(tenant: string, runIds: readonly string[]): Promise<ReadonlyMap<string, Opening>>;
  /** Only the messages that these runs began with, and which runs take no more steps: half the cost of `openings`. */
  inbounds(tenant: string, runIds: readonly string[]): Promise<ReadonlyMap<string, Inbound>>;
  /** Queued, running and waiting runs of one session, or of all, oldest first. */
  unfinished(tenant: string, sessionId?: string): Promise<readonly Run[]>;
  /** Of a run that is gone, how it began, where a copy of its session keeps that. */
  journal(tenant: string, runId: string): Promise<Journal>;
  /** running ↔ waiting. Does nothing to a run that has ended. */
  setWaiting(tenant: string, runId: string, waiting: boolean): Promise<void>;
  addStep(tenant: string, runId: string, message: Message, lap?: LapUsage): Promise<void>;
  setPartial(tenant: string, runId: string, text: string): Promise<void>;
  /** Adds the last messages and ends the run, in one transaction. */
  end(tenant: string, runId: string, last: readonly Message[], end: RunEnd, lap?: LapUsage): Promise<Run>;
  /** Ended runs whose messages are not yet in the transcript file, oldest first, with the offset noted at their end. */
  uncommitted(tenant: string, sessionId?: string): Promise<readonly { run: Run; offset: number }[]>;
  /** Notes anew where the transcript ended, before an append is tried again. */
  noteOffset(tenant: string, runId: string, offset: number): Promise<void>;
  /**
   * The messages stand in the file: marks the run, updates the session's row and its searchable
   * text, in one transaction. Committing again does nothing.
   */
  commit(tenant: string, runId: string, messages: readonly Message[], at: number): Promise<void>;
  /** Counts a request that was made for a run after its end. */
  noteUsage(tenant: string, runId: string, lap: LapUsage): Promise<void>;
  /** The runs of a session in the order in which they were accepted, with what each continues; empty where it has no versions. */
  tree(tenant: string, sessionId: string): Promise<readonly TreeRun[]>;
  /** Runs of versions that are not shown; empty for most sessions, and asked before every answer. */
  hidden(tenant: string, sessionId: string): Promise<ReadonlySet<string>>;
  /** Of those, the ones with calls that changed something, or may have. */
  hiddenEffects(tenant: string, sessionId: string): Promise<readonly string[]>;
  /**
   * Shows a version, with what it continues and what continued it last. False where the session has no
   * such version; CONFLICT while a run of it has not ended.
   */
  showVersion(tenant: string, sessionId: string, runId: string): Promise<boolean>;
  /** Estimated cost since a moment; `unpriced` counts model calls whose price is not known. */
  spentSince(tenant: string, since: number): Promise<{ costUsd: number; tokens: number; unpriced: number }>;
}

/** A line or tail of a transcript file that could not be read. The bytes are left where they are. */
export interface Damage {
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  readonly what: "torn" | "not-json" | "not-a-message";
}

/**
 * `sessions/<tenant>/<id>.jsonl`. `append` is one write and one fsync; a process that
 * dies inside it leaves a tail which the offset noted beforehand lets recovery cut off.
 * `load` survives anything: what it cannot read it reports and skips.
 */
export interface TranscriptStore {
  load(
    tenant: string,
    sessionId: string,
  ): Promise<{ lines: readonly TranscriptLine[]; damage: readonly Damage[] }>;
  /** Answers how long the file is then. */
  append(tenant: string, sessionId: string, lines: readonly TranscriptLine[]): Promise<number>;
  /** Replaces the file: temporary file, fsync, rename, fsync of the folder. */
  save(tenant: string, sessionId: string, lines: readonly TranscriptLine[]): Promise<void>;
  size(tenant: string, sessionId: string): Promise<number>;
  /** Never makes the file longer. */
  truncate(tenant: string, sessionId: string, size: number): Promise<void>;
  remove(tenant: string, sessionId: string): Promise<void>;
}

export interface BlobInfo {
  readonly blobId: string;
  readonly mime: string;
  readonly bytes: number;
}

/**
 * Bytes by content: `blobs/<sha256>`. The same bytes are kept once; under another type they
 * are another blob. Bytes that are lost or changed on disk are a STORAGE failure, not undefined.
 */
export interface BlobStore {
  put(tenant: string, bytes: Uint8Array, mime: string, at: number): Promise<BlobInfo>;
  info(tenant: string, blobId: string): Promise<BlobInfo | undefined>;
  read(tenant: string, blobId: string): Promise<Uint8Array | undefined>;
}

export const SCOPES = ["chat", "approve", "admin", "execute"] as const;
export type Scope = (typeof SCOPES)[number];

/** The owner's own token has no row. */
export const OWNER_TOKEN_ID = "owner";

/**
 * Who is at the other end of a connection, and what they may do. Built from a token by the
 * gateway, never from what a message contains.
 */
export interface Principal {
  readonly tenant: string;
  /** `OWNER_TOKEN_ID`, or the id of the token's row. */
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** When the token expires; whoever connected with it is disconnected then. Absent: never. */
  readonly expiresAt?: number;
}

export interface TokenInfo {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly lastUsedAt?: number;
  readonly expiresAt?: number;
  /** Of a browser that stays logged in: what it signs is proved by this key, and gets it a token for a while. */
  readonly publicKey?: string;
  /** The tenant whose data it opens, where that is not the one that keeps the token. */
  readonly actsFor?: string;
}

/** Tokens by their hash; the token itself is never stored. */
export interface TokenStore {
  add(tenant: string, token: TokenInfo & { hash: string }): Promise<void>;
  findByHash(tenant: string, hash: string): Promise<TokenInfo | undefined>;
  list(tenant: string): Promise<readonly TokenInfo[]>;
  touch(tenant: string, id: string, at: number): Promise<void>;
  revoke(tenant: string, id: string): Promise<boolean>;
}

export interface Stores {
  readonly sessions: SessionStore;
  readonly runs: RunStore;
  readonly transcripts: TranscriptStore;
  readonly blobs: BlobStore;
  readonly tokens: TokenStore;
}
