import { failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { formatModelRef, parseModelRef } from "@elwood/core/model/model";
import { isEnded, type Run, type SessionSettings } from "@elwood/core/message/session";
import type { ContextMeter } from "../compaction/meter.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { EndedRun } from "./end-run.ts";
import type { RunFeed } from "./feed.ts";
import type { ModelHistory } from "./history.ts";
import { textOf } from "@elwood/core/message/message";
import { beginRecall, usedIn, withRecalled } from "./recall.ts";
import { interruptedTooOften, neverBegan } from "./outcome.ts";
import type { RecentTranscripts } from "./recent-transcripts.ts";
import { runLoop } from "./run-loop.ts";
import { RunTimer } from "./run-timer.ts";
import { withUndone } from "./undone.ts";
import { withWindow } from "../compaction/with-window.ts";
import type { Agent, Journal } from "../ports/ports.ts";
import type { StopCause } from "./stop-cause.ts";
import { keptMessages } from "./transcript-view.ts";
import { requestIn } from "../compaction/request.ts";
import { agentFor } from "./agent-for.ts";
import { compactionRun, undoRun } from "./compaction-run.ts";
import { reminderRun } from "./reminder-run.ts";
import { governedModels } from "../actions/governed-request.ts";
import { UNLIMITED } from "../ports/governance.ts";
import { serialQueue } from "../async/serial-queue.ts";

export { ModelHistory } from "./history.ts";

export interface Attempt {
  readonly tenant: string;
  readonly runId: string;
  readonly feed: RunFeed;
  readonly controller: AbortController;
  readonly meter: ContextMeter;
  readonly history: ModelHistory;
  /** Frees the run's slot while it waits for a person. */
  readonly park: (parked: boolean) => void;
}

/** Claims a run and executes it. Returns undefined if it has already ended. */
export async function attemptRun(
  deps: EngineDeps,
  recent: RecentTranscripts,
  attempt: Attempt,
): Promise<{ run: Run; outcome: EndedRun } | undefined> {
  const { stores, clock, recorder, tools } = deps;
  const { tenant, runId, feed } = attempt;
  const run = await claimRun(deps, tenant, runId);
  if (!run) return undefined;
  await tools.ready?.();
  const resumed = run.attempt > 1 || run.status === "waiting";
  feed.startAttempt(run.attempt, resumed ? clock.now() : 0);
  // Its reply is recorded and only its end is missing: it ends with exactly that reply.
  const recorded = resumed ? await recorder.recordedEnding(tenant, runId) : undefined;
  // Only endRun records an ending.
  if (recorded !== undefined) return { run, outcome: recorded as EndedRun };
  if (run.attempt > LIMITS.attemptsPerRunMax) {
    return { run, outcome: neverBegan(interruptedTooOften(run.attempt - 1)) };
  }
  const { sessionId, surface } = run;
  const what = resumed ? "resumed" : "started";
  const journal = await stores.runs.journal(tenant, runId);
  const detail = { attempt: run.attempt, ...senderIn(journal) };
  await recorder.noteRun(tenant, { runId, sessionId, surface, what, detail });
  const outcome = await withinTimeLimit(deps, attempt, run, (waiting) =>
    answer(deps, recent, attempt, { run, journal }, waiting),
  );
  return { run, outcome };
}

/** Limits the run's own time, which does not pass while it waits for a person, and marks it as waiting. */
async function withinTimeLimit(
  { stores, clock, limits, log }: EngineDeps,
  { tenant, runId, controller, park }: Attempt,
  run: Run,
  work: (waiting: (waits: boolean) => void) => Promise<EndedRun>,
): Promise<EndedRun> {
  const timer = new RunTimer(clock, limits.minutes * 60_000, () =>
    controller.abort("time" satisfies StopCause),
  );
  // The mark is only for lists and for the next start, so the run goes on even if it cannot be stored.
  const marks = serialQueue();
  const mark = (waits: boolean) => {
    marks
      .run(() => stores.runs.setWaiting(tenant, runId, waits))
      .catch((error: unknown) => log.error("could not mark a run as waiting", { run: runId, error }));
  };
  timer.start();
  // Until one of its calls waits again the run is working, and a crash then counts as an attempt.
  if (run.status === "waiting") mark(false);
  try {
    const outcome = await work((waits) => {
      park(waits);
      if (waits) timer.pause();
      else timer.start();
      mark(waits);
    });
    await marks.settled();
    return outcome;
  } finally {
    timer.pause();
  }
}

function samplingOf({ temperature, topP }: Agent): Pick<SessionSettings, "temperature" | "topP"> {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
  };
}

