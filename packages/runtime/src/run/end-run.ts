import { FailureError } from "@elwood/core/base/failure";
import type { RecalledItem } from "@elwood/core/memory/recalled";
import type { Message } from "@elwood/core/message/message";
import type { RuleOfTwo } from "@elwood/core/policy/rule-of-two";
import { isEnded, type Run } from "@elwood/core/message/session";
import { callTexts, type CheckedReply, checkReply, hasAttachment, ownerWordsOf } from "./check-reply.ts";
import { type CommitDeps, commitSession } from "./commit.ts";
import type { RunFeed } from "./feed.ts";
import { openCalls } from "./calls.ts";
import type { RunOutcome } from "./outcome.ts";
import { recalledIn } from "./recall.ts";
import type { Ids, Person, RunRecorder, ToolHost, ToolOutcome } from "../ports/ports.ts";
import { finishedReply, type Reply, replyFact, replyWords, type ReplyWords, unprovenReply } from "./reply.ts";
import type { EngineDeps } from "./engine-deps.ts";

export interface EndDeps extends CommitDeps {
  readonly tools: Pick<ToolHost, "closeRun" | "activity" | "sessionActivity" | "ruleOfTwo">;
  readonly recorder: Pick<RunRecorder, "noteReply" | "head">;
  readonly ids: Ids;
}

/** An outcome, and which model it came from, where one was asked. */
export type EndedRun = RunOutcome & {
  readonly model?: string;
  readonly demo?: boolean;
  /** Who stopped it, where somebody did. */
  readonly stoppedBy?: Person;
  /** The reply is recorded already: a process died between that and the run's end. */
  readonly words?: ReplyWords;
  /** What was recalled for it. */
  readonly recalled?: readonly RecalledItem[];
};

/**
 * Ends a run: closes its calls, compares its reply with their receipts and records it, stores the end
 * in the journal, appends to the transcript file, and only then notifies clients. If the disk fails,
 * the answer is still sent, with a note, and `false` asks the caller to try again with the same outcome.
 */
export async function endRun(
  deps: EndDeps,
  tenant: string,
  run: Run,
  feed: RunFeed,
  outcome: EndedRun,
): Promise<boolean> {
  const { sessionId } = run;
  const aborted = outcome.failure?.reason === "ABORTED";
  const { reply, ended } = await storeEnd(deps, tenant, run, outcome);
  const written = ended !== undefined && (await commitSession(deps, tenant, sessionId));
  const ruleOfTwo = await reportOf(deps, tenant, run, reply);
  const common = {
    sessionKey: sessionId,
    text: reply.text,
    segments: [...reply.segments],
    activity: [...reply.activity],
    evidence: reply.evidence,
    ...(reply.log ? { log: reply.log } : {}),
    ...(ruleOfTwo ? { ruleOfTwo } : {}),
    ...(outcome.recalled ? { recalled: [...outcome.recalled] } : {}),
  };
  if (outcome.failure && !aborted) {
    const { reason, message, retryable, retryAfterMs, said } = outcome.failure;
    feed.emit("chat.error", {
      ...common,
      message,
      code: reason,
      retryable,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(said === undefined ? {} : { said }),
    });
    return ended !== undefined;
  }
  const note = written ? outcome.note : ended ? NOT_WRITTEN : NOT_STORED;
  feed.emit("chat.final", {
    ...common,
    usage: ended?.usage ?? outcome.usage,
    ...(ended?.costUsd === undefined ? {} : { costUsd: ended.costUsd }),
    stopReason: aborted ? "aborted" : (outcome.stopReason ?? "end_turn"),
    model: ended?.model ?? outcome.model ?? "",
    demo: outcome.demo ?? false,
    ...(note ? { note } : {}),
    ...(aborted ? { aborted: true } : {}),
  });
  return ended !== undefined;
}

/** A report that cannot be read does not hold back the answer. */
async function reportOf(
  { tools, log }: EndDeps,
  tenant: string,
  run: Run,
  { activity }: Reply,
): Promise<RuleOfTwo | undefined> {
  if (activity.length === 0) return undefined;
  try {
    return await tools.ruleOfTwo?.(tenant, run);
  } catch (error) {
    log.error("what came together in a run could not be read", { run: run.id, error });
    return undefined;
  }
}

