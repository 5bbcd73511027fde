import type { Migration } from "../migrations.ts";

/**
 * What is done by itself at its time, and what became of each due time. A due time of a job is there
 * once, so that a clock that was set back sets nothing off a second time.
 */
export const jobs: Migration = {
  version: 13,
  name: "0013-jobs",
  sql: `
CREATE TABLE jobs (
  tenant     TEXT NOT NULL,
  id         TEXT NOT NULL,
  name       TEXT NOT NULL,
  folded     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  source     TEXT NOT NULL,
  schedule   TEXT NOT NULL,
  message    TEXT NOT NULL,
  agent_id   TEXT,
  model      TEXT,
  isolated   INTEGER NOT NULL,
  target     TEXT NOT NULL,
  catch_up   TEXT NOT NULL,
  overlap    TEXT NOT NULL,
  jitter_ms  INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  paused_at  INTEGER,
  ended_at   INTEGER,
  next_at    INTEGER,
  fire_at    INTEGER,
  PRIMARY KEY (tenant, id)
) STRICT;
CREATE UNIQUE INDEX jobs_by_name ON jobs (tenant, folded);
CREATE INDEX jobs_due ON jobs (tenant, fire_at) WHERE fire_at IS NOT NULL;

CREATE TABLE occurrences (
  tenant           TEXT NOT NULL,
  seq              INTEGER NOT NULL,
  id               TEXT NOT NULL,
  job_id           TEXT NOT NULL,
  due_at           INTEGER NOT NULL,
  at               INTEGER NOT NULL,
  trigger          TEXT NOT NULL,
  status           TEXT NOT NULL,
  times            INTEGER,
  reason           TEXT,
  session_id       TEXT,
  run_id           TEXT,
  quiet            INTEGER NOT NULL DEFAULT 0,
  delivery         TEXT NOT NULL,
  delivery_problem TEXT,
  ended_at         INTEGER,
  PRIMARY KEY (tenant, seq),
  UNIQUE (tenant, id),
  FOREIGN KEY (tenant, job_id) REFERENCES jobs (tenant, id) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX occurrences_once ON occurrences (tenant, job_id, due_at) WHERE trigger <> 'manual';
CREATE INDEX occurrences_of_job ON occurrences (tenant, job_id, seq);
CREATE INDEX occurrences_open ON occurrences (tenant, seq)
  WHERE status IN ('due', 'queued', 'running') OR delivery = 'pending';
CREATE INDEX occurrences_of_run ON occurrences (tenant, run_id) WHERE run_id IS NOT NULL;
CREATE TRIGGER occurrences_over_stay BEFORE UPDATE OF status, run_id, session_id, quiet, ended_at ON occurrences
WHEN OLD.status NOT IN ('due', 'queued', 'running')
BEGIN SELECT RAISE(ABORT, 'what became of a due time stays'); END;
`,
};
