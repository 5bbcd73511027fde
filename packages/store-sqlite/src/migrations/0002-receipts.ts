import type { Migration } from "../migrations.ts";

/**
 * The one book, and the rows its receipts stand for. What must never happen is refused here,
 * whoever writes:
 *   receipts and checkpoints are neither changed nor deleted, and a receipt only follows the
 *   one it names as the one before it; an approval that was decided, a call that has ended and
 *   a grant that was revoked stay so.
 *
 * Receipts, bodies, calls and approvals can be large, so they are not WITHOUT ROWID.
 * They name sessions and runs without a foreign key: what was done stays done when a session
 * is purged. The content of its calls goes with it.
 */
export const receiptsSchema: Migration = {
  version: 2,
  name: "receipts",
  sql: `
CREATE TABLE receipts (
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
  -- Worked out, not stored: there is no second copy that could be edited on its own.
  tool_id   TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(payload) THEN CAST(json_extract(payload, '$.toolId') AS TEXT) END) VIRTUAL,
  PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX receipts_of_run ON receipts (tenant, run_id, seq);
CREATE INDEX receipts_of_call ON receipts (tenant, call_id, seq) WHERE call_id IS NOT NULL;
-- By number, and for all other questions: read from the newest back, without touching a row that is not asked for.
-- Every index more is a page more in each commit, so there is one for them all; receipts_once keeps numbers apart.
CREATE INDEX receipts_directory ON receipts (tenant, seq, type, ts, tool_id);
CREATE TRIGGER receipts_stay BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER receipts_remain BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END;
CREATE TRIGGER receipts_follow BEFORE INSERT ON receipts
WHEN NEW.prev_hash IS NOT CASE NEW.seq WHEN 1 THEN '${"0".repeat(64)}'
  ELSE (SELECT hash FROM receipts WHERE tenant = NEW.tenant AND seq = NEW.seq - 1) END
BEGIN SELECT RAISE(ABORT, 'a receipt follows the last one'); END;
-- Also INSERT OR REPLACE, which deletes without the delete trigger.
CREATE TRIGGER receipts_once BEFORE INSERT ON receipts
WHEN EXISTS (SELECT 1 FROM receipts WHERE tenant = NEW.tenant AND seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM receipts WHERE tenant = NEW.tenant AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'receipts are never replaced'); END;

-- Signed heads of the log. \`edge\` is the right edge of the tree, from which it grows on.
CREATE TABLE checkpoints (
  tenant TEXT NOT NULL,
  size   INTEGER NOT NULL,
  note   TEXT NOT NULL,
  edge   TEXT NOT NULL,
  at     INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (tenant, size)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER checkpoints_stay BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are never changed'); END;
CREATE TRIGGER checkpoints_remain BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are never deleted'); END;
CREATE TRIGGER checkpoints_once BEFORE INSERT ON checkpoints
WHEN EXISTS (SELECT 1 FROM checkpoints WHERE tenant = NEW.tenant AND size >= NEW.size)
BEGIN SELECT RAISE(ABORT, 'a checkpoint covers more than the last one'); END;

-- Content behind the commitments in receipts. Erasing a row erases salt and value, and breaks no chain.
CREATE TABLE bodies (
  tenant     TEXT NOT NULL,
  commitment TEXT NOT NULL,
  salt       TEXT NOT NULL,
  value      TEXT NOT NULL,
  PRIMARY KEY (tenant, commitment)
) STRICT;

CREATE TABLE calls (
  tenant          TEXT NOT NULL,
  id              TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  tool_id         TEXT NOT NULL,
  contract_hash   TEXT NOT NULL,
  risk            TEXT NOT NULL CHECK (risk IN ('read', 'write', 'destructive')),
  requested_input TEXT NOT NULL,
  -- NULL: as it was requested.
  executed_input  TEXT,
  idempotency_key TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('requested', 'asked', 'approved', 'started', 'succeeded', 'failed',
                    'refused', 'denied', 'expired', 'unknown')),
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
CREATE INDEX calls_of_run ON calls (tenant, run_id, created_at);
CREATE INDEX calls_started ON calls (tenant, created_at) WHERE state = 'started';
CREATE TRIGGER calls_ended_stay BEFORE UPDATE OF state ON calls
WHEN OLD.state IN ('succeeded', 'failed', 'refused', 'denied', 'expired')
BEGIN SELECT RAISE(ABORT, 'a call that has ended stays so'); END;

CREATE TABLE approvals (
  tenant       TEXT NOT NULL,
  id           TEXT NOT NULL,
  call_id      TEXT NOT NULL,
  run_id       TEXT NOT NULL,
  session_id   TEXT NOT NULL,
  tool_id      TEXT NOT NULL,
  digest       TEXT NOT NULL,
  card         TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'expired')),
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
CREATE UNIQUE INDEX approvals_waiting ON approvals (tenant, call_id) WHERE status = 'pending';
CREATE INDEX approvals_due ON approvals (tenant, expires_at) WHERE status = 'pending';
CREATE INDEX approvals_recent ON approvals (tenant, created_at);
CREATE TRIGGER approvals_decided_stay BEFORE UPDATE ON approvals WHEN OLD.status <> 'pending'
BEGIN SELECT RAISE(ABORT, 'the first answer stays'); END;

CREATE TABLE grants (
  tenant        TEXT NOT NULL,
  id            TEXT NOT NULL,
  tool_id       TEXT NOT NULL,
  scope         TEXT NOT NULL CHECK (scope IN ('call', 'tool')),
  match         TEXT,
  session_id    TEXT,
  contract_hash TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER,
  created_by    TEXT NOT NULL,
  uses          INTEGER NOT NULL,
  uses_max      INTEGER,
  revoked_at    INTEGER,
  words         TEXT NOT NULL,
  PRIMARY KEY (tenant, id),
  CHECK (uses_max IS NULL OR uses <= uses_max)
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_recent ON grants (tenant, created_at, id);
CREATE INDEX grants_standing ON grants (tenant, created_at, id) WHERE revoked_at IS NULL;
CREATE TRIGGER grants_revoked_stay BEFORE UPDATE ON grants WHEN OLD.revoked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a revoked grant stays revoked'); END;

-- The contracts the owner knows.
CREATE TABLE contracts (
  tenant        TEXT NOT NULL,
  tool_id       TEXT NOT NULL,
  contract_hash TEXT NOT NULL,
  known_at      INTEGER NOT NULL,
  PRIMARY KEY (tenant, tool_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sessions_take_calls BEFORE DELETE ON sessions
BEGIN
  DELETE FROM calls WHERE tenant = OLD.tenant AND run_id IN
    (SELECT id FROM runs WHERE tenant = OLD.tenant AND session_id = OLD.id);
  DELETE FROM approvals WHERE tenant = OLD.tenant AND session_id = OLD.id;
END;
`,
};
