import { isOneOf } from "../is-one-of.ts";
import type { Migration } from "../migrations.ts";
import { listed } from "./0004-lighter-ledger.ts";
import { SESSIONS_TAKE_CALLS } from "./0006-forks.ts";

const NO_HASH = "0".repeat(64);
const ENDED = ["succeeded", "failed", "refused", "denied", "expired"];

/**
 * The same ledger again with less to write in each commit.
 *
 * Receipts are appended, and a table with row numbers is what SQLite appends to without moving
 * rows that lie there already: ordered by its key alone, each full page was shared out anew with
 * its two neighbours. Their numbers have an index, which is a few bytes for each.
 *
 * Of the calls that were started only those that take something back are ever looked for; all
 * others are found by their run. Approvals are listed by their ids, which begin with the time.
 */
export const fewerPages: Migration = {
  version: 7,
  name: "0007-fewer-pages",
  sql: `
CREATE TABLE receipts_appended (
  tenant    TEXT NOT NULL,
  seq       INTEGER NOT NULL CHECK (seq > 0),
  id        TEXT NOT NULL,
  run_id    TEXT NOT NULL,
  call_id   TEXT,
  type      TEXT NOT NULL,
  ts        INTEGER NOT NULL,
  actor     TEXT NOT NULL,
  surface   TEXT NOT NULL,
  -- Canonical JSON, byte for byte as it was hashed.
  payload   TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash      TEXT NOT NULL,
  tool_id   TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(payload) THEN CAST(json_extract(payload, '$.toolId') AS TEXT) END) VIRTUAL,
  PRIMARY KEY (tenant, seq)
) STRICT;
INSERT INTO receipts_appended
  (tenant, seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash)
  SELECT tenant, seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash
  FROM receipts ORDER BY tenant, seq;
DROP TABLE receipts;
ALTER TABLE receipts_appended RENAME TO receipts;
CREATE TRIGGER receipts_stay BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER receipts_remain BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END;
-- It names the last receipt, and has the number after it; no text is equal to 0. That also stops INSERT OR REPLACE,
-- which deletes without the delete trigger.
CREATE TRIGGER receipts_follow BEFORE INSERT ON receipts
WHEN NEW.prev_hash IS NOT coalesce(
  (SELECT iif(seq = NEW.seq - 1, hash, 0) FROM receipts WHERE tenant = NEW.tenant ORDER BY seq DESC LIMIT 1),
  iif(NEW.seq = 1, '${NO_HASH}', 0))
BEGIN SELECT RAISE(ABORT, 'a receipt follows the last one'); END;
CREATE TRIGGER receipts_listed AFTER INSERT ON receipts WHEN NEW.seq % 64 = 0
BEGIN
${listed("tenant = NEW.tenant AND seq > NEW.seq - 64 AND seq <= NEW.seq")}
END;


DROP TRIGGER sessions_take_calls;
CREATE TABLE calls_anew (
  tenant          TEXT NOT NULL,
  id              TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  tool_id         TEXT NOT NULL,
  contract_hash   TEXT NOT NULL,
  risk            TEXT NOT NULL CHECK ${isOneOf("risk", ["read", "write", "destructive"])},
  requested_input TEXT NOT NULL,
  -- NULL: as it was requested.
  executed_input  TEXT,
  idempotency_key TEXT NOT NULL,
  state           TEXT NOT NULL CHECK ${isOneOf("state", ["requested", "asked", "approved", "started", ...ENDED, "unknown"])},
  approval_id     TEXT,
  outcome         TEXT,
  target          TEXT,
  count           INTEGER,
  undoes          TEXT,
  created_at      INTEGER NOT NULL,
  started_at      INTEGER,
  ended_at        INTEGER,
  PRIMARY KEY (tenant, id)
) STRICT;
INSERT INTO calls_anew (tenant, id, run_id, session_id, tool_id, contract_hash, risk, requested_input, executed_input,
    idempotency_key, state, approval_id, outcome, target, count, undoes, created_at, started_at, ended_at)
  SELECT tenant, id, run_id, session_id, tool_id, contract_hash, risk, requested_input, executed_input,
    idempotency_key, state, approval_id, outcome, target, count, undoes, created_at, started_at, ended_at
  FROM calls ORDER BY rowid;
DROP TABLE calls;
ALTER TABLE calls_anew RENAME TO calls;
CREATE INDEX calls_of_run ON calls (tenant, run_id, created_at);
CREATE INDEX calls_taking_back ON calls (tenant, created_at) WHERE state = 'started' AND undoes IS NOT NULL;
CREATE TRIGGER calls_ended_stay BEFORE UPDATE OF state ON calls WHEN ${isOneOf("OLD.state", ENDED)}
BEGIN SELECT RAISE(ABORT, 'a call that has ended stays so'); END;

CREATE TABLE approvals_anew (
  tenant       TEXT NOT NULL,
  id           TEXT NOT NULL,
  call_id      TEXT NOT NULL,
  run_id       TEXT NOT NULL,
  session_id   TEXT NOT NULL,
  tool_id      TEXT NOT NULL,
  digest       TEXT NOT NULL,
  card         TEXT NOT NULL,
  status       TEXT NOT NULL CHECK ${isOneOf("status", ["pending", "approved", "denied", "expired"])},
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  decision     TEXT,
  decided_by   TEXT,
  decided_at   INTEGER,
  note         TEXT,
  edited_input TEXT,
  grant_id     TEXT,
  PRIMARY KEY (tenant, id),
  CHECK ((status = 'pending') = (decided_at IS NULL)),
  CHECK ((decided_by IS NULL) = (decided_at IS NULL))
) STRICT;
INSERT INTO approvals_anew (tenant, id, call_id, run_id, session_id, tool_id, digest, card, status, created_at,
    expires_at, decision, decided_by, decided_at, note, edited_input, grant_id)
  SELECT tenant, id, call_id, run_id, session_id, tool_id, digest, card, status, created_at,
    expires_at, decision, decided_by, decided_at, note, edited_input, grant_id
  FROM approvals ORDER BY rowid;
DROP TABLE approvals;
ALTER TABLE approvals_anew RENAME TO approvals;
CREATE UNIQUE INDEX approvals_waiting ON approvals (tenant, call_id) WHERE status = 'pending';
CREATE TRIGGER approvals_decided_stay BEFORE UPDATE ON approvals WHEN OLD.status <> 'pending'
BEGIN SELECT RAISE(ABORT, 'the first answer stays'); END;

${SESSIONS_TAKE_CALLS}
`,
};
