import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { NewReceipt } from "@elwood/core/receipts/receipt";
import type { ReplyFact } from "../ports/ports.ts";
import type { ReceiptFactory } from "./receipt-factory.ts";
import { mustWrite } from "./must-write.ts";
import type { Ledger } from "./ports.ts";

/**
 * The receipt of a reply. Drafts and reply lie in bodies, so that forgetting a conversation
 * forgets them too. `first` is the run's own first receipt, where it has none yet.
 */
export async function recordReply(
  { ledger }: { readonly ledger: Ledger },
  receiptFactory: ReceiptFactory,
  tenant: string,
  { runId, surface, payload, drafts, ending }: ReplyFact,
  first: NewReceipt | undefined,
): Promise<void> {
  if (await replyReceipt(ledger, tenant, runId)) return;
  const draft = receiptFactory.body(drafts);
  const reply = receiptFactory.body(ending);
  await mustWrite(ledger, tenant, `run ${runId}`, {
    receipts: [
      ...(first ? [first] : []),
      {
        type: "reply.grounded",
        runId,
        actor: "gateway",
        surface,
        payload: { ...payload, draftCommit: draft.commit, replyCommit: reply.commit },
      },
    ],
    changes: [
      { kind: "body.put", body: draft },
      { kind: "body.put", body: reply },
    ],
  });
}

/** undefined where no reply is on record, or where what it said was erased. */
export async function recordedEnding(
  ledger: Pick<Ledger, "receipts" | "body">,
  tenant: string,
  runId: string,
): Promise<unknown> {
  const receipt = await replyReceipt(ledger, tenant, runId);
  if (!receipt || !isReceipt(receipt, "reply.grounded")) return undefined;
  return (await ledger.body(tenant, receipt.payload.replyCommit))?.value;
}

async function replyReceipt(ledger: Pick<Ledger, "receipts">, tenant: string, runId: string) {
  const [receipt] = await ledger.receipts(tenant, { runId, types: ["reply.grounded"], limit: 1 });
  return receipt;
}
