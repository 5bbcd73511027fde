import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { blobStoreContract } from "@elwood/testkit/blob-store-contract";
import { channelStoresContract } from "@elwood/testkit/channel-stores-contract";
import { jobsContract } from "@elwood/testkit/jobs-contract";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { programJournalContract } from "@elwood/testkit/program-journal-contract";
import { runStoreContract } from "@elwood/testkit/run-store-contract";
import { sessionStoreContract } from "@elwood/testkit/session-store-contract";
import { tokenStoreContract } from "@elwood/testkit/token-store-contract";
import { transcriptStoreContract } from "@elwood/testkit/transcript-store-contract";
import { statePaths } from "@elwood/platform/state-paths";
import { openStores, type OpenedStores } from "./open-stores.ts";

async function openAt(home: string): Promise<OpenedStores> {
  return openStores({ paths: statePaths(home), clock: new ManualClock(), log: memoryLog() });
}

async function open() {
  const home = await mkdtemp(join(tmpdir(), "elwood-store-"));
  let stores = await openAt(home);
  return {
    home,
    stores,
    reopen: async () => {
      await stores.close();
      stores = await openAt(home);
      return stores;
    },
    dispose: async () => {
      await stores.close();
      await rm(home, { recursive: true });
    },
  };
}

sessionStoreContract("SQLite", open);
runStoreContract("SQLite", open);
tokenStoreContract("SQLite", open);
programJournalContract("SQLite", async () => {
  const { stores, reopen, dispose } = await open();
  return { journal: stores.programs, reopen: async () => (await reopen()).programs, dispose };
});
channelStoresContract("SQLite", async () => {
  const { stores, reopen, dispose } = await open();
  return { stores, reopen, dispose };
});
jobsContract("SQLite", async () => {
  const { stores, reopen, dispose } = await open();
  return { jobs: stores.jobs, reopen: async () => (await reopen()).jobs, dispose };
});
blobStoreContract("files and SQLite", open);
transcriptStoreContract("files", async () => {
  const { home, stores, reopen, dispose } = await open();
  const pathOf = (tenant: string, sessionId: string) =>
    join(statePaths(home).sessions, tenant, `${sessionId}.jsonl`);
  return {
    store: stores.transcripts,
    read: (tenant, sessionId) =>
      readFile(pathOf(tenant, sessionId)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return Buffer.alloc(0);
        throw error;
      }),
    write: async (tenant, sessionId, bytes) => {
      await mkdir(dirname(pathOf(tenant, sessionId)), { recursive: true });
      await writeFile(pathOf(tenant, sessionId), bytes);
    },
    reopen: async () => (await reopen()).transcripts,
    dispose,
  };
});
