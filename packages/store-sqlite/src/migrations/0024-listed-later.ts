import type { Migration } from "../migrations.ts";

/**
 * Receipts are listed by what they are looked for (0004) after the commit of a block's last receipt, and no longer in
 * it: a call waits for its commit, and nobody waits for the list. How far they are listed is in the list itself, as
 * the blocks of the kind 'listed'; whoever looks reads the receipts after them.
 */
export const listedLater: Migration = {
  version: 24,
  name: "0024-listed-later",
  sql: `
DROP TRIGGER receipts_listed;
INSERT OR IGNORE INTO receipt_blocks SELECT tenant, 'listed', '', seq / 64 FROM receipts WHERE seq % 64 = 0;
`,
};
