import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { NewReceipt } from "@elwood/core/receipts/receipt";
import type { Recalled, RecallFact } from "../ports/ports.ts";
import type { ReceiptFactory } from "./receipt-factory.ts";
import { mustWrite } from "./must-write.ts";
import type { Ledger } from "./ports.ts";

/**
 * The receipt of what was recalled. In the open it says how much, and of each thing only a
 * commitment, its kind and its line: names of notes are the owner's words too, and must be
 * forgettable. All else lies in the body. `first` is the run's own first receipt, where it has none yet.
 */
export async function recordRecall(
  { ledger }: { readonly ledger: Ledger },
  receiptFactory: ReceiptFactory,
  tenant: string,
  { runId, surface, text, items }: RecallFact,
  first: NewReceipt | undefined,
): Promise<void> {
  const recalled: Recalled = { text, items };
  const body = receiptFactory.body(recalled);
  const receipt: NewReceipt = {
    type: "memory.recalled",
    runId,
    actor: "gateway",
    surface,
    payload: {
      count: items.length,
      chars: text.length,
      items: items.map(({ source, line, origin }) => ({ kind: kindOf(source), line, origin })),
      recallCommit: body.commit,
    },
  };
  await mustWrite(ledger, tenant, `run ${runId}`, {
    receipts: [...(first ? [first] : []), receipt],
    changes: [{ kind: "body.put", body }],
  });
}

/** undefined where nothing is on record for the run, or where it was erased. */
export async function recordedRecall(
  ledger: Pick<Ledger, "receipts" | "body">,
  tenant: string,
  runId: string,
): Promise<Recalled | undefined> {
  const [receipt] = await ledger.receipts(tenant, { runId, types: ["memory.recalled"], limit: 1 });
  if (!receipt || !isReceipt(receipt, "memory.recalled")) return undefined;
  const body = await ledger.body(tenant, receipt.payload.recallCommit);
  // Nothing but recordRecall puts a body behind that commitment.
  return body?.value as Recalled | undefined;
}

function kindOf(source: string): "note" | "conversation" {
  return source.startsWith("memory/") ? "note" : "conversation";
}
