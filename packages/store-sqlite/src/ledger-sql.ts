import type { ApprovalQuery, ReceiptQuery } from "@elwood/runtime/ports/gate-ports";
import { pageLimit } from "@elwood/runtime/run/store-input";
import { query, type Query } from "./database.ts";
import type {
  BodyRow,
  ReceiptRow,
  SessionCall,
  StoredApproval,
  StoredCall,
  StoredGrant,
} from "./ledger-rows.ts";
import { isOneOf } from "./is-one-of.ts";
import { isHiddenSql } from "./run-tree-rows.ts";

const ENDED = ["succeeded", "failed", "refused", "denied", "expired"];

const LIVE_AT = `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?3)
  AND (uses_max IS NULL OR uses < uses_max)`;

/** Of a payload, the tool that it names. One that was changed by hand may not be JSON. */
export const TOOL_IN_PAYLOAD =
  "CASE WHEN json_valid(payload) THEN CAST(json_extract(payload, '$.toolId') AS TEXT) END";

/** Guards are part of the statement that writes: what they refuse changes no row. */
export const LEDGER_SQL = {
  head: query<{
    seq: number;
    hash: string;
  }>("SELECT seq, hash FROM receipts WHERE tenant = ? ORDER BY seq DESC LIMIT 1"),
  /** Of the default tenant; all others have the next one. */
  addNumberedReceipt: `INSERT INTO receipts_by_number
      (seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  addReceipt: `INSERT INTO receipts_by_tenant
      (tenant, seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  /** The next block, going back, that holds receipts of a name (list-receipts.ts). */
  blockBefore: query<{
    block: number;
  }>(`SELECT block FROM receipt_blocks WHERE tenant = ? AND kind = ? AND name = ? AND block < ?
    ORDER BY block DESC LIMIT 1`),

  /** Of some calls: the blocks that are listed for them, and what they have between two receipts. */
  blocksOfCalls: query<{
    block: number;
  }>(`SELECT DISTINCT b.block AS block FROM json_each(?2) AS c
    CROSS JOIN receipt_blocks AS b ON b.tenant = ?1 AND b.kind = 'call' AND b.name = c.value ORDER BY block`),
  receiptsOfCalls: query<ReceiptRow>(`SELECT * FROM receipts
    WHERE tenant = ?1 AND seq > ?3 AND seq <= ?4 AND call_id IN (SELECT value FROM json_each(?2)) ORDER BY seq`),

  /** A number that is taken is an error, and no reason to do nothing. */
  addCall: `INSERT INTO calls (tenant, id, run_id, session_id, tool_id, contract_hash, risk, requested_input,
      executed_input, idempotency_key, state, approval_id, outcome, target, count, undoes, created_at, started_at, ended_at,
      grant_id, number)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, id) DO NOTHING`,
  moveCall: `UPDATE calls SET state = ?3, executed_input = coalesce(?5, executed_input),
      approval_id = coalesce(?6, approval_id), outcome = coalesce(?7, outcome), count = coalesce(?8, count),
      target = coalesce(?10, target),
      started_at = CASE WHEN ?3 = 'started' THEN ?4 ELSE started_at END,
      ended_at = CASE WHEN ${isOneOf("?3", [...ENDED, "unknown"])} THEN ?4 ELSE ended_at END
    WHERE tenant = ?1 AND id = ?2 AND instr(?9, '"' || state || '"') > 0 AND NOT ${isOneOf("state", ENDED)}`,
  lastNumber: query<{
    last: number | null;
  }>("SELECT max(number) AS last FROM calls WHERE tenant = ? AND session_id = ?"),
  runOfCall: query<{
    run_id: string;
  }>("SELECT run_id FROM calls WHERE tenant = ? AND id = ?"),
  newestCall: query<{
    id: string;
  }>("SELECT id FROM calls WHERE tenant = ? ORDER BY id DESC LIMIT 1"),
  call: query<StoredCall>("SELECT * FROM calls WHERE tenant = ? AND id = ?"),
  callsOfRun: query<StoredCall>(
    "SELECT * FROM calls WHERE tenant = ? AND run_id = ? ORDER BY created_at, rowid",
  ),
  runsWithCalls: query<{
    run_id: string;
  }>(`SELECT asked.value AS run_id FROM json_each(?2) AS asked
    WHERE EXISTS (SELECT 1 FROM calls WHERE tenant = ?1 AND run_id = asked.value)`),
  callsOfSession:
    query<SessionCall>(`SELECT number, id, run_id, target, undoes FROM calls INDEXED BY calls_of_session
    WHERE tenant = ?1 AND session_id = ?2 AND number <= coalesce(
      (SELECT max(number) FROM calls INDEXED BY calls_of_run
        WHERE tenant = ?1 AND run_id = ?3 AND session_id = ?2 AND undoes IS NULL), 9e15)
      AND NOT ${isHiddenSql("calls")}
    ORDER BY number DESC LIMIT ?4`),
  undosAfter: query<{
    last: number | null;
    undos: number;
  }>(`SELECT max(number) AS last, count(undoes) AS undos FROM calls INDEXED BY calls_of_session
    WHERE tenant = ? AND session_id = ? AND number > ?`),
  startedUndos: query<StoredCall>(`SELECT * FROM calls INDEXED BY calls_taking_back
    WHERE tenant = ? AND state = 'started' AND undoes IS NOT NULL ORDER BY created_at, rowid`),

  addApproval: `INSERT INTO approvals (tenant, id, call_id, run_id, session_id, tool_id, digest, card, status,
      created_at, expires_at, decision, decided_by, decided_at, note, edited_input, grant_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  decideApproval: `UPDATE approvals SET status = ?3, decided_by = ?4, decided_at = ?5, decision = ?6, grant_id = ?7
    WHERE tenant = ?1 AND id = ?2 AND status = 'pending'`,
  /** In the same transaction before it: what was decided stays. */
  wordsOfDecision: `UPDATE approvals SET note = ?3, edited_input = ?4
    WHERE tenant = ?1 AND id = ?2 AND status = 'pending'`,
  approval: query<StoredApproval>("SELECT * FROM approvals WHERE tenant = ? AND id = ?"),
  overdue: query<StoredApproval>(`SELECT * FROM approvals INDEXED BY approvals_waiting
    WHERE tenant = ? AND status = 'pending' AND expires_at <= ? ORDER BY expires_at, rowid`),
  nextExpiry: query<{
    expires_at: number | null;
  }>(`SELECT min(expires_at) AS expires_at FROM approvals INDEXED BY approvals_waiting
    WHERE tenant = ? AND status = 'pending'`),

  addGrant: `INSERT INTO grants (tenant, id, tool_id, scope, match, session_id, contract_hash, created_at,
      expires_at, created_by, uses, uses_max, revoked_at, words, job, uses_per_run)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  /** The call that uses it is in the table already. */
  useGrant: `UPDATE grants SET uses = uses + 1 WHERE tenant = ?1 AND id = ?2 AND ${LIVE_AT}
    AND (uses_per_run IS NULL OR uses_per_run >= (SELECT count(*) FROM calls INDEXED BY calls_of_run
      WHERE tenant = ?1 AND run_id = ?4 AND grant_id = ?2))`,
  revokeGrant: "UPDATE grants SET revoked_at = ?3 WHERE tenant = ?1 AND id = ?2 AND revoked_at IS NULL",
  grant: query<StoredGrant>("SELECT * FROM grants WHERE tenant = ? AND id = ?"),
  grants: query<StoredGrant>("SELECT * FROM grants WHERE tenant = ? ORDER BY created_at DESC, id DESC"),
  liveGrants: query<StoredGrant>(`SELECT * FROM grants INDEXED BY grants_standing
    WHERE tenant = ?1 AND ${LIVE_AT.replace("?3", "?2")} ORDER BY created_at DESC, id DESC`),

  putBody: "INSERT INTO bodies (tenant, commitment, salt, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  body: query<BodyRow>("SELECT salt, value FROM bodies WHERE tenant = ? AND commitment = ?"),
  salts: query<{
    commitment: string;
    salt: string;
  }>(`SELECT commitment, salt FROM bodies
    WHERE tenant = ? AND commitment IN (SELECT value FROM json_each(?))`),
  eraseBody: "DELETE FROM bodies WHERE tenant = ? AND commitment = ?",

  knowContract: `INSERT INTO contracts (tenant, tool_id, contract_hash, known_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (tenant, tool_id) DO UPDATE SET contract_hash = excluded.contract_hash, known_at = excluded.known_at`,
  forgetContract: "DELETE FROM contracts WHERE tenant = ? AND tool_id = ?",
  knownContract: query<{
    contract_hash: string;
  }>("SELECT contract_hash FROM contracts WHERE tenant = ? AND tool_id = ?"),
};

type Params = (string | number)[];

/** Newest first, of those whose number is above `after`; the limit is the last parameter. */
export function receiptsAfter(
  tenant: string,
  after: number,
  asked: Omit<ReceiptQuery, "limit"> & { id?: string },
): { query: Query<ReceiptRow>; params: Params } {
  const wanted: [term: string, value: string | number | undefined][] = [
    ["tenant = ?", tenant],
    ["seq > ?", after],
    ["seq < ?", asked.before],
    ["id = ?", asked.id],
    ["run_id = ?", asked.runId],
    ["call_id = ?", asked.callId],
    [`${TOOL_IN_PAYLOAD} = ?`, asked.toolId],
    ["type IN (SELECT value FROM json_each(?))", asked.types && JSON.stringify(asked.types)],
    ["ts >= ?", asked.since],
    ["ts < ?", asked.until],
  ];
  const where = wanted.filter((w): w is [string, string | number] => w[1] !== undefined);
  const terms = where.map(([term]) => term).join(" AND ");
  return {
    query: `SELECT * FROM receipts WHERE ${terms} ORDER BY seq DESC LIMIT ?`,
    params: where.map(([, value]) => value),
  };
}

/** Of a plan, the risk of its worst call: `destructive` comes before `read`, and that before `write`. */
const WORST_RISK = `(SELECT CASE WHEN sum(risk = 'destructive') > 0 THEN 'destructive'
    WHEN sum(risk = 'write') > 0 THEN 'write' ELSE card ->> '$.risk' END
  FROM (SELECT card ->> '$.risk' AS risk UNION ALL SELECT value ->> '$.risk' FROM json_each(card, '$.plan')))`;

export function approvalListQuery(
  tenant: string,
  asked: ApprovalQuery,
): { query: Query<StoredApproval>; params: Params } {
  const pending = asked.status === "pending";
  const wanted: [string, string | undefined][] = [
    ["tenant = ?", tenant],
    ["session_id = ?", asked.sessionId],
    ["status = ?", pending ? undefined : asked.status],
    ["id < ?", pending ? undefined : asked.before],
    ["tool_id = ?", asked.toolId],
    [`${WORST_RISK} = ?`, asked.risk],
    ["decided_by ->> '$.surface' = ?", asked.surface],
  ];
  const where = wanted.filter((w): w is [string, string] => w[1] !== undefined);
  const terms = where.map(([term]) => term).join(" AND ");
  return {
    // Those that wait are few; all others are read from the newest back.
    query: pending
      ? `SELECT * FROM approvals INDEXED BY approvals_waiting WHERE ${terms} AND status = 'pending'
          ORDER BY created_at, rowid LIMIT ?`
      : `SELECT * FROM approvals WHERE ${terms}
          ORDER BY id DESC LIMIT ?`,
    params: [...where.map(([, value]) => value), pageLimit(asked.limit)],
  };
}
