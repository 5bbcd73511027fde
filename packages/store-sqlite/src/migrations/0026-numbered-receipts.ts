import type { Migration } from "../migrations.ts";

const NO_HASH = "0".repeat(64);
const COLUMNS = "seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash";

function rules(table: string, name: string): string {
  return `
CREATE TRIGGER ${name}_stay BEFORE UPDATE ON ${table}
BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER ${name}_remain BEFORE DELETE ON ${table}
BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END;`;
}

/** It names the last receipt, and has the number after it; no text is equal to 0. */
function isAfterLast(table: string, where: string): string {
  return `(SELECT iif(seq = NEW.seq - 1, hash, 0) FROM ${table} ${where} ORDER BY seq DESC LIMIT 1)`;
}

/**
 * Receipts of the default tenant, which is the only one of most installations, lie from now on where their number is
 * the row's own: the index of a key beside it was one more page in every commit, and a call waits for each page. Those
 * before them, and those of other tenants, stay where they are: no row is moved, so that this takes no time however
 * many there are. Whoever reads sees one log, `receipts`, as it was.
 */
export const numberedReceipts: Migration = {
  version: 26,
  name: "0026-numbered-receipts",
  sql: `
DROP TRIGGER receipts_stay;
DROP TRIGGER receipts_remain;
DROP TRIGGER receipts_follow;
ALTER TABLE receipts RENAME TO receipts_by_tenant;
CREATE TABLE receipts_by_number (
  seq       INTEGER PRIMARY KEY CHECK (seq > 0),
  id        TEXT NOT NULL,
  run_id    TEXT NOT NULL,
  call_id   TEXT,
  type      TEXT NOT NULL,
  ts        INTEGER NOT NULL,
  actor     TEXT NOT NULL,
  surface   TEXT NOT NULL,
  -- Canonical JSON, byte for byte as it was hashed.
  payload   TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash      TEXT NOT NULL
) STRICT;
-- A text like the other half's, or SQLite would not look into each half by its key.
CREATE VIEW receipts AS
  SELECT tenant, ${COLUMNS} FROM receipts_by_tenant
  UNION ALL SELECT CAST('default' AS TEXT) AS tenant, ${COLUMNS} FROM receipts_by_number;
${rules("receipts_by_tenant", "receipts_by_tenant")}
${rules("receipts_by_number", "receipts")}
-- Also against INSERT OR REPLACE, which deletes without the delete trigger.
CREATE TRIGGER receipts_by_tenant_follow BEFORE INSERT ON receipts_by_tenant
WHEN NEW.tenant = 'default' OR NEW.prev_hash IS NOT coalesce(
  ${isAfterLast("receipts_by_tenant", "WHERE tenant = NEW.tenant")},
  iif(NEW.seq = 1, '${NO_HASH}', 0))
BEGIN SELECT RAISE(ABORT, 'a receipt follows the last one'); END;
CREATE TRIGGER receipts_follow BEFORE INSERT ON receipts_by_number
WHEN NEW.prev_hash IS NOT coalesce(
  ${isAfterLast("receipts_by_number", "")},
  ${isAfterLast("receipts_by_tenant", "WHERE tenant = 'default'")},
  iif(NEW.seq = 1, '${NO_HASH}', 0))
BEGIN SELECT RAISE(ABORT, 'a receipt follows the last one'); END;
`,
};
