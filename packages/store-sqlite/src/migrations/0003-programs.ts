import type { Migration } from "../migrations.ts";

/** Programs that have not ended: how they began, what they asked for, and in which order it was answered. */
export const programsSchema: Migration = {
  version: 3,
  name: "0003-programs",
  sql: `
CREATE TABLE programs (
  tenant            TEXT NOT NULL,
  call_id           TEXT NOT NULL,
  run_id            TEXT NOT NULL,
  started_at        INTEGER NOT NULL,
  seed              TEXT NOT NULL,
  javascript        TEXT NOT NULL,
  tool_ids          TEXT NOT NULL,
  source_hash       TEXT NOT NULL,
  declarations_hash TEXT NOT NULL,
  PRIMARY KEY (tenant, call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE program_steps (
  tenant       TEXT NOT NULL,
  call_id      TEXT NOT NULL,
  idx          INTEGER NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('tool', 'sleep', 'search', 'describe')),
  request_hash TEXT NOT NULL,
  at           INTEGER NOT NULL,
  -- Set together, once.
  settle_order INTEGER,
  settled_at   INTEGER,
  result       TEXT,
  PRIMARY KEY (tenant, call_id, idx),
  FOREIGN KEY (tenant, call_id) REFERENCES programs (tenant, call_id) ON DELETE CASCADE,
  CHECK ((settle_order IS NULL) = (settled_at IS NULL)),
  CHECK ((settle_order IS NULL) = (result IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX program_answers ON program_steps (tenant, call_id, settle_order)
  WHERE settle_order IS NOT NULL;
CREATE TRIGGER program_answers_stay BEFORE UPDATE ON program_steps WHEN OLD.settle_order IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an answer stays as it was given'); END;

CREATE TRIGGER sessions_take_programs BEFORE DELETE ON sessions
BEGIN
  DELETE FROM programs WHERE tenant = OLD.tenant AND run_id IN
    (SELECT id FROM runs WHERE tenant = OLD.tenant AND session_id = OLD.id);
END;
`,
};
