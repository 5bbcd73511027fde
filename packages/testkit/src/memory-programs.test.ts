import { memoryPrograms } from "./memory-programs.ts";
import { programJournalContract } from "./program-journal-contract.ts";

programJournalContract("in memory", async () => {
  const journal = memoryPrograms();
  return { journal, reopen: async () => journal, dispose: async () => undefined };
});
