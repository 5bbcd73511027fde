import { toWireGrant, type WireGrant } from "@elwood/core/protocol/approval-shapes";
import { LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import {
  toWireJob,
  toWireOccurrence,
  toWirePlanned,
  type WireJob,
  type WireOccurrence,
  type WireRehearsal,
} from "@elwood/core/protocol/job-shapes";
import { scheduleWords, type Job, type Occurrence } from "@elwood/core/schedule/job";
import type { JobGrant } from "@elwood/runtime/jobs/job-grants";
import type { Rehearsal } from "@elwood/runtime/jobs/rehearsals";
import { personOf, type Handlers, type MethodContext } from "./context.ts";

type JobMethods =
  | "jobs.list"
  | "jobs.get"
  | "jobs.create"
  | "jobs.update"
  | "jobs.delete"
  | "jobs.run"
  | "jobs.rehearse"
  | "jobs.rehearsal"
  | "jobs.grant"
  | "jobs.grants"
  | "jobs.pause"
  | "jobs.resume"
  | "jobs.history"
  | "heartbeat.run";

type Context = MethodContext<"system" | "sessions" | "jobs">;

/** What Elwood does by itself at its time. */
export const jobMethods: Handlers<JobMethods, "system" | "sessions" | "jobs"> = {
  async "jobs.list"(_params, context) {
    const jobs = await context.services.jobs.service();
    return { jobs: await Promise.all((await jobs.list()).map((job) => shown(job, context))) };
  },

  async "jobs.get"({ name }, context) {
    const jobs = await context.services.jobs.service();
    const job = await jobs.get(name);
    const history = await jobs.history({ jobId: job.id, limit: SHOWN_WITH_JOB });
    return {
      job: await shown(job, context),
      history: await Promise.all(history.map((each) => shownOccurrence(each, context))),
    };
  },

  async "jobs.create"({ kind = "task", ...written }, context) {
    const jobs = await context.services.jobs.service();
    return { job: await shown(await jobs.create({ kind, ...written }, "owner"), context) };
  },

  async "jobs.update"({ name, change }, context) {
    const jobs = await context.services.jobs.service();
    return { job: await shown(await jobs.update(name, change), context) };
  },

  async "jobs.delete"({ name }, context) {
    const jobs = await context.services.jobs.service();
    const found = await jobs.get(name);
    const job = await shown(found, context);
    await jobs.remove(name);
    await (await context.services.jobs.grants()).revokeAll(found, personOf(context));
    return { job };
  },

  async "jobs.run"({ name }, context) {
    const jobs = await context.services.jobs.service();
    const { job, occurrence } = await jobs.runNow(name);
    return { job: await shown(job, context), occurrence: await shownOccurrence(occurrence, context) };
  },

  async "jobs.rehearse"({ name }, context) {
    const job = await (await context.services.jobs.service()).get(name);
    const rehearsals = await context.services.jobs.rehearsals();
    return { rehearsal: await shownRehearsal(job, await rehearsals.begin(job), context) };
  },

  async "jobs.rehearsal"({ name }, context) {
    const job = await (await context.services.jobs.service()).get(name);
    const rehearsal = await (await context.services.jobs.rehearsals()).latest(job);
    return rehearsal ? { rehearsal: await shownRehearsal(job, rehearsal, context) } : {};
  },

  async "jobs.grant"({ name, runId, calls }, context) {
    const job = await (await context.services.jobs.service()).get(name);
    const grants = await context.services.jobs.grants();
    return { grants: (await grants.give(job, runId, calls, personOf(context))).map(shownGrant) };
  },

  async "jobs.grants"({ name }, context) {
    const job = await (await context.services.jobs.service()).get(name);
    const grants = await (await context.services.jobs.grants()).list(job);
    return { grants: grants.map(shownGrant) };
  },

  async "jobs.pause"({ name }, context) {
    const jobs = await context.services.jobs.service();
    return { job: await shown(await jobs.pause(name), context) };
  },

  async "jobs.resume"({ name }, context) {
    const jobs = await context.services.jobs.service();
    return { job: await shown(await jobs.resume(name), context) };
  },

  async "jobs.history"({ name, limit = LIMITS.pageSizeDefault, before }, context) {
    const jobs = await context.services.jobs.service();
    const jobId = name === undefined ? undefined : (await jobs.get(name)).id;
    const found = await jobs.history({
      limit,
      ...(jobId === undefined ? {} : { jobId }),
      ...(before === undefined ? {} : { before }),
    });
    const names = new Map((await jobs.list()).map((job) => [job.id, job.name]));
    const last = found.length < limit ? undefined : found.at(-1)?.id;
    return {
      occurrences: await Promise.all(
        found.map((each) => shownOccurrence(each, context, names.get(each.jobId))),
      ),
      ...(last === undefined ? {} : { next: last }),
    };
  },

  async "heartbeat.run"(_params, context) {
    const begun = await context.services.jobs.heartbeatNow();
    if (!begun.ok) return { note: begun.error };
    const { job, occurrence } = begun.value;
    return { job: await shown(job, context), occurrence: await shownOccurrence(occurrence, context) };
  },
};

const SHOWN_WITH_JOB = 20;
const NEXT_SHOWN = 5;

async function shown(job: Job, context: Context): Promise<WireJob> {
  const { localTime } = context.services.system;
  const jobs = await context.services.jobs.service();
  const times = job.nextAt === undefined ? [] : await jobs.nextTimes(job.schedule, NEXT_SHOWN);
  const zone = job.schedule.kind === "cron" ? job.schedule.timeZone : undefined;
  const there = zone === undefined || zone === localTime.timeZone ? undefined : new LocalTime(zone);
  const [last] = await jobs.history({ jobId: job.id, limit: 1 });
  return toWireJob(job, {
    when: scheduleWords(job.schedule, localTime),
    next: times.map((at) => ({
      at,
      local: localTime.format(at),
      ...(there ? { there: `${there.format(at)} ${there.timeZone}` } : {}),
    })),
    ...(last ? { last: await shownOccurrence(last, context) } : {}),
    ...(await grantsOf(job, context)),
  });
}

/** How many permissions it has, and which of them are no longer used. */
async function grantsOf(job: Job, { services }: Context): Promise<Pick<WireJob, "grants">> {
  const grants = await (await services.jobs.grants()).list(job);
  if (grants.length === 0) return {};
  const problems = new Set(grants.flatMap(({ problem }) => problem ?? []));
  const count = grants.filter(({ problem }) => problem === undefined).length;
  return { grants: { count, problems: [...problems] } };
}

function shownGrant({ grant, problem }: JobGrant): WireGrant {
  return { ...toWireGrant(grant), ...(problem === undefined ? {} : { problem }) };
}

async function shownRehearsal(job: Job, rehearsal: Rehearsal, { services }: Context): Promise<WireRehearsal> {
  const grants = await services.jobs.grants();
  const [offers, outdated] = await Promise.all([grants.offers(rehearsal), grants.outdated(job, rehearsal)]);
  const { runId, sessionId, startedAt: at } = rehearsal;
  const { status, startedAt, endedAt, problem, text, gaps, reads } = rehearsal;
  return {
    runId,
    sessionKey: sessionId,
    status,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(problem === undefined ? {} : { problem }),
    ...(outdated === undefined ? {} : { outdated }),
    text,
    calls: offers.map(({ call, ...more }) => toWirePlanned(call, { runId, sessionId, at }, more)),
    gaps: [...gaps],
    reads,
  };
}

async function shownOccurrence(
  occurrence: Occurrence,
  { services: { sessions }, tenant }: Context,
  job?: string,
): Promise<WireOccurrence> {
  const { status, runId } = occurrence;
  const run = status === "running" && runId ? await sessions.stores.runs.get(tenant, runId) : undefined;
  return toWireOccurrence(occurrence, {
    waiting: run?.status === "waiting",
    ...(job === undefined ? {} : { job }),
  });
}
