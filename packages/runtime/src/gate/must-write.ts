import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Ledger, LedgerChange } from "../ports/gate-ports.ts";

/** The ledger refused a unit that nothing but a bug, or a row erased in the meantime, can make it refuse. */
export class LedgerRefused extends Error {
  readonly refused: LedgerChange["kind"];
  constructor(refused: LedgerChange["kind"], subject: string) {
    super(`the ledger refused ${refused} for ${subject}`);
    this.refused = refused;
  }
}

/** Writes a unit for callers that cannot go on without it: a refusal is thrown, never ignored. */
export async function mustWrite(
  ledger: Pick<Ledger, "write">,
  tenant: string,
  subject: string,
  unit: Parameters<Ledger["write"]>[1],
): Promise<readonly StoredReceipt[]> {
  const written = await ledger.write(tenant, unit);
  if (!written.ok) throw new LedgerRefused(written.error.refused, subject);
  return written.value;
}
