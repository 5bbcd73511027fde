import type { GatewayStores } from "../gateway.ts";
import type { MemoryParts } from "@elwood/memory/recall/remembering";
import type { ForgetDeps } from "@elwood/memory/erase/forget-deps";
import { ForgetDesk } from "@elwood/memory/erase/forget-desk";

/** Joins everyone who may know something that is to be forgotten. */
export async function makeForgetDesk({
  stores,
  parts,
  ...given
}: Pick<ForgetDeps, "home" | "engine" | "clock" | "ids" | "log" | "index" | "conversations" | "forgetLog"> & {
  readonly stores: Omit<GatewayStores, "vault">;
  readonly parts: () => Promise<Pick<MemoryParts, "notes">>;
}): Promise<ForgetDesk> {
  const { notes } = await parts();
  const { noteOrigins, sessions, runs, transcripts, ledger, forgetting } = stores;
  return new ForgetDesk({
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
