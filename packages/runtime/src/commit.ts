import { FailureError } from "@elwood/core/failure";
import { toTranscriptLines } from "@elwood/core/message";
import type { Clock, Log, Stores } from "./ports.ts";
import type { RecentTranscripts } from "./recent-transcripts.ts";

export interface CommitDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly log: Log;
  readonly recent: RecentTranscripts;
}

/**
 * Writes ended runs from the journal into their session's transcript file.
 *
 * C1 The offset of the file is durable before the append begins (it is noted with the
 *    run's end, or anew before a second try), so that whatever a crash left behind it is
 *    cut off and the append done again, whole.
 * C2 Runs of a session are committed in the order in which they ended. Where one cannot be
 *    written (disk full), those behind it wait; nothing is lost, since the journal keeps them.
 * C3 The run behind gets its new offset before this one is marked as written: were it the
 *    other way round, a crash between the two would let recovery cut this one off again.
 */
export async function commitSession(deps: CommitDeps, tenant: string, sessionId: string): Promise<boolean> {
  const { runs, transcripts } = deps.stores;
  const pending = await runs.uncommitted(tenant, sessionId);
  let written: number | undefined;
  for (const [index, { run, offset: noted }] of pending.entries()) {
    try {
      const offset = written ?? noted;
      const size = await transcripts.size(tenant, sessionId);
      if (size > offset) await transcripts.truncate(tenant, sessionId, offset);
      const before = Math.min(size, offset);
      const { steps } = await runs.journal(tenant, run.id);
      await transcripts.append(tenant, sessionId, toTranscriptLines(run.id, steps));
      written = await transcripts.size(tenant, sessionId);
      deps.recent.appended(tenant, sessionId, before, steps, written);
      // C3
      const next = pending[index + 1];
      if (next) await runs.noteOffset(tenant, next.run.id, written);
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
