import type { Migration } from "../migrations.ts";

/**
 * Every key begins with `tenant`. Tables with small rows are WITHOUT ROWID, so that the
 * primary key is the table; those with large rows (steps, said) are not, since SQLite
 * would copy such rows into its inner nodes.
 *
 * The rules of RunStore are held here, not only in the code that writes:
 *   R2  the unique index runs_active
 *   R3  the triggers steps_*
 *   R4  the triggers runs_* and the step trigger that looks at `ended_at`
 */
export const firstSchema: Migration = {
  version: 1,
  name: "first schema",
  sql: `
CREATE TABLE sessions (
  tenant        TEXT NOT NULL,
  id            TEXT NOT NULL,
  agent_id      TEXT NOT NULL,
  title         TEXT NOT NULL,
  title_folded  TEXT NOT NULL,
  titled_by     TEXT NOT NULL CHECK (titled_by IN ('default', 'message', 'owner')),
  pinned        INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  preview       TEXT NOT NULL DEFAULT '',
  deleted_at    INTEGER,
  PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_live ON sessions (tenant, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX sessions_trash ON sessions (tenant, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE TABLE runs (
  tenant             TEXT NOT NULL,
  id                 TEXT NOT NULL,
  -- The order in which runs were accepted; times can tie, and clocks can be set back.
  seq                INTEGER NOT NULL,
  session_id         TEXT NOT NULL,
  status             TEXT NOT NULL CHECK (status IN ('queued', 'running', 'waiting', 'done', 'failed', 'aborted')),
  surface            TEXT NOT NULL,
  model_asked        TEXT,
  model              TEXT,
  attempt            INTEGER NOT NULL DEFAULT 0,
  queued_at          INTEGER NOT NULL,
  started_at         INTEGER,
  ended_at           INTEGER,
  stop_reason        TEXT,
  failure            TEXT,
  input_tokens       INTEGER NOT NULL DEFAULT 0,
  output_tokens      INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens  INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  usage_estimated    INTEGER NOT NULL DEFAULT 0 CHECK (usage_estimated IN (0, 1)),
  cost_usd           REAL NOT NULL DEFAULT 0,
  laps               INTEGER NOT NULL DEFAULT 0,
  laps_unpriced      INTEGER NOT NULL DEFAULT 0,
  calls              INTEGER NOT NULL DEFAULT 0,
  idempotency_key    TEXT,
  request_hash       TEXT NOT NULL,
  transcript_offset  INTEGER,
  committed          INTEGER NOT NULL DEFAULT 0 CHECK (committed IN (0, 1)),
  PRIMARY KEY (tenant, id),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, id) ON DELETE CASCADE,
  CHECK ((ended_at IS NULL) = (status IN ('queued', 'running', 'waiting'))),
  CHECK ((ended_at IS NULL) = (transcript_offset IS NULL)),
  CHECK (committed = 0 OR ended_at IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX runs_active ON runs (tenant, session_id) WHERE status IN ('running', 'waiting');
CREATE UNIQUE INDEX runs_request ON runs (tenant, session_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX runs_recent ON runs (tenant, seq);
CREATE INDEX runs_of_session ON runs (tenant, session_id, seq);
CREATE INDEX runs_of_status ON runs (tenant, status, seq);
CREATE INDEX runs_unfinished ON runs (tenant, session_id, seq) WHERE ended_at IS NULL;
CREATE INDEX runs_uncommitted ON runs (tenant, session_id, ended_at, seq) WHERE committed = 0 AND ended_at IS NOT NULL;

CREATE TRIGGER runs_ended_stay BEFORE UPDATE OF
  tenant, id, seq, session_id, status, surface, model_asked, model, attempt, queued_at, started_at, ended_at,
  stop_reason, failure, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, usage_estimated,
  cost_usd, laps, laps_unpriced, calls, idempotency_key, request_hash
ON runs WHEN OLD.ended_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a run that ended never changes'); END;
CREATE TRIGGER runs_committed_stay BEFORE UPDATE OF committed, transcript_offset ON runs WHEN OLD.committed = 1
BEGIN SELECT RAISE(ABORT, 'a committed run stays committed'); END;

CREATE TABLE steps (
  tenant  TEXT NOT NULL,
  run_id  TEXT NOT NULL,
  n       INTEGER NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (tenant, run_id, n),
  FOREIGN KEY (tenant, run_id) REFERENCES runs (tenant, id) ON DELETE CASCADE
) STRICT;
CREATE TRIGGER steps_in_order BEFORE INSERT ON steps
WHEN NEW.n <> (SELECT coalesce(max(n), -1) + 1 FROM steps WHERE tenant = NEW.tenant AND run_id = NEW.run_id)
BEGIN SELECT RAISE(ABORT, 'steps are added at the end'); END;
CREATE TRIGGER steps_end_with_run BEFORE INSERT ON steps
WHEN EXISTS (SELECT 1 FROM runs WHERE tenant = NEW.tenant AND id = NEW.run_id AND ended_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'a run that ended takes no more steps'); END;
CREATE TRIGGER steps_stay BEFORE UPDATE ON steps
BEGIN SELECT RAISE(ABORT, 'steps are never changed'); END;
CREATE TRIGGER steps_leave_with_run BEFORE DELETE ON steps
WHEN EXISTS (SELECT 1 FROM runs WHERE tenant = OLD.tenant AND id = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'steps go only with their run'); END;

-- The answer being written when it was last put on disk. Apart from runs, which so stay small.
CREATE TABLE partials (
  tenant TEXT NOT NULL,
  run_id TEXT NOT NULL,
  text   TEXT NOT NULL,
  PRIMARY KEY (tenant, run_id),
  FOREIGN KEY (tenant, run_id) REFERENCES runs (tenant, id) ON DELETE CASCADE
) STRICT;

-- One row a model call. No foreign key: what was spent stays spent when a session is purged.
CREATE TABLE usage (
  tenant             TEXT NOT NULL,
  at                 INTEGER NOT NULL,
  run_id             TEXT NOT NULL,
  lap                INTEGER NOT NULL,
  model              TEXT NOT NULL,
  input_tokens       INTEGER NOT NULL,
  output_tokens      INTEGER NOT NULL,
  cache_read_tokens  INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cost_usd           REAL,
  PRIMARY KEY (tenant, at, run_id, lap)
) STRICT, WITHOUT ROWID;

-- What people and the model said, as one plain line each; \`folded\` is its form for comparing, where that differs.
-- \`doc\` is the row of the index. It begins with the time, so that the index itself is in order of time.
CREATE TABLE said (
  tenant     TEXT NOT NULL,
  session_id TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  i          INTEGER NOT NULL,
  doc        INTEGER NOT NULL UNIQUE,
  ts         INTEGER NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  text       TEXT NOT NULL,
  folded     TEXT,
  PRIMARY KEY (tenant, session_id, run_id, i),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, id) ON DELETE CASCADE
) STRICT;
CREATE VIRTUAL TABLE said_index USING fts5 (
  folded, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
CREATE TRIGGER said_comes AFTER INSERT ON said
BEGIN INSERT INTO said_index (rowid, folded) VALUES (NEW.doc, coalesce(NEW.folded, NEW.text)); END;
CREATE TRIGGER said_goes AFTER DELETE ON said
BEGIN DELETE FROM said_index WHERE rowid = OLD.doc; END;
CREATE TRIGGER said_stays BEFORE UPDATE ON said
BEGIN SELECT RAISE(ABORT, 'what was said is not changed'); END;

CREATE TABLE blobs (
  tenant     TEXT NOT NULL,
  id         TEXT NOT NULL,
  sha256     TEXT NOT NULL,
  mime       TEXT NOT NULL,
  bytes      INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, sha256, mime)
) STRICT, WITHOUT ROWID;

-- \`scopes\` is a JSON array. The token itself is never here.
CREATE TABLE tokens (
  tenant       TEXT NOT NULL,
  id           TEXT NOT NULL,
  name         TEXT NOT NULL,
  scopes       TEXT NOT NULL,
  hash         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at   INTEGER,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, hash)
) STRICT, WITHOUT ROWID;
`,
};
