import type { Log } from "../ports/ports.ts";
import type { Vault } from "./ports.ts";

/**
 * A call that ended needs its secrets no more. Where they cannot be removed now, the next
 * start does it: what has happened and stands in the ledger is not undone by that.
 */
export async function dropSecrets(
  { vault, log }: { readonly vault: Vault; readonly log: Log },
  tenant: string,
  callId: string,
): Promise<void> {
  try {
    await vault.drop(tenant, callId);
  } catch (error) {
    log.error("could not remove the secrets of a call that ended; the next start tries again", {
      call: callId,
      error,
    });
  }
}