/** For the receipt: whose token sent the message, if not the owner's. */
function senderIn({ steps }: Journal): { senderId?: string; senderName?: string } {
  const sender = steps[0]?.meta?.sender;
  return sender ? { senderId: sender.tokenId, senderName: sender.name } : {};
}

/** A run that was waiting for a person keeps waiting; that does not count as a failed attempt. */
async function claimRun(
  { stores, clock }: EngineDeps,
  tenant: string,
  runId: string,
): Promise<Run | undefined> {
  const run = await stores.runs.claim(tenant, runId, clock.now());
  if (run) return run;
  const known = await stores.runs.get(tenant, runId);
  if (known?.status === "waiting") return known;
  // Without an error its sender would wait for ever.
  if (known && !isEnded(known.status)) throw new Error("another run of this session has not ended");
  return undefined;
}

async function answer(
  given: EngineDeps,
  recent: RecentTranscripts,
  attempt: Attempt,
  { run, journal }: { readonly run: Run; readonly journal: Journal },
  waiting: (waiting: boolean) => void,
): Promise<EndedRun> {
  const deps = withinLimits(given, attempt);
  const { stores, clock } = deps;
  const { tenant, feed, controller, meter, history } = attempt;
  // A run that begins with a message of Elwood's own is a request about the conversation itself.
  const [inbound] = journal.steps;
  const request = inbound?.role === "assistant" ? requestIn(inbound) : undefined;
  if (request?.kind === "undo") {
    return undoRun(deps);
  }
  if (inbound?.meta?.reminder) return reminderRun(inbound, deps);
  const session = await stores.sessions.get(tenant, run.sessionId);
  const earlier = await keptMessages(stores, recent, tenant, run.sessionId, run.id);
  // Memory is searched in another thread while agent, model and request are prepared.
  const recalling =
    session && !request
      ? beginRecall(deps, { tenant, run, agentId: session.agentId, earlier }, journal.steps)
      : undefined;
  const agent = session && (await deps.agents.load(session.agentId));
  if (!agent) {
    recalling?.cancel();
    return neverBegan(
      failure(
        "NOT_FOUND",
        `The agent ${session?.agentId ?? "of this session"} no longer exists in the workspace. Your message is kept. Put its folder back, or start a session with another agent.`,
      ),
    );
  }
  const asked = run.modelAsked ?? session.model ?? agent.model;
  const model = await deps.models.resolve(asked, inbound?.meta?.profile ?? pinnedProfile(run, session));
  if (!model.ok) {
    recalling?.cancel();
    return neverBegan(model.error);
  }
  const [windowed, today] = await Promise.all([
    withWindow(model.value),
    stores.runs.spentSince(tenant, deps.localTime.startOfDay(clock.now())),
  ]);
  const settings: SessionSettings = { ...samplingOf(agent), ...session };
  const common = {
    tenant,
    run,
    // A session without tools has an agent that may use none.
    agent: settings.tools === false ? { ...agent, tools: [] } : agentFor(agent, model.value.ref),
    model: windowed,
    settings,
    earlier,
    spentTodayUsd: today.costUsd,
    feed,
  };
  const { signal } = controller;
  const within = { ...deps, meter, history };
  if (request) {
    return compactionRun({ ...common, signal, steps: journal.steps }, within);
  }
  const found = recalling
    ? await withRecalled(deps, { tenant, run }, journal.steps, recalling)
    : journal.steps;
  const steps = await withUndone(deps, { tenant, run, earlier }, found);
  const outcome = await runLoop({ ...common, steps, signal, waiting }, within);
  const said = outcome.checked?.grounded.text ?? (outcome.draft ? textOf(outcome.draft) : "");
  const recalled = usedIn(steps, said);
  const { ref, demo } = model.value;
  const answeredBy = outcome.draft?.meta?.model ?? formatModelRef(ref);
  return { ...outcome, model: answeredBy, demo, ...(recalled ? { recalled } : {}) };
}

/** Every request of the run stays within what its tenant may use, and is told to whoever watches. */
function withinLimits(deps: EngineDeps, { tenant, runId }: Attempt): EngineDeps {
  const { governance = UNLIMITED, observe, clock, models } = deps;
  if (governance === UNLIMITED && !observe) return deps;
  return { ...deps, models: governedModels(models, { tenant, runId }, { governance, clock, observe }) };
}

/** The session's own, but for a message that asks for a model of another provider. */
function pinnedProfile({ modelAsked }: Run, { profile }: SessionSettings): string | undefined {
  if (profile === undefined || modelAsked === undefined) return profile;
  const ref = parseModelRef(modelAsked);
  return ref.ok && profile.startsWith(`${ref.value.provider}:`) ? profile : undefined;
}
