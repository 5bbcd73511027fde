import type { Migration } from "../migrations.ts";

/**
 * Runs by status, where the status is rare: of those that went well any page of the list is full of them, and those
 * that have not ended have an index of their own. A run that goes well changed the old index three times.
 */
export const runsByStatus: Migration = {
  version: 22,
  name: "0022-runs-by-status",
  sql: `
DROP INDEX runs_of_status;
CREATE INDEX runs_gone_wrong ON runs (tenant, status, seq) WHERE status IN ('failed', 'aborted');
`,
};
