import type { ReceiptQuery } from "@elwood/runtime/ports/gate-ports";
import { pageLimit } from "@elwood/runtime/run/store-input";
import type { Database } from "./database.ts";
import type { ReceiptRow } from "./ledger-rows.ts";
import { LEDGER_SQL, receiptsAfter } from "./ledger-sql.ts";
import { BLOCK, listedUpTo } from "./list-receipts.ts";

type Wanted = ReceiptQuery & { readonly id?: string };

/**
 * Receipts as they are asked for, newest first. Those after the last listed block are read
 * through; before them only the blocks that are listed for the rarest kind of name asked for.
 * Where no name is asked for, all are read through from the newest back.
 */
export function findReceipts(
  db: Pick<Database, "get" | "all">,
  tenant: string,
  asked: Wanted,
): readonly ReceiptRow[] {
  const limit = pageLimit(asked.limit);
  const { last, listed: whole } = listedUpTo(db, tenant);
  const end = Math.min(asked.before ?? last + 1, last + 1);
  const found: ReceiptRow[] = [];
  const read = (after: number, before: number) => {
    const { query, params } = receiptsAfter(tenant, after, { ...asked, before: Math.min(before, end) });
    found.push(...db.all(query, ...params, limit - found.length));
  };
  const wanted = namesIn(asked);
  const listed = wanted ? whole : 0;
  read(listed, end);
  if (!wanted) return found;
  const blockBefore = (block: number) =>
    wanted.names.reduce((latest, name) => {
      const row = db.get(LEDGER_SQL.blockBefore, tenant, wanted.kind, name, block);
      return Math.max(latest, row?.block ?? 0);
    }, 0);
  // The number of the block goes down at each step.
  let block = blockBefore(Math.ceil(Math.min(end, listed) / BLOCK) + 1);
  while (block > 0 && found.length < limit) {
    read((block - 1) * BLOCK, block * BLOCK + 1);
    block = blockBefore(block);
  }
  return found;
}

function namesIn(asked: Wanted): { kind: string; names: readonly string[] } | undefined {
  const { id, callId, runId, toolId, types } = asked;
  if (id !== undefined) return { kind: "id", names: [id] };
  if (callId !== undefined) return { kind: "call", names: [callId] };
  if (runId !== undefined) return { kind: "run", names: [runId] };
  if (toolId !== undefined) return { kind: "tool", names: [toolId] };
  return types && { kind: "type", names: types };
}
