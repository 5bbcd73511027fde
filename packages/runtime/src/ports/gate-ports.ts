import type { Approval, ApprovalDecision, ApprovalStatus, Grant } from "@elwood/core/policy/approval";
import type { CallEffect, CallNames, TextChange } from "@elwood/core/authority/authority";
import type { Foreseen, TextsLeft } from "@elwood/core/tool/plan";
import type { GrantKey } from "@elwood/core/policy/grant";
import type { CallFact } from "@elwood/core/policy/policy";
import type { JobBinding } from "@elwood/core/schedule/job-binding";
import type { Decider, NewReceipt, ReceiptType, StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Result } from "@elwood/core/base/result";
import type { Preview, Risk, ToolContract, ToolKind, ToolResult } from "@elwood/core/tool/tool";
import type { ToolClaims, ToolLabel } from "@elwood/core/tool/tool-label";
import type { ToolSpec } from "@elwood/core/model/model";

/** The recorded states of a call. Only calls that were `started` may have had an effect. */
export const CALL_STATES = [
  "requested",
  "asked",
  "approved",
  "started",
  "succeeded",
  "failed",
  "refused",
  "denied",
  "expired",
  "unknown",
] as const;
export type CallState = (typeof CALL_STATES)[number];

/** The final result for the model; stored, so that it is the same after a restart. */
export interface CallOutcome {
  readonly status: "ok" | "error";
  readonly text: string;
  readonly images?: readonly { readonly mime: string; readonly blobId: string }[];
  /** What else it handed over; for people, not for the model. */
  readonly files?: readonly { readonly mime: string; readonly blobId: string; readonly name?: string }[];
  /** The typed output, redacted; absent where there is none. */
  readonly value?: unknown;
  readonly code?: string;
  /** The code with which its program ended, where that was not 0. */
  readonly exitCode?: number;
}

