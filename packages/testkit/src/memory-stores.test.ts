import { blobStoreContract } from "./blob-store-contract.ts";
import { jobsContract } from "./jobs-contract.ts";
import { memoryJobs } from "./memory-jobs.ts";
import { memoryStores } from "./memory-stores.ts";
import { runStoreContract } from "./run-store-contract.ts";
import { sessionStoreContract } from "./session-store-contract.ts";
import type { StoreHarness } from "./store-script.ts";
import { tokenStoreContract } from "./token-store-contract.ts";
import { transcriptStoreContract } from "./transcript-store-contract.ts";

async function open(): Promise<StoreHarness> {
  const stores = memoryStores();
  return { stores, reopen: async () => stores, dispose: async () => undefined };
}

sessionStoreContract("in memory", open);
runStoreContract("in memory", open);
blobStoreContract("in memory", open);
tokenStoreContract("in memory", open);
jobsContract("in memory", async () => {
  const jobs = memoryJobs();
  return { jobs, reopen: async () => jobs, dispose: async () => undefined };
});
transcriptStoreContract("in memory", async () => {
  const { transcripts } = memoryStores();
  const key = (tenant: string, sessionId: string) => `${tenant}/${sessionId}.jsonl`;
  return {
    store: transcripts,
    read: async (tenant, sessionId) => transcripts.files.get(key(tenant, sessionId)) ?? Buffer.alloc(0),
    write: async (tenant, sessionId, bytes) => {
      transcripts.files.set(key(tenant, sessionId), Buffer.from(bytes));
    },
    reopen: async () => transcripts,
    dispose: async () => undefined,
  };
});
