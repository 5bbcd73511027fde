import type { MemoryParts } from "@elwood/memory/recall/memory-system";
import { type EraseDeps, EraseService } from "@elwood/memory/erase/erase-service";
import type { OpenedStores } from "@elwood/store-sqlite/open-stores";

/** Joins everyone who may know something that is to be forgotten. */
export async function makeEraseService({
  stores,
  parts,
  ...given
}: Pick<EraseDeps, "home" | "engine" | "clock" | "ids" | "log" | "index" | "conversations" | "forgetLog"> & {
  readonly stores: OpenedStores;
  readonly parts: () => Promise<Pick<MemoryParts, "notes">>;
}): Promise<EraseService> {
  const { notes } = await parts();
  const { noteOrigins, sessions, runs, transcripts, ledger, forgetting } = stores;
  return new EraseService({
    ...given,
    notes,
    origins: noteOrigins,
    sessions,
    runs,
    transcripts,
    ledger,
    open: () => forgetting.open(),
    pending: (tenant) => forgetting.pending(tenant),
  });
}