export interface CallRow {
  readonly callId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly toolId: string;
  readonly contractHash: string;
  readonly risk: Risk;
  /** As the model asked for it; secrets as vault handles. */
  readonly requestedInput: unknown;
  /** As it ran or will run: differs only where the owner edited it. */
  readonly executedInput: unknown;
  readonly idempotencyKey: string;
  readonly state: CallState;
  readonly approvalId?: string;
  readonly outcome?: CallOutcome;
  /** Who or what the call was about, in words, from its critical arguments. */
  readonly target?: string;
  readonly count?: number;
  /** The call whose effect this one took back. */
  readonly undoes?: string;
  /** The standing permission that let it go unasked. */
  readonly grantId?: string;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** Content behind a commitment; may be erased without breaking the chain. */
export interface Body {
  readonly commit: string;
  readonly salt: string;
  readonly value: unknown;
}

export type LedgerChange =
  | { readonly kind: "call.new"; readonly call: CallRow }
  /** Refused unless the call is in one of `from`. */
  | {
      readonly kind: "call.move";
      readonly callId: string;
      readonly from: readonly CallState[];
      readonly to: CallState;
      readonly at: number;
      readonly executedInput?: unknown;
      /** What the call is about, where the owner edited its input. */
      readonly target?: string;
      readonly approvalId?: string;
      readonly outcome?: CallOutcome;
      readonly count?: number;
    }
  | { readonly kind: "approval.new"; readonly approval: Approval }
  /** Refused unless the approval is pending: the first answer wins. */
  | {
      readonly kind: "approval.decide";
      readonly approvalId: string;
      readonly status: Exclude<ApprovalStatus, "pending">;
      readonly decidedBy: Decider;
      readonly at: number;
      readonly decision?: ApprovalDecision;
      readonly note?: string;
      readonly editedInput?: unknown;
      readonly grantId?: string;
    }
  | { readonly kind: "grant.new"; readonly grant: Grant }
  /** Refused where the grant is revoked, expired at `at`, or used up, altogether or in this run. Comes after the call that uses it. */
  | { readonly kind: "grant.use"; readonly grantId: string; readonly runId: string; readonly at: number }
  /** Refused where it is revoked already. */
  | { readonly kind: "grant.revoke"; readonly grantId: string; readonly at: number }
  | { readonly kind: "body.put"; readonly body: Body }
  /** The owner knows this contract from now on. */
  | {
      readonly kind: "contract.know";
      readonly toolId: string;
      readonly contractHash: string;
      readonly at: number;
    }
  /** The owner takes that back, and the tool is new to them again. Refused where they did not know it. */
  | { readonly kind: "contract.forget"; readonly toolId: string };

export interface ReceiptQuery {
  readonly runId?: string;
  readonly callId?: string;
  readonly toolId?: string;
  readonly types?: readonly ReceiptType[];
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  /** seq; receipts before it. */
  readonly before?: number;
}

/** A call by its place in the session. */
export interface NumberedCall {
  readonly number: number;
  readonly callId: string;
  readonly runId: string;
  readonly target?: string;
  /** The call that it takes back. */
  readonly undoes?: string;
}

export interface SessionCallsQuery {
  /** No call after the last one that this run made; where it made none, all calls so far. */
  readonly through: string;
  readonly limit: number;
}

export interface ApprovalQuery {
  readonly status?: ApprovalStatus;
  readonly sessionId?: string;
  readonly toolId?: string;
  /** Of a plan, the risk of its worst call. */
  readonly risk?: Risk;
  /** Where the owner decided it. */
  readonly surface?: string;
  /** Those older than this one; without meaning for pending ones. */
  readonly before?: string;
  readonly limit: number;
}

/**
 * The ledger: receipts, and the rows they describe.
 *
 * G1 A unit is written whole or not at all, and is durable when the promise resolves. One that may wait for the disk
 *    outlives the process by then, and a power cut once anything after it is durable; so does one of which its
 *    writer was told before that it is `applied`.
 * G2 A change that its guard refuses voids the whole unit; nothing of it is written.
 * G3 Receipts are only ever appended; the store itself refuses to change or delete one.
 * G4 Receipts get their seq, id, time, previous hash and hash here, in one chain per tenant.
 * G5 A new call gets its number here, the next one of its session, and its first receipt, in the
 *    same unit, says it. No number is given twice as long as the session is there.
 * G6 No text stands in a receipt: a reason, note or description of a grant is kept as a body, and
 *    the receipt commits to it.
 */
export interface Ledger {
  write(
    tenant: string,
    unit: {
      readonly receipts: readonly NewReceipt[];
      readonly changes: readonly LedgerChange[];
      /** For what is made good after a power cut, and shown to nobody before something durable follows. G1 */
      readonly mayWaitForDisk?: boolean;
      /**
       * A ledger may call this once the unit is safe from the death of the process, and before it is durable. It is
       * for whoever goes on to another durable write and tells and does nothing before: both then share a sync. G1
       */
      readonly applied?: () => void;
    },
  ): Promise<Result<readonly StoredReceipt[], { readonly refused: LedgerChange["kind"] }>>;

