import { LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import {
  toWireJob,
  toWireOccurrence,
  type WireJob,
  type WireOccurrence,
} from "@elwood/core/protocol/job-shapes";
import { scheduleWords, type Job, type Occurrence } from "@elwood/core/schedule/job";
import type { Handlers, MethodContext } from "./context.ts";

type JobMethods =
  | "jobs.list"
  | "jobs.get"
  | "jobs.create"
  | "jobs.update"
  | "jobs.delete"
  | "jobs.run"
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
    const job = await shown(await jobs.get(name), context);
    await jobs.remove(name);
    return { job };
  },

  async "jobs.run"({ name }, context) {
    const jobs = await context.services.jobs.service();
    const { job, occurrence } = await jobs.runNow(name);
    return { job: await shown(job, context), occurrence: await shownOccurrence(occurrence, context) };
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
  });
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
