import { LIMITS } from "@elwood/core/base/limits";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Ledger, ReceiptQuery } from "@elwood/runtime/ports/gate-ports";

/** Receipts of a run page by page, newest first, `LIMITS.runReceiptsMax` at most. */
export async function readReceipts(
  ledger: Pick<Ledger, "receipts">,
  tenant: string,
  query: Omit<ReceiptQuery, "limit" | "before">,
): Promise<readonly StoredReceipt[]> {
  const found: StoredReceipt[] = [];
  let before: number | undefined;
  while (found.length < LIMITS.runReceiptsMax) {
    const limit = LIMITS.pageSizeMax;
    const page = await ledger.receipts(tenant, {
      ...query,
      limit,
      ...(before === undefined ? {} : { before }),
    });
    found.push(...page);
    before = page.at(-1)?.seq;
    if (page.length < limit) break;
  }
  return found;
}
