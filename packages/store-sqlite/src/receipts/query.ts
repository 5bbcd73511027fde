import { fail } from "@elwood/core/base/failure";
import { makeRedactor } from "@elwood/core/base/redact";
import { CALL_WORDS, callWord, CHANGED_WORD } from "@elwood/core/base/state-words";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import {
  hadChanged,
  RECEIPT_TYPES,
  refusingRule,
  type Decider,
  type StoredReceipt,
  type ReceiptType,
} from "@elwood/core/receipts/receipt";
import { CALL_STATUSES, type CallStatus } from "@elwood/core/tool/tool";
import type { ReceiptQuery } from "@elwood/runtime/ports/gate-ports";

/** What a person or program may ask of the receipts; more than the ledger's own query in words only. */
export interface AskedReceipts {
  readonly runId?: string;
  readonly callId?: string;
  readonly toolId?: string;
  /** How a call ended; `pending` are questions to the owner. */
  readonly status?: CallStatus;
  readonly types?: readonly ReceiptType[];
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly before?: number;
}

const TYPE_OF_STATUS: Readonly<Record<CallStatus, ReceiptType>> = {
  succeeded: "tool.call.succeeded",
  failed: "tool.call.failed",
  denied: "tool.call.denied",
  expired: "tool.call.expired",
  pending: "tool.call.asked",
  unknown: "tool.call.unknown",
};

export function toReceiptQuery({ status, types, ...rest }: AskedReceipts): ReceiptQuery {
  const ofStatus = status === undefined ? undefined : TYPE_OF_STATUS[status];
  if (ofStatus === undefined) return types === undefined ? rest : { ...rest, types };
  const both = types === undefined || types.includes(ofStatus) ? [ofStatus] : [];
  return { ...rest, types: both };
}

export function checkedStatus(text: string): CallStatus {
  const status = CALL_STATUSES.find((each) => each === text);
  if (status === undefined)
    fail("INVALID_INPUT", `--status must be one of ${CALL_STATUSES.join(", ")}, not "${text}".`);
  return status;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A moment as people write it: a date, a date with a time, or how long ago (`2h`, `7d`). */
export function momentOf(text: string, now: number): number {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text.trim());
  if (ago) return now - Number(ago[1]) * UNITS[ago[2]!]!;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (Number.isNaN(at))
    fail("INVALID_INPUT", `"${text}" is no time. Write 2h, 7d, 2026-11-15 or 2026-11-15T09:00:00Z.`);
  return at;
}

/** What the audit log shows: every tool run, every decision on one, every change of what is allowed, every login. */
export const AUDIT_TYPES: readonly ReceiptType[] = RECEIPT_TYPES.filter((type) =>
  /^(tool\.call|grant|policy|auth|token)\./.test(type),
);

/** What a receipt only commits to, as long as it was not forgotten. */
export interface AuditTexts {
  readonly target?: string | undefined;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
}

/**
 * One line of the audit log: the receipt, and in words what was decided and how the call ended. A
 * receipt only commits to what a call was about, so that can be forgotten; as long as it was not,
 * `target` and `reason` have it.
 */
export function auditEntry(
  receipt: StoredReceipt,
  { target, reason, note }: AuditTexts = {},
): Record<string, unknown> {
  const { ts, type, actor, surface, runId, callId, payload, seq, id, hash } = receipt;
  const why = typeof payload["reason"] === "string" ? payload["reason"] : reason;
  const { decision, outcome } = auditWords(receipt, why, note);
  const { decision: answer, outcome: settled, ...rest } = payload;
  return {
    time: new Date(ts).toISOString(),
    event: type,
    actor,
    surface,
    runId,
    ...(callId === undefined ? {} : { callId }),
    ...rest,
    ...(payload["reasonCommit"] === undefined || why === undefined ? {} : { reason: withoutSecrets(why) }),
    ...(target === undefined ? {} : { target: withoutSecrets(target) }),
    ...(decision === undefined ? {} : { decision }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(answer === undefined ? {} : { answer }),
    ...(settled === undefined ? {} : { settled }),
    receipt: { seq, id, hash },
  };
}

/** Those that are known by their shape; what Elwood itself holds was taken out before anything was written. */
const withoutSecrets = makeRedactor([]);

function auditWords(
  receipt: StoredReceipt,
  reason: string | undefined,
  said: string | undefined,
): { readonly decision?: string; readonly outcome?: string } {
  if (isReceipt(receipt, "tool.call.asked")) return { decision: withMore("you were asked", reason) };
  if (isReceipt(receipt, "tool.call.approved")) {
    const { decidedBy, decision, plan, note = said } = receipt.payload;
    if (plan) return { decision: "allowed with the plan of its program" };
    const longer = decision === "window" ? " for a while" : decision === "always" ? " for good" : "";
    return { decision: withMore(`${decider(decidedBy)} allowed it${longer}`, note) };
  }
  if (isReceipt(receipt, "tool.call.started")) {
    const { approvalId, rule } = receipt.payload;
    if (approvalId !== undefined) return { decision: "allowed by an answer of yours" };
    return rule === undefined ? {} : { decision: `allowed unasked, by the rule ${rule}` };
  }
  if (isReceipt(receipt, "tool.call.denied")) {
    const { decidedBy, note = said } = receipt.payload;
    const rule = refusingRule(decidedBy);
    if (rule !== undefined)
      return { decision: withMore(`blocked by the rule ${rule}`, reason), outcome: NOT_MADE };
    if (hadChanged(decidedBy)) return { decision: withMore(CHANGED_WORD.word, reason), outcome: NOT_MADE };
    if (decidedBy.kind === "owner")
      return { decision: withMore(`${decider(decidedBy)} denied it`, note), outcome: NOT_MADE };
    return { decision: withMore("nobody allowed it", note ?? reason), outcome: NOT_MADE };
  }
  if (isReceipt(receipt, "tool.call.expired"))
    return { decision: "nobody decided in time", outcome: NOT_MADE };
  if (isReceipt(receipt, "tool.call.refused"))
    return {
      decision: withMore("refused before anybody was asked", reason),
      outcome: NOT_MADE,
    };
  return outcomeWords(receipt, reason);
}

const NOT_MADE = "not made";

function outcomeWords(receipt: StoredReceipt, reason: string | undefined): { readonly outcome?: string } {
  if (isReceipt(receipt, "tool.call.succeeded")) {
    const { exitCode, outputInvalid } = receipt.payload;
    const word = callWord("succeeded", exitCode).word;
    return { outcome: outputInvalid ? `${word}, but its answer does not fit its schema` : word };
  }
  if (isReceipt(receipt, "tool.call.failed")) return { outcome: withMore(CALL_WORDS.failed.word, reason) };
  if (isReceipt(receipt, "tool.call.unknown"))
    return { outcome: withMore("unknown: it may have happened", reason) };
  if (isReceipt(receipt, "tool.call.settled")) return { outcome: `settled: ${receipt.payload.outcome}` };
  return isReceipt(receipt, "tool.call.undone") ? { outcome: "undone" } : {};
}

function decider(by: Decider | undefined): string {
  return by?.kind === "owner" ? `${by.id} (${by.surface})` : (by?.kind ?? "somebody");
}

function withMore(words: string, more: string | undefined): string {
  return more === undefined || more === "" ? words : `${words}: ${withoutSecrets(more)}`;
}
