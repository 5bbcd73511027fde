import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { OpenedStores } from "../open-stores.ts";
import { makeReceiptService, type ReceiptService } from "./receipt-service.ts";
import { openSigningKey, readLastSigned } from "./log-key.ts";
import { settleNextKey } from "./next-key.ts";
import { CheckpointSigner, type CheckpointSignerDeps } from "./checkpoint-signer.ts";

export interface OpenedReceipts {
  readonly receiptService: ReceiptService;
  readonly signer: CheckpointSigner;
}

/** The key, and the sealer that listens to the ledger from now on. */
export async function openReceipts(
  stores: Pick<OpenedStores, "ledger" | "receiptLog" | "checkpoints" | "transcripts">,
  deps: {
    readonly keys: string;
    readonly clock: Clock;
    readonly log: Log;
    readonly sealed?: NonNullable<CheckpointSignerDeps["sealed"]>;
  },
): Promise<OpenedReceipts> {
  const { ledger, receiptLog: log, checkpoints, transcripts } = stores;
  const { clock, sealed } = deps;
  await settleNextKey(deps.keys, log, DEFAULT_TENANT);
  const key = await openSigningKey(deps.keys);
  const told = sealed === undefined ? {} : { sealed };
  const signer = new CheckpointSigner({
    log,
    checkpoints,
    ledger,
    key,
    keys: deps.keys,
    clock,
    logger: deps.log,
    ...told,
  });
  ledger.watch((tenant, receipts) => signer.noted(tenant, receipts));
  return {
    receiptService: makeReceiptService({
      ledger,
      log,
      signer,
      // Beside the key lies that of the owner's log alone.
      lastSigned: (tenant) => (tenant === DEFAULT_TENANT ? readLastSigned(deps.keys) : undefined),
      conversations: transcripts,
    }),
    signer,
  };
}
