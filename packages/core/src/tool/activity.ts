import { plainGlyphs } from "../base/glyphs.ts";
import { isReceipt } from "../receipts/read-receipt.ts";
import {
  hadChanged,
  refusingRule,
  type Decider,
  type Receipt,
  type ReceiptType,
  type StoredReceipt,
} from "../receipts/receipt.ts";
import { BLOCKED_WORD, callWord, CHANGED_WORD } from "../base/state-words.ts";
import { STATUS_WORDS, type CallStatus, type Risk } from "./tool.ts";

/** What receipts of a run add up to for one call. The same object goes to the model and to every surface. */
export interface ActivityItem {
  /** `c1`, `c2` …: calls of the session in the order in which they were asked for; what the model cites. Never given twice in a session. */
  readonly cite: string;
  readonly callId: string;
  readonly toolId: string;
  readonly status: CallStatus;
  readonly approval?: {
    readonly required: boolean;
    readonly decision?: "approved" | "denied" | "expired";
    readonly by?: Decider;
    readonly when?: number;
    /** The owner wrote a note with the denial. */
    readonly noted?: true;
  };
  /** The rule that denied it; the owner was not asked. */
  readonly blockedBy?: string;
  readonly when: number;
  /** The receipt that says so. */
  readonly receiptRef: string;
  readonly target?: string;
  /** Origins that its tool reaches, where it began. */
  readonly hosts?: readonly string[];
  readonly count?: number;
  /** The code with which its program ended, where that was not 0. */
  readonly exitCode?: number;
  readonly risk: Risk;
  /** Its effect was taken back. */
  readonly undone?: boolean;
  /** This call took the effect of that one back. */
  readonly undoes?: string;
  /** The program that made the call. */
  readonly parent?: string;
  /** A read that was made to see what its program would do, before the program ran; or a call that a rehearsal of a job listed, and did not make. */
  readonly rehearsal?: true;
  /** It did not come to its end because the owner stopped the run. */
  readonly stopped?: true;
  readonly summary: string;
}

/** One among the calls of a whole session. */
export interface SessionActivityItem extends ActivityItem {
  readonly runId: string;
}

const ENDINGS: ReadonlyMap<string, CallStatus> = new Map<ReceiptType, CallStatus>([
  ["tool.call.succeeded", "succeeded"],
  ["tool.call.failed", "failed"],
  ["tool.call.refused", "failed"],
  ["tool.call.denied", "denied"],
  ["tool.call.expired", "expired"],
  ["tool.call.unknown", "unknown"],
]);

/**
 * Derived from receipts, by their numbers, in whatever order they are handed over. Calls whose
 * input was refused never happened, and are left out; one that could not be made as things stood
 * (a file that is not there) was tried, and failed. What calls were about is handed in by
 * their ids: receipts only commit to it, so that it can be forgotten.
 *
 * The number of a call stands in its first receipt. Calls recorded before numbers went through
 * the session have none there: they are counted within what is handed over, as they were when
 * the reply of their run cited them.
 */
export function activityOf(
  receipts: readonly StoredReceipt[],
  targets: ReadonlyMap<string, string> = NO_TARGETS,
): ActivityItem[] {
  return recordedCalls(receipts, targets).map(({ item }) => item);
}

/**
 * The calls of several runs of one session, oldest first. Calls without a number of their own
 * are told for the run `own` alone: what they were counted as in their runs is not unique in the
 * session, and one could be taken for another.
 */
export function sessionActivityOf(
  receipts: readonly StoredReceipt[],
  targets: ReadonlyMap<string, string>,
  own: string,
): SessionActivityItem[] {
  const ofOwn = receipts.filter(({ runId }) => runId === own);
  const others = receipts.filter(({ runId }) => runId !== own);
  return [
    ...recordedCalls(others, targets).filter(({ numbered }) => numbered),
    ...recordedCalls(ofOwn, targets),
  ]
    .sort((a, b) => a.requested.seq - b.requested.seq)
    .map(({ item, requested }) => ({ ...item, runId: requested.runId }));
}

interface RecordedCall {
  readonly item: ActivityItem;
  readonly requested: StoredReceipt;
  /** Whether it has a number in its session. */
  readonly numbered: boolean;
}

