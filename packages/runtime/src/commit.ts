import { FailureError } from "@elwood/core/failure";
import { toTranscriptLines } from "@elwood/core/message";
import type { Clock, Log, Stores } from "./ports.ts";

/**
 * Writes ended runs from the journal into their session's transcript file.
 *
 * C1 The offset of the file is durable before the append begins (it is noted with the
 *    run's end, or anew before a second try), so that whatever a crash left behind it is
 *    cut off and the append done again, whole.
 * C2 Runs of a session are committed in the order in which they ended. Where one cannot be
 *    written (disk full), those behind it wait; nothing is lost, since the journal keeps them.
 */
export async function commitSession(
  deps: { stores: Stores; clock: Clock; log: Log },
  tenant: string,
  sessionId: string,
): Promise<boolean> {
  const { runs, transcripts } = deps.stores;
  const pending = await runs.uncommitted(tenant, sessionId);
  for (const [index, { run, offset }] of pending.entries()) {
    try {
      const size = await transcripts.size(tenant, sessionId);
      if (index === 0) {
        if (size > offset) await transcripts.truncate(tenant, sessionId, offset);
      } else if (size !== offset) {
        // An earlier run of this session was written just now, so the noted end of file is no longer true.
        await runs.noteOffset(tenant, run.id, size);
      }
      const { steps } = await runs.journal(tenant, run.id);
      await transcripts.append(tenant, sessionId, toTranscriptLines(run.id, steps));
      await runs.commit(tenant, run.id, steps, deps.clock.now());
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      deps.log.error(
        "could not write a finished run to its transcript; it stays in the database and is tried again",
        {
          session: sessionId,
          run: run.id,
          reason: error.failure.reason,
          detail: error.failure.message,
        },
      );
      return false;
    }
  }
  return true;
}
