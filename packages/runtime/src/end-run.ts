import { FailureError } from "@elwood/core/failure";
import type { Run } from "@elwood/core/session";
import { commitSession, type CommitDeps } from "./commit.ts";
import type { RunFeed } from "./feed.ts";
import type { RunOutcome } from "./outcome.ts";

/** An outcome, and which model it came from, where one was asked. */
export type EndedRun = RunOutcome & { readonly model?: string; readonly demo?: boolean };

/**
 * Ends a run: durable in the journal first, then in the transcript file, and only then
 * told to the listeners. A disk that takes neither does not undo the answer: it is told
 * with a note, and `false` asks the caller to come again with the same outcome.
 */
export async function endRun(
  deps: CommitDeps,
  tenant: string,
  run: Run,
  feed: RunFeed,
  outcome: EndedRun,
): Promise<boolean> {
  const { sessionId } = run;
  const aborted = outcome.failure?.reason === "ABORTED";
  const ended = await storeEnd(deps, tenant, run, outcome);
  const written = ended !== undefined && (await commitSession(deps, tenant, sessionId));
  const common = {
    sessionKey: sessionId,
    text: outcome.text,
    activity: [...outcome.activity],
    evidence: outcome.evidence,
  };
  if (outcome.failure && !aborted) {
    const { reason, message, retryable, retryAfterMs } = outcome.failure;
    feed.emit("chat.error", {
      ...common,
      message,
      code: reason,
      retryable,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    return ended !== undefined;
  }
  const note = written ? outcome.note : ended ? NOT_WRITTEN : NOT_STORED;
  feed.emit("chat.final", {
    ...common,
    usage: ended?.usage ?? outcome.usage,
    ...(ended?.costUsd === undefined ? {} : { costUsd: ended.costUsd }),
    segments: outcome.text === "" ? [] : [{ text: outcome.text, verified: false, cites: [] }],
    stopReason: aborted ? "aborted" : (outcome.stopReason ?? "end_turn"),
    model: ended?.model ?? outcome.model ?? "",
    demo: outcome.demo ?? false,
    ...(note ? { note } : {}),
    ...(aborted ? { aborted: true } : {}),
  });
  return ended !== undefined;
}

/** undefined where the disk does not take it; the run then still counts as running. */
async function storeEnd(
  { stores, clock, log }: CommitDeps,
  tenant: string,
  run: Run,
  outcome: EndedRun,
): Promise<Run | undefined> {
  try {
    return await stores.runs.end(
      tenant,
      run.id,
      outcome.last,
      {
        status: outcome.failure?.reason === "ABORTED" ? "aborted" : outcome.status,
        ...(outcome.stopReason ? { stopReason: outcome.stopReason } : {}),
        ...(outcome.failure ? { failure: outcome.failure } : {}),
        ...(outcome.model ? { model: outcome.model } : {}),
        at: clock.now(),
        transcriptOffset: await stores.transcripts.size(tenant, run.sessionId),
      },
      outcome.lap,
    );
  } catch (error) {
    const reason = error instanceof FailureError ? error.failure.reason : undefined;
    if (reason !== "STORAGE" && reason !== "STORAGE_FULL") throw error;
    log.error("the end of a run could not be stored; it is tried again before the next one of its session", {
      session: run.sessionId,
      run: run.id,
      reason,
      error,
    });
    return undefined;
  }
}

const NOT_WRITTEN =
  "The answer is safe in the database, but the transcript file could not be written (is the disk full?). It is tried again with the next message and at the next start.";

const NOT_STORED =
  "The answer could not be stored (is the disk full?). It is tried again with the next message of this session; if Elwood stops before that, your message is answered anew.";
