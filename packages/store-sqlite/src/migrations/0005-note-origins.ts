import type { Migration } from "../migrations.ts";

/**
 * Whose words stand in notes, by the hash of each line. Only lines that came through a run are
 * here; one that is not was written by the owner's own hand. It lies in this database because
 * the index of memory can be thrown away, and because a note's text could claim anything about itself.
 *
 * And what a note held before a call changed it, for settling that call after a crash and for taking it back.
 */
export const noteOrigins: Migration = {
  version: 5,
  name: "0005-note-origins",
  sql: `
CREATE TABLE note_origins (
  tenant   TEXT NOT NULL,
  line_sha TEXT NOT NULL,
  origin   TEXT NOT NULL CHECK (origin IN ('agent', 'untrusted')),
  run_id   TEXT,
  at       INTEGER NOT NULL,
  PRIMARY KEY (tenant, line_sha)
) STRICT, WITHOUT ROWID;

CREATE TABLE note_copies (
  tenant    TEXT NOT NULL,
  call_key  TEXT NOT NULL,
  key       TEXT NOT NULL,
  -- NULL where there was no such note.
  before    TEXT,
  after_sha TEXT NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (tenant, call_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_copies_by_note ON note_copies (tenant, key);
CREATE INDEX note_copies_by_age ON note_copies (tenant, at);
`,
};