function recordedCalls(
  receipts: readonly StoredReceipt[],
  targets: ReadonlyMap<string, string>,
): readonly RecordedCall[] {
  const byCall = new Map<string, [StoredReceipt, ...StoredReceipt[]]>();
  for (const receipt of [...receipts].sort((a, b) => a.seq - b.seq)) {
    if (receipt.callId === undefined || !receipt.type.startsWith("tool.call.")) continue;
    const known = byCall.get(receipt.callId);
    if (known) known.push(receipt);
    else byCall.set(receipt.callId, [receipt]);
  }
  const calls: RecordedCall[] = [];
  let counted = 0;
  for (const [callId, facts] of byCall) {
    const requested = facts.find((f) => f.type === "tool.call.requested");
    if (!requested) continue;
    const about = requestOf(requested);
    const numbered = about.number !== undefined;
    if (!numbered) counted += 1;
    if (facts.some((f) => f.type === "tool.call.refused" && !isAtPreview(f))) continue;
    const cite = `c${about.number ?? counted}`;
    calls.push({ item: itemOf(cite, callId, about, facts, targets.get(callId)), requested, numbered });
  }
  return calls;
}

function isAtPreview(fact: StoredReceipt): boolean {
  return isReceipt(fact, "tool.call.refused") && fact.payload.atPreview === true;
}

const NO_TARGETS: ReadonlyMap<string, string> = new Map();
const NO_FACTS: Receipt<"tool.call.succeeded">["payload"] = { toolId: "" };

type Requested = Pick<
  Receipt<"tool.call.requested">["payload"],
  "toolId" | "risk" | "number" | "target" | "undoes" | "parent" | "rehearsal"
>;

/** A call is told even where its first receipt has a shape that is not known; then the worst is assumed of it. */
function requestOf(requested: StoredReceipt): Requested {
  if (isReceipt(requested, "tool.call.requested")) return requested.payload;
  const { number } = requested.payload;
  return { toolId: "unknown", risk: "destructive", ...(typeof number === "number" ? { number } : {}) };
}

function wasStopped(fact: StoredReceipt): boolean {
  const stops =
    isReceipt(fact, "tool.call.denied") ||
    isReceipt(fact, "tool.call.failed") ||
    isReceipt(fact, "tool.call.unknown");
  return stops && fact.payload.stopped === true;
}

function itemOf(
  cite: string,
  callId: string,
  requested: Requested,
  facts: readonly [StoredReceipt, ...StoredReceipt[]],
  about: string | undefined,
): ActivityItem {
  const last = facts.findLast((f) => f.type !== "tool.call.undone") ?? facts[0];
  const status = statusOf(facts);
  const {
    toolId,
    risk,
    // Older receipts say it themselves.
    target: named = about,
    undoes,
    parent,
    rehearsal,
  } = requested;
  // A model or a tool chose it, and it stands beside the gateway's own marks.
  const target = named === undefined ? undefined : plainGlyphs(named);
  const { count, exitCode, outputInvalid } = isReceipt(last, "tool.call.succeeded") ? last.payload : NO_FACTS;
  const code = exitCode === 0 ? undefined : exitCode;
  const hosts = facts.find((fact) => isReceipt(fact, "tool.call.started"))?.payload.hosts;
  const approval = approvalOf(facts);
  const blockedBy = status === "denied" ? ruleThatDenied(facts) : undefined;
  const undone = facts.some((f) => f.type === "tool.call.undone");
  const ended = status === "denied" ? deniedWord(facts, blockedBy) : callWord(status, code).word;
  const words = `${undoes === undefined ? "" : "undo of "}${toolId}${target === undefined ? "" : ` → ${target}`}`;
  return {
    cite,
    callId,
    toolId,
    status,
    ...(approval ? { approval } : {}),
    ...(blockedBy === undefined ? {} : { blockedBy }),
    when: last.ts,
    receiptRef: last.id,
    ...(target === undefined ? {} : { target }),
    ...(hosts === undefined ? {} : { hosts }),
    ...(count === undefined ? {} : { count }),
    ...(code === undefined ? {} : { exitCode: code }),
    risk: toolId.startsWith("program.") ? riskOfProgram(risk, facts) : risk,
    ...(undone ? { undone } : {}),
    ...(undoes === undefined ? {} : { undoes }),
    ...(parent === undefined ? {} : { parent }),
    ...(rehearsal === "true" ? { rehearsal: true } : {}),
    ...(status !== "succeeded" && facts.some(wasStopped) ? { stopped: true } : {}),
    summary: `${words}: ${ended}${outputInvalid ? UNFIT : ""}${undone ? ", undone since" : ""}`,
  };
}

