import { fail } from "@elwood/core/base/failure";
import { isEnded, type RunStatus } from "@elwood/core/message/session";
import type { RunJob } from "@elwood/core/schedule/job-binding";
import type { Job } from "@elwood/core/schedule/job";
import type { PlannedCall } from "@elwood/core/tool/plan";
import { plannedIn } from "../gate/planned-call.ts";
import type { Ledger } from "../ports/gate-ports.ts";
import type { Clock, Ids, OutsideKey, Stores } from "../ports/ports.ts";
import type { Engine } from "../run/engine.ts";
import { replyOf } from "./job-reply.ts";
import { jobText, mustAskModel, runJobOf, type Heartbeat } from "./job-text.ts";
import { jobPrincipal, JOB_SURFACE } from "./scheduler.ts";

export interface RehearsalDeps {
  readonly tenant: string;
  readonly stores: Pick<Stores, "sessions" | "runs">;
  readonly engine: Pick<Engine, "submit" | "start" | "announce">;
  readonly ledger: Pick<Ledger, "callsOfRun">;
  readonly heartbeat: Heartbeat;
  readonly defaultAgentId: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hash: (text: string) => string;
}

/** One call that a rehearsal listed instead of making it. */
export interface RehearsedCall extends PlannedCall {
  /** By which it is chosen: its own, or that of its program with a number. */
  readonly plannedId: string;
  readonly callId: string;
}

/** A run of a job that made nothing but reads. */
export interface Rehearsal {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Why it did not come to its end. */
  readonly problem?: string;
  /** The job as it was then. */
  readonly job: RunJob;
  /** What it would have said. */
  readonly text: string;
  readonly calls: readonly RehearsedCall[];
  /** What could not be known, in words. */
  readonly gaps: readonly string[];
  /** How many calls were made: none of them changes anything. */
  readonly reads: number;
}

/**
 * Runs of jobs in which nothing is done, so that the owner sees what a job would do. The gate makes
 * reads, and lists everything else with its preview (T6); what it listed lies with the calls of the
 * run. A job has one rehearsal: another one takes its place.
 */
export class Rehearsals {
  readonly #deps: RehearsalDeps;

  constructor(deps: RehearsalDeps) {
    this.#deps = deps;
  }

  async begin(job: Job): Promise<Rehearsal> {
    const { tenant, stores, engine } = this.#deps;
    mustAskModel(job);
    if (job.kind === "heartbeat" && (await this.#deps.heartbeat.prompt()) === "")
      fail("CONFLICT", "HEARTBEAT.md in the workspace says nothing to look at. Nothing was rehearsed.");
    const text = await jobText(job, this.#deps.heartbeat);
    const before = await stores.sessions.findByKey(tenant, keyOf(job));
    if (before && (await stores.runs.unfinished(tenant, before.id)).length > 0)
      fail("CONFLICT", `“${job.name}” is being rehearsed already. Wait for its end, or stop its run.`);
    const session = await this.#newSession(job);
    const bound = (await stores.sessions.bind(tenant, session.id, keyOf(job))) ?? session;
    if (before) await this.#discard(before.id);
    const run = runJobOf(job, text, bound.agentId, this.#deps.hash);
    const { run: begun } = await engine.submit({
      principal: jobPrincipal(tenant, job),
      sessionId: bound.id,
      surface: JOB_SURFACE,
      origin: "schedule",
      parts: [{ kind: "text", text, origin: "schedule" }],
      job: { ...run, rehearsal: true },
      ...(job.model === undefined ? {} : { model: job.model }),
    });
    engine.start(tenant, begun);
    return (await this.latest(job)) ?? fail("INTERNAL", "The rehearsal was begun and cannot be found.");
  }

  /** The last rehearsal of a job; undefined where there is none, or its session was deleted. */
  async latest(job: Job): Promise<Rehearsal | undefined> {
    const { tenant, stores, ledger } = this.#deps;
    const session = await stores.sessions.findByKey(tenant, keyOf(job));
    const [runId] = session ? await stores.runs.idsOfSession(tenant, session.id, 1) : [];
    const run = runId === undefined ? undefined : await stores.runs.get(tenant, runId);
    if (!run) return undefined;
    const { steps } = await stores.runs.journal(tenant, run.id);
    const rehearsed = steps.find(({ meta }) => meta?.job?.rehearsal)?.meta?.job;
    if (rehearsed === undefined) return undefined;
    const rows = await ledger.callsOfRun(tenant, run.id);
    const listed = rows.flatMap((row) => {
      const found = plannedIn(row.outcome);
      return found ? [{ row, ...found }] : [];
    });
    return {
      runId: run.id,
      sessionId: run.sessionId,
      status: run.status,
      startedAt: run.queuedAt,
      ...(run.endedAt === undefined ? {} : { endedAt: run.endedAt }),
      ...(run.failure === undefined ? {} : { problem: run.failure.message }),
      job: rehearsed,
      text: isEnded(run.status) ? replyOf(steps) : "",
      calls: listed.flatMap(({ row: { callId }, planned }) =>
        planned.map((call, at) => ({
          ...call,
          callId,
          plannedId: planned.length === 1 ? callId : `${callId}/${at + 1}`,
        })),
      ),
      gaps: listed.flatMap(({ gaps }) => gaps ?? []),
      reads: rows.filter(({ state }) => state === "succeeded").length,
    };
  }

  async #newSession(job: Job) {
    const { tenant, stores, engine, clock, ids, defaultAgentId } = this.#deps;
    const title = `Rehearsal: ${job.name}`;
    const at = clock.now();
    const agentId = job.agentId ?? defaultAgentId;
    const session = await stores.sessions.create(tenant, { id: ids.next("session"), agentId, title, at });
    engine.announce(tenant, { sessionKey: session.id, what: "created" });
    return (await stores.sessions.rename(tenant, session.id, title, "owner")) ?? session;
  }

  /** The session of the rehearsal before goes to the trash, so that lists show one for each job. */
  async #discard(sessionId: string): Promise<void> {
    const { tenant, stores, engine, clock } = this.#deps;
    await stores.sessions.trash(tenant, sessionId, clock.now());
    engine.announce(tenant, { sessionKey: sessionId, what: "deleted" });
  }
}

function keyOf({ id }: Job): OutsideKey {
  return { channel: JOB_SURFACE, chat: `rehearsal:${id}` };
}
