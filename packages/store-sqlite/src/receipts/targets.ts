import { isReceipt } from "@elwood/core/receipts/read-receipt";
import { commitment, type StoredReceipt } from "@elwood/core/receipts/receipt";
import { shownTarget } from "@elwood/runtime/gate/receipt-factory";
import type { Body } from "@elwood/runtime/ports/gate-ports";
import { sha256 } from "@elwood/platform/system";

/** Where the words lie that receipts only commit to. */
export interface TargetSource {
  target(callId: string): string | undefined | Promise<string | undefined>;
  body(commit: string): Body | undefined | Promise<Body | undefined>;
}

/**
 * What calls were about, by the ids of their receipts: only where a receipt commits to just
 * that, and only as long as it was not forgotten.
 */
export async function targetsOf(
  source: TargetSource,
  receipts: readonly StoredReceipt[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const receipt of receipts) {
    if (!isReceipt(receipt, "tool.call.requested")) continue;
    const { id, callId, payload } = receipt;
    const { targetCommit, inputCommit } = payload;
    if (callId === undefined || targetCommit === undefined) continue;
    const target = await source.target(callId);
    const body = target === undefined ? undefined : await source.body(inputCommit);
    if (target === undefined || !body) continue;
    const shown = shownTarget(target);
    if (commitment(body.salt, shown, sha256) === targetCommit) found.set(id, shown);
  }
  return found;
}
