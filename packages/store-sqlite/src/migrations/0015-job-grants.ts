import type { Migration } from "../migrations.ts";

/**
 * Standing permissions for jobs: the job as it was, and how often one may be used in a run. A call
 * says which permission let it go, so that the uses in a run can be counted.
 */
export const jobGrants: Migration = {
  version: 15,
  name: "0015-job-grants",
  sql: `
ALTER TABLE calls ADD COLUMN grant_id TEXT;
ALTER TABLE grants ADD COLUMN job TEXT;
ALTER TABLE grants ADD COLUMN uses_per_run INTEGER;
CREATE TRIGGER grants_bounds_stay BEFORE UPDATE OF job, uses_per_run ON grants
BEGIN SELECT RAISE(ABORT, 'what a grant is bound to stays'); END;
`,
};
