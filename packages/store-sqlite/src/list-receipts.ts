import { query, type Database } from "./database.ts";
import { TOOL_IN_PAYLOAD } from "./ledger-sql.ts";

/** As many receipts are in a block. */
export const BLOCK = 64;

/** Listed at once. More than one are due only after a crash, and the rest with the next one. */
const BLOCKS_MAX = 8;

const IN_BLOCK = `tenant = ?1 AND seq > (?2 - 1) * ${BLOCK} AND seq <= ?2 * ${BLOCK}`;

export const LIST_SQL = {
  /** The last receipt, and the last block that is listed. */
  ends: query<{
    seq: number | null;
    block: number | null;
  }>(`SELECT (SELECT seq FROM receipts WHERE tenant = ?1 ORDER BY seq DESC LIMIT 1) AS seq,
    (SELECT block FROM receipt_blocks WHERE tenant = ?1 AND kind = 'listed' AND name = ''
      ORDER BY block DESC LIMIT 1) AS block`),
  ids: `INSERT OR IGNORE INTO receipt_blocks SELECT tenant, 'id', id, ?2 FROM receipts WHERE ${IN_BLOCK}`,
  runs: listed("run", "run_id"),
  calls: listed("call", "call_id"),
  /** A row that is looked at twice would be parsed twice. */
  tools: `INSERT OR IGNORE INTO receipt_blocks SELECT ?1, 'tool', name, ?2
    FROM (SELECT DISTINCT ${TOOL_IN_PAYLOAD} AS name FROM receipts WHERE ${IN_BLOCK} LIMIT ${BLOCK})
    WHERE name IS NOT NULL`,
  types: listed("type", "type"),
  whole: "INSERT OR IGNORE INTO receipt_blocks VALUES (?, 'listed', '', ?)",
};

function listed(kind: string, name: string): string {
  return `INSERT OR IGNORE INTO receipt_blocks SELECT DISTINCT tenant, '${kind}', ${name}, ?2 FROM receipts
    WHERE ${IN_BLOCK} AND ${name} IS NOT NULL`;
}

/** Up to which receipt they are listed, and the last one. */
export function listedUpTo(db: Pick<Database, "get">, tenant: string): { listed: number; last: number } {
  const { seq, block } = db.get(LIST_SQL.ends, tenant)!;
  return { listed: (block ?? 0) * BLOCK, last: seq ?? 0 };
}

/** Inside a transaction. */
export function listReceipts(db: Pick<Database, "get" | "run">, tenant: string): void {
  const { listed, last } = listedUpTo(db, tenant);
  const first = listed / BLOCK + 1;
  const whole = Math.min(Math.floor(last / BLOCK), first + BLOCKS_MAX - 1);
  for (let block = first; block <= whole; block++) {
    const { ids, runs, calls, tools, types, whole: marked } = LIST_SQL;
    for (const sql of [ids, runs, calls, tools, types, marked]) db.run(sql, tenant, block);
  }
}