/** `ended` is undefined if the end could not be stored; the run then still counts as running. */
async function storeEnd(
  deps: EndDeps,
  tenant: string,
  run: Run,
  outcome: EndedRun,
): Promise<{ readonly reply: Reply; readonly ended?: Run }> {
  const { stores, clock, log } = deps;
  let reply: Reply | undefined;
  try {
    const results = outcome.failure ? await closeCalls(deps, tenant, run, outcome) : [];
    reply = await replyOf(deps, tenant, run, outcome);
    const ended = await stores.runs.end(
      tenant,
      run.id,
      [...results, ...reply.last],
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
    return { reply, ended };
  } catch (error) {
    const reason = error instanceof FailureError ? error.failure.reason : undefined;
    // An earlier try was stored although the disk reported a failure.
    const stored = reason === "CONFLICT" ? await stores.runs.get(tenant, run.id) : undefined;
    const sent = reply ?? (await unrecorded(deps, outcome));
    if (stored && isEnded(stored.status)) return { reply: sent, ended: stored };
    if (reason !== "STORAGE" && reason !== "STORAGE_FULL") throw error;
    log.error("the end of a run could not be stored; it is tried again before the next one of its session", {
      session: run.sessionId,
      run: run.id,
      reason,
      error,
    });
    return { reply: sent };
  }
}

/** The reply with its evidence, recorded if there is something to prove. */
async function replyOf(deps: EndDeps, tenant: string, run: Run, outcome: EndedRun): Promise<Reply> {
  const { tools, recorder } = deps;
  if (outcome.words) {
    const activity = await tools.activity(tenant, run.id);
    return finishedReply(outcome.words, activity, () => recorder.head?.(tenant));
  }
  const checked = outcome.checked ?? (await checkBrokenOff(deps, tenant, run, outcome));
  const words = replyWords(outcome, checked, deps);
  const fact = replyFact(checked);
  if (fact) {
    const { draft: _draft, checked: _checked, ...rest } = outcome;
    const ending: EndedRun = { ...rest, words };
    await recorder.noteReply(tenant, { runId: run.id, surface: run.surface, ...fact, ending });
  }
  return finishedReply(words, checked.activity, () => recorder.head?.(tenant));
}

/** Compares what a failed run had written with what its calls did. The model is not asked again. */
async function checkBrokenOff(
  { tools, stores }: EndDeps,
  tenant: string,
  run: Run,
  { draft }: EndedRun,
): Promise<CheckedReply> {
  const activity = await tools.activity(tenant, run.id);
  const { steps } = await stores.runs.journal(tenant, run.id);
  return checkReply({
    // A part of the answer may have been delivered already, by another process.
    parts: draft ? [draft] : steps.filter(({ meta }) => meta?.continued === true),
    activity,
    earlier: async () => {
      const all = await tools.sessionActivity(tenant, run.sessionId, { runId: run.id });
      return all.filter((item) => item.runId !== run.id);
    },
    callText: callTexts(steps),
    ownerWords: ownerWordsOf(steps[0]),
    recalled: recalledIn(steps) !== undefined,
    attached: hasAttachment(steps[0]),
  });
}

/** The reply when nothing can be stored: what is known, and no more. */
async function unrecorded(deps: EndDeps, outcome: EndedRun): Promise<Reply> {
  const { checked } = outcome;
  if (checked) return finishedReply(replyWords(outcome, checked, deps), checked.activity);
  return unprovenReply(outcome, deps);
}

/** Every call of the run gets its end in the ledger, and its result in the transcript. */
async function closeCalls(
  { stores, tools, ids, clock }: EndDeps,
  tenant: string,
  { id: runId, sessionId, surface }: Run,
  { failure, stoppedBy }: EndedRun,
): Promise<Message[]> {
  const by = failure?.reason === "ABORTED" ? (stoppedBy ?? "gateway") : "gateway";
  const outcomes = await tools.closeRun(tenant, { runId, sessionId, surface, by });
  const { steps } = await stores.runs.journal(tenant, runId);
  return openCalls(steps).map(({ callId }) => {
    const { status, text, images, ended } = outcomes.get(callId) ?? NOT_EXECUTED;
    return {
      id: ids.next("message"),
      ts: clock.now(),
      role: "tool",
      origin: "tool",
      blocks: [
        {
          type: "tool_result",
          callId,
          status: status === "ok" ? "ok" : "error",
          ...(ended === undefined ? {} : { ended }),
          text,
          ...(images ? { images: [...images] } : {}),
        },
      ],
    };
  });
}

const NOT_EXECUTED: ToolOutcome = {
  status: "error",
  text: "The run ended before this call was made. It was not made.",
};

const NOT_WRITTEN =
  "The answer is safe in the database, but the transcript file could not be written (is the disk full?). It is tried again with the next message and at the next start.";

const NOT_STORED =
  "The answer could not be stored (is the disk full?). It is tried again with the next message of this session; if Elwood stops before that, your message is answered again.";

type NoteDeps = Pick<EngineDeps, "recorder" | "log" | "stores">;

/** The run's end is stored already; if its receipt cannot be written now, the next start writes it. */
export async function noteFinished(
  { recorder, log }: NoteDeps,
  tenant: string,
  run: Run,
  { status, by }: { readonly status: string; readonly by?: Person | undefined },
): Promise<void> {
  const { id: runId, sessionId, surface } = run;
  const detail = { status, ...(by && { stoppedBy: by.id, stoppedFrom: by.surface }) };
  try {
    await recorder.noteRun(tenant, { runId, sessionId, surface, what: "finished", detail });
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    log.error("the receipt of a run's end could not be written", { run: runId, session: sessionId, error });
  }
}

/** After a start: writes the last receipt of runs that ended without it. */
export async function noteEnded(deps: NoteDeps, tenant: string): Promise<void> {
  for (const runId of await deps.recorder.openRuns(tenant)) {
    const run = await deps.stores.runs.get(tenant, runId);
    if (run && isEnded(run.status)) await noteFinished(deps, tenant, run, { status: run.status });
  }
}
