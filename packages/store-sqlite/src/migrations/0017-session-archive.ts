import type { Migration } from "../migrations.ts";

/** Where a session was begun, and since when it is out of the way. */
export const sessionArchive: Migration = {
  version: 17,
  name: "0017-session-archive",
  sql: `
ALTER TABLE sessions ADD COLUMN surface TEXT;
ALTER TABLE sessions ADD COLUMN archived_at INTEGER;
`,
};
