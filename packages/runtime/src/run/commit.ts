import { FailureError } from "@elwood/core/base/failure";
import { toTranscriptLines } from "@elwood/core/message/message";
import type { Clock, Log, Stores } from "../ports/ports.ts";
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
 * C1 The place where the written runs end is durable with each run that waits to be written,
 *    before its append begins, so that whatever a crash left behind it is cut off and the
 *    append done again, whole.
 * C2 Runs of a session are committed in the order in which they ended. Where one cannot be
 *    written (disk full), those behind it wait; nothing is lost, since the journal keeps them.
 * C3 All runs behind get their new place before this one is marked as written: were it the
 *    other way round, a crash between the two would let recovery cut this one off again.
 * C4 A run that ended while an append of another lay broken in the file noted a place behind
 *    that piece. None of those that wait noted less than where the written ones end, and the
 *    first of them noted exactly that: the smallest is the true one.
 */
export async function commitSession(deps: CommitDeps, tenant: string, sessionId: string): Promise<boolean> {
  const { runs, transcripts } = deps.stores;
  const pending = await runs.uncommitted(tenant, sessionId);
  const noted = new Map(pending.map(({ run, offset }) => [run.id, offset]));
  const note = async (runId: string, offset: number) => {
    if (noted.get(runId) !== offset) await runs.noteOffset(tenant, runId, offset);
    noted.set(runId, offset);
  };
  let end = Math.min(...noted.values());
  for (const [index, { run }] of pending.entries()) {
    try {
      await note(run.id, end);
      const size = await transcripts.size(tenant, sessionId);
      if (size > end) await transcripts.truncate(tenant, sessionId, end);
      const before = Math.min(size, end);
      const { steps } = await runs.journal(tenant, run.id);
      end = await transcripts.append(tenant, sessionId, toTranscriptLines(run.id, steps));
      deps.recent.appended(tenant, sessionId, before, { runId: run.id, messages: steps }, end);
      // C3
      for (const behind of pending.slice(index + 1)) await note(behind.run.id, end);
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
