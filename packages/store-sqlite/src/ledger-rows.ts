import { parsedJson, readStored } from "./stored-json.ts";
import type { Approval, ApprovalDecision, ApprovalStatus, Grant } from "@elwood/core/policy/approval";
import { fail } from "@elwood/core/base/failure";
import { isPayload } from "@elwood/core/receipts/read-receipt";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Risk } from "@elwood/core/tool/tool";
import type { Body, CallRow, CallState } from "@elwood/runtime/ports/gate-ports";

/**
 * Rows of the ledger as the database has them. JSON in them was written by this store, and is
 * checked when it is read back (`stored-json.ts`).
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
  readonly grant_id: string | null;
}

/** A call by its place in the session. */
export interface SessionCall {
  readonly number: number;
  readonly id: string;
  readonly run_id: string;
  readonly target: string | null;
  readonly undoes: string | null;
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
  readonly job: string | null;
  readonly uses_per_run: number | null;
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

export function toCall(row: StoredCall): CallRow {
  const what = `The call ${row.id}`;
  return {
    callId: row.id,
    runId: row.run_id,
    sessionId: row.session_id,
    toolId: row.tool_id,
    contractHash: row.contract_hash,
    risk: row.risk,
    requestedInput: readStored("anything", row.requested_input, what),
    executedInput: readStored("anything", row.executed_input ?? row.requested_input, what),
    idempotencyKey: row.idempotency_key,
    state: row.state,
    ...(row.approval_id === null ? {} : { approvalId: row.approval_id }),
    ...(row.outcome === null ? {} : { outcome: readStored("outcome", row.outcome, what) }),
    ...(row.target === null ? {} : { target: row.target }),
    ...(row.count === null ? {} : { count: row.count }),
    ...(row.undoes === null ? {} : { undoes: row.undoes }),
    createdAt: row.created_at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.grant_id === null ? {} : { grantId: row.grant_id }),
  };
}

export function toApproval(row: StoredApproval): Approval {
  const what = `The approval ${row.id}`;
  return {
    id: row.id,
    callId: row.call_id,
    runId: row.run_id,
    sessionId: row.session_id,
    toolId: row.tool_id,
    digest: row.digest,
    card: readStored("card", row.card, what),
    status: row.status,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.decision === null ? {} : { decision: row.decision }),
    ...(row.decided_by === null ? {} : { decidedBy: readStored("decider", row.decided_by, what) }),
    ...(row.decided_at === null ? {} : { decidedAt: row.decided_at }),
    ...(row.note === null ? {} : { note: row.note }),
    ...(row.edited_input === null ? {} : { editedInput: readStored("anything", row.edited_input, what) }),
    ...(row.grant_id === null ? {} : { grantId: row.grant_id }),
  };
}

export function toGrant(row: StoredGrant): Grant {
  const what = `The grant ${row.id}`;
  return {
    id: row.id,
    toolId: row.tool_id,
    scope: row.scope,
    ...(row.match === null ? {} : { match: readStored("match", row.match, what) }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    contractHash: row.contract_hash,
    createdAt: row.created_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    createdBy: readStored("decider", row.created_by, what),
    uses: row.uses,
    ...(row.uses_max === null ? {} : { usesMax: row.uses_max }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
    words: row.words,
    ...(row.job === null ? {} : { job: readStored("jobBinding", row.job, what) }),
    ...(row.uses_per_run === null ? {} : { usesPerRun: row.uses_per_run }),
  };
}

export interface BodyRow {
  readonly salt: string;
  readonly value: string;
}

export function toBody(commit: string, row: BodyRow): Body {
  return {
    commit,
    salt: row.salt,
    value: readStored("anything", row.value, `What lies behind the commitment ${commit}`),
  };
}