/** What a program did once it ran is told by its calls. One that was kept from running might have changed something. */
function riskOfProgram(risk: Risk, facts: readonly StoredReceipt[]): Risk {
  if (facts.some((f) => f.type === "tool.call.started")) return "read";
  return risk === "read" ? "write" : risk;
}

const UNFIT = ", with an answer that does not fit its schema";

function statusOf(facts: readonly StoredReceipt[]): CallStatus {
  const settled = facts.findLast((f) => f.type === "tool.call.settled");
  if (settled) {
    const outcome = isReceipt(settled, "tool.call.settled") ? settled.payload.outcome : undefined;
    if (outcome === "happened") return "succeeded";
    if (outcome === "did-not-happen") return "failed";
  }
  return facts.map((f) => ENDINGS.get(f.type)).findLast((ended) => ended !== undefined) ?? "pending";
}

/** It was allowed, and was no longer what had been shown when it was to be made. */
export function isChanged({ status, approval }: Pick<ActivityItem, "status" | "approval">): boolean {
  return status === "denied" && hadChanged(approval?.by);
}

function deniedWord(facts: readonly StoredReceipt[], blockedBy: string | undefined): string {
  if (blockedBy !== undefined) return BLOCKED_WORD.word;
  return hadChanged(approvalOf(facts)?.by) ? CHANGED_WORD.word : STATUS_WORDS.denied;
}

function ruleThatDenied(facts: readonly StoredReceipt[]): string | undefined {
  const denied = facts.findLast((f) => isReceipt(f, "tool.call.denied"));
  return refusingRule(denied?.payload.decidedBy);
}

const DECISIONS: ReadonlyMap<string, "approved" | "denied" | "expired"> = new Map([
  ["tool.call.approved", "approved"],
  ["tool.call.denied", "denied"],
  ["tool.call.expired", "expired"],
]);

function approvalOf(facts: readonly StoredReceipt[]): ActivityItem["approval"] {
  // A call of a plan was allowed with it, and never asked for itself.
  if (!facts.some((f) => f.type === "tool.call.asked" || f.type === "tool.call.approved")) return undefined;
  const decided = facts.findLast((f) => DECISIONS.has(f.type));
  const decision = decided && DECISIONS.get(decided.type);
  if (!decision) return { required: true };
  const when = decided.ts;
  if (isReceipt(decided, "tool.call.denied")) {
    const { decidedBy: by, note, noteCommit, stopped } = decided.payload;
    // Where the run was stopped, the note is Elwood's own.
    const written = noteCommit !== undefined || (note !== undefined && note !== "");
    const noted = by.kind === "owner" && !stopped && written;
    return { required: true, decision, by, when, ...(noted ? { noted } : {}) };
  }
  const by =
    isReceipt(decided, "tool.call.approved") || isReceipt(decided, "tool.call.expired")
      ? decided.payload.decidedBy
      : undefined;
  return { required: true, decision, ...(by ? { by } : {}), when };
}

const ORDER: Record<CallStatus, number> = {
  failed: 0,
  denied: 1,
  expired: 2,
  unknown: 3,
  pending: 4,
  succeeded: 5,
};

/** What did not succeed first, then programs that ended with another code than 0, then changes, then reads. */
export function sortedActivity(items: readonly ActivityItem[]): ActivityItem[] {
  const rank = ({ status, exitCode, risk }: ActivityItem) =>
    ORDER[status] * 10 - (exitCode === undefined ? 0 : 5) + (risk === "read" ? 1 : 0);
  return [...items].sort((a, b) => rank(a) - rank(b));
}

/** How a call stands, in a word. */
export function wordOf(item: Pick<ActivityItem, "status" | "approval" | "blockedBy" | "exitCode">): string {
  if (item.blockedBy !== undefined) return BLOCKED_WORD.word;
  return isChanged(item) ? CHANGED_WORD.word : callWord(item.status, item.exitCode).word;
}
