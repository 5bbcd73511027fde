import type { Migration } from "../migrations.ts";

/** Of a payload, the tool that it names. One that was changed by hand may not be JSON. */
const TOOL_IN_PAYLOAD =
  "CASE WHEN json_valid(payload) THEN CAST(json_extract(payload, '$.toolId') AS TEXT) END";

const BLOCK = "tenant = NEW.tenant AND seq > NEW.seq - 64 AND seq <= NEW.seq";

function listed(kind: string, name: string): string {
  return `INSERT INTO receipt_blocks SELECT DISTINCT tenant, '${kind}', ${name}, (seq + 63) / 64 FROM receipts
    WHERE ${BLOCK} AND ${name} IS NOT NULL;`;
}

/**
 * The tool of a receipt is worked out where somebody looks for it. As a column it was worked out of the payload with
 * every receipt that was written, twice, and with every one that was read; nothing of it was ever stored, so that no
 * receipt is touched by its going. Ids are all different, so that listing them sorts nothing out.
 */
export const lighterReceipts: Migration = {
  version: 23,
  name: "0023-lighter-receipts",
  sql: `
DROP TRIGGER receipts_listed;
ALTER TABLE receipts DROP COLUMN tool_id;
CREATE TRIGGER receipts_listed AFTER INSERT ON receipts WHEN NEW.seq % 64 = 0
BEGIN
INSERT OR IGNORE INTO receipt_blocks SELECT tenant, 'id', id, (seq + 63) / 64 FROM receipts WHERE ${BLOCK};
${listed("run", "run_id")}
${listed("call", "call_id")}
${listed("tool", TOOL_IN_PAYLOAD)}
${listed("type", "type")}
END;
`,
};
