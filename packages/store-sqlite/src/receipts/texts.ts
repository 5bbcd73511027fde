import { isReceipt } from "@elwood/core/receipts/read-receipt";
import { commitment, type StoredReceipt } from "@elwood/core/receipts/receipt";
import { shownTarget } from "@elwood/runtime/gate/receipt-factory";
import type { Body } from "@elwood/runtime/ports/gate-ports";
import { sha256 } from "@elwood/platform/system";

/** Where the words lie that receipts only commit to. */
export interface TextSource {
  target(callId: string): string | undefined | Promise<string | undefined>;
  body(commit: string): Body | undefined | Promise<Body | undefined>;
}

/**
 * What calls were about, and why they were asked about, refused or failed, by the ids of the
 * receipts that commit to just that; only as long as it was not forgotten.
 */
export async function textsOf(
  source: TextSource,
  receipts: readonly StoredReceipt[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const receipt of receipts) {
    const { reasonCommit } = receipt.payload;
    if (typeof reasonCommit === "string") {
      const reason = (await source.body(reasonCommit))?.value;
      if (typeof reason === "string") found.set(receipt.id, reason);
    }
    if (!isReceipt(receipt, "tool.call.requested") && !isReceipt(receipt, "tool.call.approved")) continue;
    const { id, callId, payload } = receipt;
    const { targetCommit, inputCommit } = payload;
    if (callId === undefined || targetCommit === undefined || inputCommit === undefined) continue;
    const target = await source.target(callId);
    const body = target === undefined ? undefined : await source.body(inputCommit);
    if (target === undefined || !body) continue;
    const shown = shownTarget(target);
    if (commitment(body.salt, shown, sha256) === targetCommit) found.set(id, shown);
  }
  return found;
}
