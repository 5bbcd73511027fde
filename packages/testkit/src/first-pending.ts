import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import { nextEventLoopTurn } from "./manual-clock.ts";

/** Long enough for a busy machine, and reached only where nothing is asked at all. */
const ASKED_WITHIN_MS = 60_000;

/** The id of the first approval that waits, as soon as there is one. */
export async function firstPending(ledger: Pick<Ledger, "approvals">, tenant: string): Promise<string> {
  const began = performance.now();
  while (performance.now() - began < ASKED_WITHIN_MS) {
    const [first] = await ledger.approvals(tenant, { status: "pending", limit: 1 });
    if (first) return first.id;
    await nextEventLoopTurn();
  }
  throw new Error("nothing was asked");
}
