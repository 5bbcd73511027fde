import { FailureError } from "@elwood/core/base/failure";
import { formatLocal, type LocalTime } from "@elwood/core/base/local-time";
import { err, ok, type Result } from "@elwood/core/base/result";
import { scheduleWords, type Job } from "@elwood/core/schedule/job";
import { zoneNamed } from "@elwood/core/schedule/zone-name";
import type { JobService, WrittenJob, WrittenJobChange } from "@elwood/runtime/jobs/job-service";
import type { SessionStore } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";

const NEXT_SHOWN = 5;

/** A job as the tools tell it; `record` is all of it. */
interface ShownJob {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly message: string;
  readonly when: string;
  readonly status: string;
  readonly next: readonly string[];
  readonly repeats: boolean;
  /** When it is next by the clock of the zone that was named, where that is not the owner's. */
  readonly there?: string;
  readonly record: unknown;
}

/** Jobs as the assistant's tools in integrations/schedule use them. */
export function scheduleService(deps: {
  readonly tenant: string;
  readonly jobs: () => Promise<JobService>;
  readonly sessions: Pick<SessionStore, "keyOf">;
  readonly reaches: (target: string) => boolean;
  readonly localTime: LocalTime;
}) {
  const { jobs, localTime } = deps;
  const shown = async (job: Job, zone = zoneOf(job)): Promise<ShownJob> => {
    const times = job.nextAt === undefined ? [] : await (await jobs()).nextTimes(job.schedule, NEXT_SHOWN);
    const { id, name, kind, message, pausedAt, endedAt } = job;
    return {
      id,
      name,
      kind,
      message,
      when: scheduleWords(job.schedule, localTime),
      status: pausedAt !== undefined ? "paused" : endedAt !== undefined ? "over" : "active",
      next: times.map((at) => localTime.format(at)),
      repeats: job.schedule.kind !== "at",
      ...thereOf(times[0], zone, localTime),
      record: job,
    };
  };
  const attempt = async (
    work: (service: JobService) => Promise<Job>,
    zone?: string,
  ): Promise<Result<ShownJob, string>> => {
    try {
      return ok(await shown(await work(await jobs()), zone));
    } catch (error) {
      if (error instanceof FailureError) return err(error.failure.message);
      throw error;
    }
  };
  const idOf = (key: string) => `job_${sha256(key).slice(0, 26)}`;
  return {
    plan: (written: WrittenJob) => attempt((service) => service.planned(written, "agent"), written.timeZone),
    create: (written: WrittenJob, { key, session }: { readonly key: string; readonly session: string }) =>
      attempt(async (service) => {
        const target = await targetOf(deps, session);
        return service.create({ ...written, ...(target ? { target } : {}) }, "agent", idOf(key));
      }, written.timeZone),
    async wasCreated(key: string) {
      return (await (await jobs()).list()).some(({ id }) => id === idOf(key));
    },
    async list() {
      return Promise.all((await (await jobs()).list()).map((job) => shown(job)));
    },
    get: (name: string) => attempt((service) => service.get(name)),
    planUpdate: (name: string, change: WrittenJobChange) =>
      attempt((service) => service.plannedUpdate(name, change), change.timeZone),
    update: (name: string, change: WrittenJobChange) =>
      attempt((service) => service.update(name, change), change.timeZone),
    remove: (id: string) => attempt((service) => service.remove(id)),
    // What a call of these tools answered with, and nothing else, comes back here.
    putBack: (record: unknown) => attempt((service) => service.putBack(record as Job)),
  };
}

function zoneOf({ schedule }: Job): string | undefined {
  return schedule.kind === "cron" ? schedule.timeZone : undefined;
}

/** `Tue 2026-11-17 09:00 in Asia/Tokyo` */
function thereOf(
  at: number | undefined,
  named: string | undefined,
  { timeZone }: LocalTime,
): { readonly there?: string } {
  const zone = named === undefined ? undefined : zoneNamed(named);
  if (at === undefined || zone === undefined || zone === timeZone) return {};
  return { there: `${formatLocal(at, zone)} in ${zone}` };
}

/** The chat that the session belongs to: who asks there wants to hear of it there. */
async function targetOf(
  { tenant, sessions, reaches }: Parameters<typeof scheduleService>[0],
  session: string,
): Promise<string | undefined> {
  const key = await sessions.keyOf(tenant, session);
  const target = key && `${key.channel}:${key.chat}`;
  return target !== undefined && reaches(target) ? target : undefined;
}
