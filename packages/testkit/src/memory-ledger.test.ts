import { ledgerContract } from "./ledger-contract.ts";
import { ManualClock } from "./manual-clock.ts";
import { memoryLedger } from "./memory-ledger.ts";

ledgerContract("in memory", async () => {
  const clock = new ManualClock();
  const ledger = memoryLedger({ clock });
  return {
    ledger,
    advance: (ms) => clock.advance(ms),
    reopen: async () => ledger,
    dispose: async () => undefined,
  };
});
