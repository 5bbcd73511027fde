import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Clock, Log, Stores } from "@elwood/runtime/ports/ports";

const SWEEP_BATCH = 100;

/** Destroys sessions that have lain in the trash for longer than they are kept. Runs at the start and daily. */
export async function sweepTrash(
  deps: { stores: Pick<Stores, "sessions" | "transcripts">; clock: Clock; log: Log },
  tenant: string,
): Promise<number> {
  const { sessions, transcripts } = deps.stores;
  let purged = 0;
  try {
    const due = await sessions.trashed(tenant, deps.clock.now() - LIMITS.trashKeptMs, SWEEP_BATCH);
    for (const session of due) {
      await transcripts.remove(tenant, session.id);
      await sessions.purge(tenant, session.id);
      purged += 1;
    }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    deps.log.warn("could not empty the trash; it is tried again tomorrow or at the next start", {
      reason: error.failure.reason,
    });
  }
  if (purged > 0) deps.log.info("emptied the trash", { sessions: purged });
  return purged;
}