  call(tenant: string, callId: string): Promise<CallRow | undefined>;
  /**
   * True where it is known without a look that no call has this id. Another process may have written it since: then
   * a new call of this id is refused like any that is there already.
   */
  isUnheardOf?(tenant: string, callId: string): boolean;
  callsOfRun(tenant: string, runId: string): Promise<readonly CallRow[]>;
  /** Those of these runs that made any calls. */
  runsWithCalls(tenant: string, runIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest calls of a session that a query admits, oldest first. */
  callsOfSession(
    tenant: string,
    sessionId: string,
    query: SessionCallsQuery,
  ): Promise<readonly NumberedCall[]>;
  /** Whether any call of a session, shown or not, takes back another. */
  hasUndos(tenant: string, sessionId: string): Promise<boolean>;
  /** Undo calls that were started and have not ended; after a crash their outcome is unknown. */
  startedUndos(tenant: string): Promise<readonly CallRow[]>;

  approval(tenant: string, approvalId: string): Promise<Approval | undefined>;
  /** Newest first; pending ones oldest first. */
  approvals(tenant: string, query: ApprovalQuery): Promise<readonly Approval[]>;
  /** Pending approvals whose time is over at `at`. */
  overdue(tenant: string, at: number): Promise<readonly Approval[]>;
  /** When the next pending approval expires. */
  nextExpiry(tenant: string): Promise<number | undefined>;

  grant(tenant: string, grantId: string): Promise<Grant | undefined>;
  /** Newest first; `live` leaves out revoked, expired and used-up ones. */
  grants(tenant: string, query: { live?: boolean; at: number }): Promise<readonly Grant[]>;

  knownContract(tenant: string, toolId: string): Promise<string | undefined>;

  receipts(tenant: string, query: ReceiptQuery): Promise<readonly StoredReceipt[]>;
  receipt(tenant: string, receiptId: string): Promise<StoredReceipt | undefined>;
  /** All receipts of some calls, oldest first. */
  receiptsOfCalls(tenant: string, callIds: readonly string[]): Promise<readonly StoredReceipt[]>;
  /** The salts under which some commitments were made, as far as the content behind them is still there. */
  salts(tenant: string, commits: readonly string[]): Promise<ReadonlyMap<string, string>>;
  body(tenant: string, commit: string): Promise<Body | undefined>;
  /** Erases the content behind a commitment; the receipts stay as they are. */
  eraseBody(tenant: string, commit: string): Promise<boolean>;
}

/** Secrets of pending calls: their only storage, until the call ends. */
export interface Vault {
  /** Stores the secrets of an input and returns the input with handles in their place. */
  storeSecrets(tenant: string, callId: string, input: unknown): Promise<unknown>;
  /** Puts the secrets back, just before the call runs. Throws where one is missing. */
  open(tenant: string, callId: string, sealed: unknown): Promise<unknown>;
  drop(tenant: string, callId: string): Promise<void>;
  /** The calls that have stored secrets. */
  held(tenant: string): Promise<readonly string[]>;
}

/** What a handler may use. */
export interface HandlerContext {
  /** Whose call it is; for tools that read what Elwood itself stores. */
  readonly tenant?: string;
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  progress(message: string): void;
  /** The owner's workspace, whose files the session works on. */
  readonly sessionId: string;
  readonly runId?: string;
  /** Nobody was asked because the call can be undone, so what that needs must be kept. */
  readonly undoPromised?: boolean;
  /** How many characters of a text the model can be shown as its result; undefined for all of it. */
  readonly shownChars?: ((text: string) => number | undefined) | undefined;
  /**
   * Asks the owner in the middle of the call: a stored question, which ends with the call. The call's time stands
   * still meanwhile. Undefined where nobody answered.
   */
  readonly ask?: ((question: string, options: readonly string[]) => Promise<string | undefined>) | undefined;
  /** The owner is asked something that the call waits for: its time stands still until then. */
  readonly pausing?: ((answer: Promise<unknown>) => Promise<unknown>) | undefined;
}

/** How a handler ended. Only its own answer says that it succeeded or failed. */
export type Ending =
  | {
      readonly kind: "succeeded";
      readonly result: ToolResult;
      /** Pictures that lie in the blob store already: of the calls that a program made. */
      readonly images?: readonly { readonly mime: string; readonly blobId: string }[];
    }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      /** Words of somebody else, for the model to read as such. */
      readonly quoted?: string;
    }
  /** No answer of its own: time was over, it was stopped, or it broke. */
  | {
      readonly kind: "no-answer";
      readonly why: "timeout" | "stopped" | "broke";
      readonly detail: string;
      /** It was the second try. */
      readonly again?: boolean;
    };

/** Whose call is being looked at; without a session somebody only asks what would happen. */
export interface CallAbout {
  readonly session?: string;
  /** The owner has allowed the call: only then may it be looked at outside of this machine. */
  readonly approved?: boolean;
}

/** Which call a verdict is about: what the owner asked for once is used up by the calls before it. */
export interface CallBeingDecided {
  readonly runId?: string;
  readonly callId?: string;
  /** The owner has approved this call, so only a denial matters. */
  readonly approved?: boolean;
  /** The job whose run makes it. */
  readonly job?: JobBinding;
  /** Calls that a rehearsal has listed before this one, and that would be made before it. */
  readonly planned?: readonly { readonly toolId: string; readonly input: unknown }[];
}

/** Where a tool comes from. Elwood's own are known to the owner from the start; others only once the owner says so. */
export const TOOL_SOURCES = ["built-in", "workspace", "mcp", "client"] as const;
export type ToolSource = (typeof TOOL_SOURCES)[number];

/** A handler's own word that the call did not take effect. */
export interface HandlerFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** Words of somebody else that belong to it; the model gets them framed. */
  readonly quoted?: string;
}

