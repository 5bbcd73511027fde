import { FailureError } from "@elwood/core/base/failure";
import type { Clock, Log } from "@elwood/runtime/ports/ports";

const DAY_MS = 24 * 60 * 60_000;

/** Does the chores now and then once a day, until the signal fires. One that fails is told, and tried again the next day. */
export async function daily(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  chores: Readonly<Record<string, () => Promise<unknown>>>,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    for (const [chore, work] of Object.entries(chores)) {
      if (stopped.aborted) return;
      try {
        await work();
      } catch (error) {
        const reason = error instanceof FailureError ? error.failure.reason : "INTERNAL";
        log.warn("a daily chore could not be done; it is tried again tomorrow", { chore, reason, error });
      }
    }
    await clock.sleep(DAY_MS, stopped);
  }
}
