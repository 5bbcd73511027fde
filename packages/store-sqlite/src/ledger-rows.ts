import type {
  Approval,
  ApprovalCard,
  ApprovalDecision,
  ApprovalStatus,
  Grant,
} from "@elwood/core/policy/approval";
import { fail } from "@elwood/core/base/failure";
import { isPayload } from "@elwood/core/receipts/read-receipt";
import type { Decider, StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Risk } from "@elwood/core/tool/tool";
import type { Body, CallOutcome, CallRow, CallState } from "@elwood/runtime/gate/ports";

/**
 * Rows of the ledger as the database holds them. JSON in them was written by this store from
 * the very types it is read back as.
 */
export interface ReceiptRow {
  readonly tenant: string;
  readonly seq: number;
  readonly id: string;
  readonly run_id: string;
  readonly call_id: string | null;
  readonly type: string;
  readonly ts: number;
  readonly actor: string;
  readonly surface: string;
  readonly payload: string;
  readonly prev_hash: string;
  readonly hash: string;
}

export interface StoredCall {
  readonly id: string;
  readonly run_id: string;
  readonly session_id: string;
  readonly tool_id: string;
  readonly contract_hash: string;
  readonly risk: Risk;
  readonly requested_input: string;
  readonly executed_input: string | null;
  readonly idempotency_key: string;
  readonly state: CallState;
  readonly approval_id: string | null;
  readonly outcome: string | null;
  readonly target: string | null;
  readonly count: number | null;
  readonly undoes: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** A call by its place in the session. */
export interface SessionCall {
  readonly number: number;
  readonly id: string;
  readonly run_id: string;
  readonly target: string | null;
}

export interface StoredApproval {
  readonly id: string;
  readonly call_id: string;
  readonly run_id: string;
  readonly session_id: string;
  readonly tool_id: string;
  readonly digest: string;
  readonly card: string;
  readonly status: ApprovalStatus;
  readonly created_at: number;
  readonly expires_at: number;
  readonly decision: ApprovalDecision | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly note: string | null;
  readonly edited_input: string | null;
  readonly grant_id: string | null;
}

export interface StoredGrant {
  readonly id: string;
  readonly tool_id: string;
  readonly scope: Grant["scope"];
  readonly match: string | null;
  readonly session_id: string | null;
  readonly contract_hash: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly created_by: string;
  readonly uses: number;
  readonly uses_max: number | null;
  readonly revoked_at: number | null;
  readonly words: string;
}

/** A row that somebody changed by hand may hold anything; it is named, and nothing is made up for it. */
export function toReceipt(row: ReceiptRow): StoredReceipt {
  return {
    v: 1,
    tenant: row.tenant,
    seq: row.seq,
    id: row.id,
    runId: row.run_id,
    ...(row.call_id === null ? {} : { callId: row.call_id }),
    type: row.type,
    ts: row.ts,
    actor: row.actor,
    surface: row.surface,
    payload: payloadOf(row),
    prevHash: row.prev_hash,
    hash: row.hash,
  };
}

function payloadOf({ seq, payload }: ReceiptRow): StoredReceipt["payload"] {
  const parsed = parsedJson(payload)?.value;
  if (isPayload(parsed)) return parsed;
  return fail("STORAGE", `Receipt ${seq} was changed and cannot be read. Run: elwood receipts verify`, {
    retryable: false,
  });
}

export function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function toCall(row: StoredCall): CallRow {
  return {
    callId: row.id,
    runId: row.run_id,
    sessionId: row.session_id,
    toolId: row.tool_id,
    contractHash: row.contract_hash,
    risk: row.risk,
    requestedInput: JSON.parse(row.requested_input) as unknown,
    executedInput: JSON.parse(row.executed_input ?? row.requested_input) as unknown,
    idempotencyKey: row.idempotency_key,
    state: row.state,
    ...(row.approval_id === null ? {} : { approvalId: row.approval_id }),
    ...(row.outcome === null ? {} : { outcome: JSON.parse(row.outcome) as CallOutcome }),
    ...(row.target === null ? {} : { target: row.target }),
    ...(row.count === null ? {} : { count: row.count }),
    ...(row.undoes === null ? {} : { undoes: row.undoes }),
    createdAt: row.created_at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  };
}

export function toApproval(row: StoredApproval): Approval {
  return {
    id: row.id,
    callId: row.call_id,
    runId: row.run_id,
    sessionId: row.session_id,
    toolId: row.tool_id,
    digest: row.digest,
    card: JSON.parse(row.card) as ApprovalCard,
    status: row.status,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.decision === null ? {} : { decision: row.decision }),
    ...(row.decided_by === null ? {} : { decidedBy: JSON.parse(row.decided_by) as Decider }),
    ...(row.decided_at === null ? {} : { decidedAt: row.decided_at }),
    ...(row.note === null ? {} : { note: row.note }),
    ...(row.edited_input === null ? {} : { editedInput: JSON.parse(row.edited_input) as unknown }),
    ...(row.grant_id === null ? {} : { grantId: row.grant_id }),
  };
}

export function toGrant(row: StoredGrant): Grant {
  return {
    id: row.id,
    toolId: row.tool_id,
    scope: row.scope,
    ...(row.match === null ? {} : { match: JSON.parse(row.match) as NonNullable<Grant["match"]> }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    contractHash: row.contract_hash,
    createdAt: row.created_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    createdBy: JSON.parse(row.created_by) as Decider,
    uses: row.uses,
    ...(row.uses_max === null ? {} : { usesMax: row.uses_max }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
    words: row.words,
  };
}

export interface BodyRow {
  readonly salt: string;
  readonly value: string;
}

export function toBody(commit: string, row: BodyRow): Body {
  return { commit, salt: row.salt, value: JSON.parse(row.value) as unknown };
}
