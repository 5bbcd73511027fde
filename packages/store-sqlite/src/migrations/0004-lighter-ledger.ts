import type { Migration } from "../migrations.ts";

const NAMES = { id: "id", run: "run_id", call: "call_id", tool: "tool_id", type: "type" };

export function listed(which: string): string {
  const list = ([kind, column]: [string, string]) =>
    `INSERT INTO receipt_blocks SELECT DISTINCT tenant, '${kind}', ${column}, (seq + 63) / 64 FROM receipts
    WHERE ${which} AND ${column} IS NOT NULL;`;
  return Object.entries(NAMES).map(list).join("\n");
}

/**
 * The same ledger with less to write in each commit, since that is what a call waits for.
 *
 * Receipts lie in the order of their numbers, and that is the only order kept as they are
 * written. By what else they are looked for (id, run, call, tool, type) is listed by blocks of
 * 64 receipts, by the database itself and in the commit of the last of them. Whoever looks
 * reads the receipts after the last whole block, which are fewer than 64, and then the blocks
 * that the list names. A list only says where to look: what it says is held against the receipts.
 *
 * Bodies lie by their commitment. Approvals that wait are few, and need one index between them.
 */
export const lighterLedger: Migration = {
  version: 4,
  name: "0004-lighter-ledger",
  sql: `
CREATE TABLE receipts_by_number (
  tenant    TEXT NOT NULL,
  seq       INTEGER NOT NULL CHECK (seq > 0),
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
  hash      TEXT NOT NULL,
  tool_id   TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(payload) THEN CAST(json_extract(payload, '$.toolId') AS TEXT) END) VIRTUAL,
  PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO receipts_by_number
  (tenant, seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash)
  SELECT tenant, seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash
  FROM receipts ORDER BY tenant, seq;
DROP TABLE receipts;
ALTER TABLE receipts_by_number RENAME TO receipts;

-- Which blocks hold receipts of a name. kind: 'id', 'run', 'call', 'tool', 'type'. Block 1 is receipts 1 to 64.
CREATE TABLE receipt_blocks (
  tenant TEXT NOT NULL,
  kind   TEXT NOT NULL,
  name   TEXT NOT NULL,
  block  INTEGER NOT NULL,
  PRIMARY KEY (tenant, kind, name, block)
) STRICT, WITHOUT ROWID;
${listed("seq <= (SELECT max(seq) FROM receipts AS r WHERE r.tenant = receipts.tenant) / 64 * 64")}

CREATE TRIGGER receipts_stay BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER receipts_remain BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END;
-- The second half also stops INSERT OR REPLACE, which deletes without the delete trigger.
CREATE TRIGGER receipts_follow BEFORE INSERT ON receipts
WHEN NEW.prev_hash IS NOT CASE NEW.seq WHEN 1 THEN '${"0".repeat(64)}'
    ELSE (SELECT hash FROM receipts WHERE tenant = NEW.tenant AND seq = NEW.seq - 1) END
  OR EXISTS (SELECT 1 FROM receipts WHERE tenant = NEW.tenant AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'a receipt follows the last one'); END;
CREATE TRIGGER receipts_listed AFTER INSERT ON receipts WHEN NEW.seq % 64 = 0
BEGIN
${listed("tenant = NEW.tenant AND seq > NEW.seq - 64 AND seq <= NEW.seq")}
END;
CREATE TRIGGER receipt_blocks_stay BEFORE UPDATE ON receipt_blocks
BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER receipt_blocks_remain BEFORE DELETE ON receipt_blocks
BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END;

CREATE TABLE bodies_by_commitment (
  tenant     TEXT NOT NULL,
  commitment TEXT NOT NULL,
  salt       TEXT NOT NULL,
  value      TEXT NOT NULL,
  PRIMARY KEY (tenant, commitment)
) STRICT, WITHOUT ROWID;
INSERT INTO bodies_by_commitment SELECT tenant, commitment, salt, value FROM bodies ORDER BY tenant, commitment;
DROP TABLE bodies;
ALTER TABLE bodies_by_commitment RENAME TO bodies;

DROP INDEX approvals_due;
`,
};
