import type { Migration } from "../migrations.ts";

/** Calls of a run go with the last session that holds its messages. */
export const SESSIONS_TAKE_CALLS = `CREATE TRIGGER sessions_take_calls BEFORE DELETE ON sessions
BEGIN
  DELETE FROM calls WHERE tenant = OLD.tenant
    AND run_id IN (SELECT id FROM runs WHERE tenant = OLD.tenant AND session_id = OLD.id
      UNION SELECT run_id FROM forked_runs WHERE tenant = OLD.tenant AND session_id = OLD.id)
    AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.tenant = OLD.tenant AND r.id = calls.run_id AND r.session_id <> OLD.id)
    AND NOT EXISTS (SELECT 1 FROM forked_runs AS f
      WHERE f.tenant = OLD.tenant AND f.run_id = calls.run_id AND f.session_id <> OLD.id);
  DELETE FROM approvals WHERE tenant = OLD.tenant AND session_id = OLD.id;
END;`;

/**
 * Sessions that began as a copy of another up to one of its runs. Receipts are not copied, and
 * neither are runs: a copied message names the run it came from. What the owner typed is kept
 * here once more, by run, since it decides what may be done without asking, must not be taken
 * from a file, and outlives the session it was typed in.
 */
export const forks: Migration = {
  version: 6,
  name: "0006-forks",
  sql: `
ALTER TABLE sessions ADD COLUMN forked_from TEXT;
ALTER TABLE sessions ADD COLUMN forked_at_run TEXT;

CREATE TABLE forked_runs (
  tenant     TEXT NOT NULL,
  session_id TEXT NOT NULL,
  n          INTEGER NOT NULL,
  run_id     TEXT NOT NULL,
  -- What it began with, as JSON: the message, and what was recalled for it.
  opening    TEXT NOT NULL,
  PRIMARY KEY (tenant, session_id, n),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX forked_runs_by_run ON forked_runs (tenant, run_id);
CREATE TRIGGER forked_runs_stay BEFORE UPDATE ON forked_runs
BEGIN SELECT RAISE(ABORT, 'what was typed is not changed'); END;

-- Calls of a run go with the last session that holds its messages: a model that has their results before it has
-- read them, whichever session they were made in.
DROP TRIGGER sessions_take_calls;
${SESSIONS_TAKE_CALLS}

-- Copies whose file is being written. A row that stays was left by a crash, and so was its file.
CREATE TABLE forks_begun (
  tenant     TEXT NOT NULL,
  session_id TEXT NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (tenant, session_id)
) STRICT, WITHOUT ROWID;
`,
};
