import type { Migration } from "../migrations.ts";

/**
 * The chat of a channel that a session belongs to. One chat has one session at a time; a row
 * goes with its session.
 */
export const outsideKeys: Migration = {
  version: 11,
  name: "0011-outside-keys",
  sql: `
ALTER TABLE sessions ADD COLUMN channel TEXT;
ALTER TABLE sessions ADD COLUMN chat TEXT;
CREATE UNIQUE INDEX sessions_by_chat ON sessions (tenant, channel, chat) WHERE channel IS NOT NULL;
`,
};
