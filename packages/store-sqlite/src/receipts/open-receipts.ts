import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { OpenedStores } from "../open-stores.ts";
import { receiptDesk, type ReceiptDesk } from "./desk.ts";
import { openSigningKey } from "./log-key.ts";
import { settleNextKey } from "./next-key.ts";
import { Sealer, type SealerDeps } from "./seal.ts";

export interface OpenedReceipts {
  readonly desk: ReceiptDesk;
  readonly sealer: Sealer;
}

/** The key, and the sealer that listens to the ledger from now on. */
export async function openReceipts(
  stores: Pick<OpenedStores, "ledger" | "receiptLog" | "checkpoints">,
  deps: {
    readonly keys: string;
    readonly clock: Clock;
    readonly log: Log;
    readonly sealed?: NonNullable<SealerDeps["sealed"]>;
  },
): Promise<OpenedReceipts> {
  const { ledger, receiptLog: log, checkpoints } = stores;
  const { clock, sealed } = deps;
  await settleNextKey(deps.keys, log, "default");
  const key = await openSigningKey(deps.keys);
  const told = sealed === undefined ? {} : { sealed };
  const sealer = new Sealer({
    log,
    checkpoints,
    ledger,
    key,
    keys: deps.keys,
    clock,
    logger: deps.log,
    ...told,
  });
  ledger.watch((tenant, receipts) => sealer.noted(tenant, receipts));
  return { desk: receiptDesk({ ledger, log, sealer }), sealer };
}
