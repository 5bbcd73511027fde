import type { Migration } from "../migrations.ts";

/** The key of a browser that stays logged in, by which it proves that it is the one. */
export const devices: Migration = {
  version: 18,
  name: "0018-devices",
  sql: "ALTER TABLE tokens ADD COLUMN public_key TEXT;",
};
