import { fail } from "@elwood/core/base/failure";
import { RECEIPT_TYPES, type StoredReceipt, type ReceiptType } from "@elwood/core/receipts/receipt";
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
  /^(tool\.call|grant|policy|auth)\./.test(type),
);

/** One line of the audit log. A view: it holds nothing that the receipt does not hold or commit to. */
export function auditEntry(receipt: StoredReceipt, reason?: string): Record<string, unknown> {
  const { ts, type, actor, surface, runId, callId, payload, seq, id, hash } = receipt;
  return {
    time: new Date(ts).toISOString(),
    event: type,
    actor,
    surface,
    runId,
    ...(callId === undefined ? {} : { callId }),
    ...payload,
    ...(payload["reasonCommit"] === undefined || reason === undefined ? {} : { reason }),
    receipt: { seq, id, hash },
  };
}
