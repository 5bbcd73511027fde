import type { Migration } from "../migrations.ts";

/** Lines that the owner does not want put before a run unasked, by the hash of what they say. */
export const neverRecalled: Migration = {
  version: 9,
  name: "0009-never-recalled",
  sql: `
CREATE TABLE never_recalled (
  tenant   TEXT NOT NULL,
  text_sha TEXT NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (tenant, text_sha)
) STRICT, WITHOUT ROWID;
`,
};
