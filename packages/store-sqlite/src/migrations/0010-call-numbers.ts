import type { Migration } from "../migrations.ts";

/**
 * Calls are numbered through their session. The number is given with the row and stands in the
 * call's first receipt too; the index finds the last one, and the calls of a session in order.
 *
 * Calls that are there already are counted, so that the next one of their session comes after
 * them. Their receipts say nothing of it: they are still shown under the numbers of their run,
 * which their replies cite.
 */
export const callNumbers: Migration = {
  version: 10,
  name: "0010-call-numbers",
  sql: `
ALTER TABLE calls ADD COLUMN number INTEGER;
UPDATE calls SET number = counted.n FROM (
  SELECT rowid AS r, row_number() OVER (PARTITION BY tenant, session_id ORDER BY created_at, rowid) AS n FROM calls
) AS counted WHERE calls.rowid = counted.r;
CREATE UNIQUE INDEX calls_of_session ON calls (tenant, session_id, number);
CREATE TRIGGER calls_numbers_stay BEFORE UPDATE OF number ON calls
BEGIN SELECT RAISE(ABORT, 'the number of a call is never changed'); END;
`,
};