/**
 * A tool that can be run: its contract, and what the contract promises.
 *
 * `handle` and `undo` answer where the handler itself answered, be it with success or
 * failure. Where it broke (threw something that is not its answer) they reject: whether
 * the call took effect is then as unknown as after a crash.
 */
export interface RegisteredTool {
  readonly contract: ToolContract;
  /** Given by the registry, never by a tool's author. */
  readonly kind: ToolKind;
  /** Absent counts as from elsewhere. */
  readonly source?: ToolSource;
  /** Over the contract without a label: what the owner calls a tool does not make it another. */
  readonly contractHash: string;
  /** What the tool's server says of it, where the owner may label it. */
  readonly claims?: ToolClaims;
  /** What the owner says it does; the contract is then as that label makes it. */
  readonly label?: ToolLabel;
  /** Answers the input as the handler takes it, or the sentences that go back to the model. */
  parseInput(input: unknown): Result<unknown, string>;
  parseOutput(value: unknown): Result<unknown, string>;
  /** Facts about this very call: hard denies, always-ask reasons. Reads only. */
  facts(input: unknown, about: CallAbout): Promise<readonly CallFact[]>;
  /** By what other names the owner may mean the values of a call. Reads only. */
  names?(input: unknown): Promise<CallNames>;
  /** The one spelling of the values of a call, by which two calls are about the same. Reads only. */
  spelling?(input: unknown): Promise<CallEffect["spelling"]>;
  /** The text that a call puts another in place of, if it does. Reads only. */
  replaces?(input: unknown): Promise<TextChange | undefined>;
  /** What a call would answer, as far as that is known before it is made, and what it would leave behind. Reads only. */
  foresees?(input: unknown, left: TextsLeft): Promise<Foreseen | undefined>;
  /** What a grant over this call is bound to, where the tool says so itself; none: it can only be allowed once. */
  grantKeys?(input: unknown): Promise<readonly GrantKey[]>;
  /** Who or what the call is about, in words. It never fails; a tool that cannot say it says nothing. */
  target(input: unknown): string | undefined | Promise<string | undefined>;
  preview?(input: unknown, signal: AbortSignal, about: CallAbout): Promise<Preview>;
  handle(input: unknown, context: HandlerContext): Promise<Result<ToolResult, HandlerFailure>>;
  /** Takes the effect back. Secrets of the input are gone by then; handles stand in their place. */
  undo?(
    input: unknown,
    output: unknown,
    context: HandlerContext,
  ): Promise<Result<ToolResult, HandlerFailure>>;
  /** After a crash: did the call with this key take effect? */
  reconcile?(input: unknown, idempotencyKey: string): Promise<"happened" | "did-not-happen" | "unknown">;
}

/** An immutable snapshot of the registered tools. A reload makes a new one; a run keeps the one it began with. */
export interface ToolSnapshot {
  get(toolId: string): RegisteredTool | undefined;
  list(): readonly RegisteredTool[];
}

export interface OfferedTools {
  readonly toolSnapshot: ToolSnapshot;
  readonly specs: readonly ToolSpec[];
}
