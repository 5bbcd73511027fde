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
    if (await isLongSilent(sessions, tenant, deps.clock.now())) {
      deps.log.warn("the trash is not emptied: nothing was said for very long, or the clock is wrong", {
        tenant,
      });
      return 0;
    }
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

/**
 * Whether the last thing that was said or deleted is so long ago that the clock may be wrong. A machine whose clock
 * leaps by years must not lose what a right one would keep; once something is said again, age counts again.
 */
export async function isLongSilent(
  sessions: Pick<Stores["sessions"], "list">,
  tenant: string,
  now: number,
): Promise<boolean> {
  const pages = await Promise.all([
    sessions.list(tenant, { limit: 1 }),
    sessions.list(tenant, { limit: 1, archived: true }),
    sessions.list(tenant, { limit: 1, deleted: true }),
  ]);
  const times = pages.flatMap((page) => page.sessions.map((each) => each.deletedAt ?? each.updatedAt));
  return times.length > 0 && now - Math.max(...times) > LIMITS.silenceMsMax;
}
