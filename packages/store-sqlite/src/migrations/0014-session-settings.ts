import type { Migration } from "../migrations.ts";

/** What counts in one session beside its model: system prompt, sampling, tools, pinned answers; as JSON. */
export const sessionSettings: Migration = {
  version: 14,
  name: "0014-session-settings",
  sql: "ALTER TABLE sessions ADD COLUMN settings TEXT;",
};
