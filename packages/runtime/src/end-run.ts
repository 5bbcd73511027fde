import type { Run } from "@elwood/core/session";
import { commitSession, type CommitDeps } from "./commit.ts";
import type { RunFeed } from "./feed.ts";
import type { RunOutcome } from "./outcome.ts";

/** An outcome, and which model it came from, where one was asked. */
export type EndedRun = RunOutcome & { readonly model?: string; readonly demo?: boolean };

/**
 * Ends a run: durable in the journal first, then in the transcript file, and only then
 * told to the listeners. A transcript that cannot be written does not undo the answer.
 */
export async function endRun(
  deps: CommitDeps,
  tenant: string,
  run: Run,
  feed: RunFeed,
  outcome: EndedRun,
): Promise<void> {
  const { stores, clock } = deps;
  const { sessionId } = run;
  const aborted = outcome.failure?.reason === "ABORTED";
  const ended = await stores.runs.end(
    tenant,
    run.id,
    outcome.last,
    {
      status: aborted ? "aborted" : outcome.status,
      ...(outcome.stopReason ? { stopReason: outcome.stopReason } : {}),
      ...(outcome.failure ? { failure: outcome.failure } : {}),
      ...(outcome.model ? { model: outcome.model } : {}),
      at: clock.now(),
      transcriptOffset: await stores.transcripts.size(tenant, sessionId),
    },
    outcome.lap,
  );
  const written = await commitSession(deps, tenant, sessionId);
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
    return;
  }
  const note = written ? outcome.note : NOT_WRITTEN;
  feed.emit("chat.final", {
    ...common,
    usage: ended.usage,
    ...(ended.costUsd === undefined ? {} : { costUsd: ended.costUsd }),
    segments: outcome.text === "" ? [] : [{ text: outcome.text, verified: false, cites: [] }],
    stopReason: aborted ? "aborted" : (outcome.stopReason ?? "end_turn"),
    model: ended.model ?? "",
    demo: outcome.demo ?? false,
    ...(note ? { note } : {}),
    ...(aborted ? { aborted: true } : {}),
  });
}

const NOT_WRITTEN =
  "The answer is safe in the database, but the transcript file could not be written (is the disk full?). It is tried again with the next message and at the next start.";
