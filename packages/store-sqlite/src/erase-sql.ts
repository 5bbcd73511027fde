import type { ApprovalStatus } from "@elwood/core/policy/approval";
import { query } from "./database.ts";

const PAGE = 500;

interface CallColumns {
  readonly rowid: number;
  readonly id: string;
  readonly run_id: string;
  readonly session_id: string;
  readonly tool_id: string;
  readonly requested_input: string;
  readonly executed_input: string | null;
  readonly outcome: string | null;
  readonly target: string | null;
}

/** Pages begin behind a row and hold so many. */
export const ERASE_SQL = {
  begin: "INSERT INTO forgets (tenant, id, target, by_id, surface, at) VALUES (?, ?, ?, ?, ?, ?)",
  jobs: query<{
    id: string;
    target: string;
    by_id: string;
    surface: string;
    at: number;
  }>("SELECT id, target, by_id, surface, at FROM forgets WHERE tenant = ? ORDER BY at, id"),
  done: "DELETE FROM forgets WHERE tenant = ? AND id = ?",

  steps: query<{
    rowid: number;
    run_id: string;
    n: number;
    message: string;
    session_id: string | null;
  }>(`SELECT s.rowid, s.run_id, s.n, s.message, r.session_id FROM steps AS s
    LEFT JOIN runs AS r ON r.tenant = s.tenant AND r.id = s.run_id
    WHERE s.tenant = ? AND s.rowid > ? ORDER BY s.rowid LIMIT ${PAGE}`),
  said: query<{
    rowid: number;
    session_id: string;
    run_id: string;
    i: number;
    text: string;
  }>(`SELECT rowid, session_id, run_id, i, text FROM said WHERE tenant = ? AND rowid > ?
    ORDER BY rowid LIMIT ${PAGE}`),
  openings: query<{
    rowid: number;
    session_id: string;
    run_id: string;
    opening: string;
  }>(`SELECT rowid, session_id, run_id, opening FROM forked_runs WHERE tenant = ? AND rowid > ?
    ORDER BY rowid LIMIT ${PAGE}`),
  calls:
    query<CallColumns>(`SELECT rowid, id, run_id, session_id, tool_id, requested_input, executed_input, outcome, target FROM calls
    WHERE tenant = ? AND rowid > ? ORDER BY rowid LIMIT ${PAGE}`),
  approvals: query<{
    rowid: number;
    id: string;
    call_id: string;
    run_id: string;
    session_id: string;
    status: ApprovalStatus;
    card: string;
    note: string | null;
    edited_input: string | null;
  }>(`SELECT rowid, id, call_id, run_id, session_id, status, card, note, edited_input FROM approvals
    WHERE tenant = ? AND rowid > ? ORDER BY rowid LIMIT ${PAGE}`),
  bodies: query<{
    commitment: string;
    value: string;
  }>(`SELECT commitment, value FROM bodies WHERE tenant = ? AND commitment > ?
    ORDER BY commitment LIMIT ${PAGE}`),
  /** What the receipts of these calls and runs commit to; both are JSON arrays of ids. */
  commitments: query<{
    commitment: string;
  }>(`SELECT DISTINCT j.value AS commitment FROM receipts AS r,
      json_each(CASE WHEN json_valid(r.payload) THEN r.payload ELSE '{}' END) AS j
    WHERE r.tenant = ?1 AND j.key LIKE '%Commit'
      AND (r.call_id IN (SELECT value FROM json_each(?2)) OR r.run_id IN (SELECT value FROM json_each(?3)))
      AND EXISTS (SELECT 1 FROM bodies AS b WHERE b.tenant = ?1 AND b.commitment = j.value)`),
  grants: query<{
    id: string;
    match: string | null;
    words: string;
    revoked_at: number | null;
  }>("SELECT id, match, words, revoked_at FROM grants WHERE tenant = ?"),
  sessions: query<{
    id: string;
    title: string;
    titled_by: string;
    preview: string;
    forked_from: string | null;
  }>("SELECT id, title, titled_by, preview, forked_from FROM sessions WHERE tenant = ?"),
  runs: query<{
    id: string;
    session_id: string;
    failure: string | null;
    idempotency_key: string | null;
  }>("SELECT id, session_id, failure, idempotency_key FROM runs WHERE tenant = ?"),
  partials: query<{ run_id: string; text: string }>("SELECT run_id, text FROM partials WHERE tenant = ?"),
  copies: query<{
    call_key: string;
    key: string;
    before: string | null;
  }>("SELECT call_key, key, before FROM note_copies WHERE tenant = ?"),
  programs: query<{
    call_id: string;
    words: string;
  }>(`SELECT p.call_id, p.javascript || ' ' || coalesce((SELECT group_concat(s.result, ' ') FROM program_steps AS s
      WHERE s.tenant = p.tenant AND s.call_id = p.call_id), '') AS words FROM programs AS p WHERE p.tenant = ?`),
  /** What is owed to chats and not shown yet. */
  owed: query<{
    id: string;
    run_id: string | null;
    messages: string;
    problem: string | null;
  }>("SELECT id, run_id, messages, problem FROM outbox WHERE tenant = ?"),
  pairings: query<{
    channel: string;
    sender_id: string;
    name: string;
  }>("SELECT channel, sender_id, name FROM pairings WHERE tenant = ?"),
  scheduled: query<{
    id: string;
    name: string;
    message: string;
  }>("SELECT id, name, message FROM jobs WHERE tenant = ?"),
  occurrences: query<{
    id: string;
    reason: string | null;
    delivery_problem: string | null;
  }>(`SELECT id, reason, delivery_problem FROM occurrences
    WHERE tenant = ? AND (reason IS NOT NULL OR delivery_problem IS NOT NULL)`),
  /** Sessions whose runs are not over, or not yet written out. */
  going: query<{ session_id: string }>(`SELECT DISTINCT session_id FROM runs INDEXED BY runs_open
    WHERE tenant = ? AND committed = 0`),
  blobsBefore: query<{ id: string; bytes: number }>(
    "SELECT id, bytes FROM blobs WHERE tenant = ? AND created_at < ?",
  ),
  blobsOf: query<{ id: string; sha256: string }>("SELECT id, sha256 FROM blobs WHERE tenant = ?"),

  setStep: "UPDATE steps SET message = ? WHERE rowid = ?",
  dropSaid: "DELETE FROM said WHERE rowid = ?",
  setOpening: "UPDATE forked_runs SET opening = ? WHERE rowid = ?",
  emptyCall: `UPDATE calls SET requested_input = '{}', executed_input = NULL, target = NULL, outcome =
      CASE WHEN outcome IS NULL THEN NULL ELSE json_object('status', json_extract(outcome, '$.status'), 'text', '') END
    WHERE tenant = ? AND id = ?`,
  setCard: "UPDATE approvals SET card = ?3, note = NULL, edited_input = NULL WHERE tenant = ?1 AND id = ?2",
  dropBody: "DELETE FROM bodies WHERE tenant = ? AND commitment = ?",
  endGrant: "UPDATE grants SET revoked_at = ?3 WHERE tenant = ?1 AND id = ?2 AND revoked_at IS NULL",
  emptyGrant: "UPDATE grants SET match = NULL, words = '' WHERE tenant = ? AND id = ?",
  setTitle:
    "UPDATE sessions SET title = ?3, title_folded = ?4, titled_by = 'default' WHERE tenant = ?1 AND id = ?2",
  dropPreview: "UPDATE sessions SET preview = '' WHERE tenant = ? AND id = ?",
  emptyFailure: "UPDATE runs SET failure = ?3 WHERE tenant = ?1 AND id = ?2",
  emptyRequest:
    "UPDATE runs SET idempotency_key = NULL, request_hash = 'forgotten' WHERE tenant = ? AND id = ?",
  dropPartial: "DELETE FROM partials WHERE tenant = ? AND run_id = ?",
  dropCopy: "DELETE FROM note_copies WHERE tenant = ? AND call_key = ?",
  /** What is left: that something was owed, and the ids of messages that are there. */
  emptyOwed: `UPDATE outbox SET messages = ?3, problem = NULL, reason = CASE WHEN settled_at IS NULL THEN 'erased' ELSE reason END,
    state = CASE WHEN settled_at IS NULL THEN 'undeliverable' ELSE state END, settled_at = coalesce(settled_at, ?4)
    WHERE tenant = ?1 AND id = ?2`,
  emptyPairing: "UPDATE pairings SET name = '' WHERE tenant = ? AND channel = ? AND sender_id = ?",
  dropJob: "DELETE FROM jobs WHERE tenant = ? AND id = ?",
  emptyOccurrence:
    "UPDATE occurrences SET reason = NULL, delivery_problem = NULL WHERE tenant = ? AND id = ?",
  dropProgram: "DELETE FROM programs WHERE tenant = ? AND call_id = ?",
  /** Answers that were kept for speed, or for when a request is sent again. */
  dropCache: "DELETE FROM cached_answers WHERE tenant = ?",
  emptyKept: `UPDATE keyed_requests SET state = 'forgotten', status = NULL, body = NULL
    WHERE tenant = ? AND state = 'answered'`,
  dropBlob: "DELETE FROM blobs WHERE tenant = ? AND id = ?",
  /** Whether anything that is kept still names a file, by its id. */
  namesBlob: query<{
    named: number;
  }>(`SELECT 1 AS named WHERE EXISTS (SELECT 1 FROM steps WHERE tenant = ?1 AND instr(message, ?2) > 0)
    OR EXISTS (SELECT 1 FROM forked_runs WHERE tenant = ?1 AND instr(opening, ?2) > 0)
    OR EXISTS (SELECT 1 FROM calls WHERE tenant = ?1 AND instr(coalesce(outcome, ''), ?2) > 0)`),
  tables: query<{
    name: string;
    col: string;
  }>(`SELECT m.name AS name, c.name AS col FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name NOT LIKE 'said_index%' AND m.name <> 'forgets'`),
};
