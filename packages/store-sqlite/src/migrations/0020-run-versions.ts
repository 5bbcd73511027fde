import type { Migration } from "../migrations.ts";

/**
 * Runs that are versions of each other, and folders of sessions. A session without versions has no
 * rows here: its runs follow each other as they ended. From its first version on every run of it has
 * one, those that it was copied with included.
 */
export const runVersions: Migration = {
  version: 20,
  name: "0020-run-versions",
  sql: `
CREATE TABLE run_tree (
  tenant     TEXT NOT NULL,
  session_id TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  -- The order in which they were accepted.
  n          INTEGER NOT NULL,
  -- The run that it continues; empty at the beginning.
  parent     TEXT NOT NULL,
  shown      INTEGER NOT NULL CHECK (shown IN (0, 1)),
  PRIMARY KEY (tenant, session_id, run_id),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX run_tree_in_order ON run_tree (tenant, session_id, n);
CREATE INDEX run_tree_shown ON run_tree (tenant, session_id, shown, n);

ALTER TABLE sessions ADD COLUMN folder TEXT;
CREATE INDEX sessions_filed ON sessions (tenant, updated_at, id) WHERE folder IS NOT NULL AND deleted_at IS NULL;
`,
};
