import type { Migration } from "../migrations.ts";

/**
 * Runs that are not in their transcript yet, ended or not, in one index. There were two, and the end of every run moved
 * it from one to the other; now it comes into the index when it is accepted, and leaves it when it is committed. They
 * are few at any time, so that those wanted are picked out of them.
 */
export const openRuns: Migration = {
  version: 25,
  name: "0025-open-runs",
  sql: `
DROP INDEX runs_unfinished;
DROP INDEX runs_uncommitted;
CREATE INDEX runs_open ON runs (tenant, session_id, seq) WHERE committed = 0;
`,
};
