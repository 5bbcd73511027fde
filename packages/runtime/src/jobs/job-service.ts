import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import { cutLine, plainLine } from "@elwood/core/message/session-text";
import {
  changedJob,
  HEARTBEAT_NAME,
  PAGE_TARGET,
  withTimes,
  type CatchUp,
  type Job,
  type JobChange,
  type JobSchedule,
  type JobSource,
  type Occurrence,
  type Overlap,
} from "@elwood/core/schedule/job";
import { readSchedule, type WrittenSchedule } from "@elwood/core/schedule/read-schedule";
import type { Jobs } from "../ports/jobs.ts";
import type { Agents, Clock, Ids, Log } from "../ports/ports.ts";
import type { JobTimetable } from "./job-times.ts";
import type { Scheduler } from "./scheduler.ts";

export interface JobServiceDeps {
  readonly tenant: string;
  readonly jobs: Jobs;
  readonly timetable: JobTimetable;
  readonly agents: Pick<Agents, "list">;
  readonly localTime: LocalTime;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** The scheduler of this process, started where it is one that waits for due times. */
  readonly scheduler: () => Promise<Scheduler>;
  /** Whether somebody can be reached under a target that is not the page. */
  readonly reaches: (target: string) => boolean;
}

/** A job as somebody writes it. */
export interface WrittenJob extends WrittenSchedule {
  /** By its first words where none is given. */
  readonly name?: string | undefined;
  readonly kind: "reminder" | "task";
  readonly message: string;
  readonly agentId?: string | undefined;
  readonly model?: string | undefined;
  readonly isolated?: boolean | undefined;
  readonly target?: string | undefined;
  readonly catchUp?: CatchUp | undefined;
  readonly overlap?: Overlap | undefined;
  readonly jitterSeconds?: number | undefined;
}

export type WrittenJobChange = Partial<Omit<WrittenJob, "kind">>;

/** A job of the configuration, read and checked. */
export interface ConfiguredJob {
  readonly name: string;
  readonly kind: "task" | "heartbeat" | "backup";
  readonly schedule:
    | { readonly kind: "cron"; readonly expression: string }
    | { readonly kind: "every"; readonly everyMs: number };
  readonly message: string;
  readonly isolated: boolean;
  readonly target: string;
  readonly catchUp: CatchUp;
  readonly overlap: Overlap;
  /** It is there to be run by hand, and has no due times. */
  readonly off?: boolean;
}

/** Jobs, as people and the agent make and change them. What is wrong is refused with a sentence, and then nothing is stored. */
export class JobService {
  readonly #deps: JobServiceDeps;

  constructor(deps: JobServiceDeps) {
    this.#deps = deps;
  }

  list(): Promise<readonly Job[]> {
    return this.#deps.jobs.list(this.#deps.tenant);
  }

  /** By its id or its name. */
  async get(which: string): Promise<Job> {
    const { jobs, tenant } = this.#deps;
    const job = (await jobs.get(tenant, which)) ?? (await jobs.find(tenant, which));
    return (
      job ??
      fail(
        "NOT_FOUND",
        `There is no job "${plainLine(which)}". Nothing was done. See them with: elwood jobs list`,
      )
    );
  }

  /** The next due times of a schedule, from now on. */
  async nextTimes(schedule: JobSchedule, count: number): Promise<readonly number[]> {
    const { timetable, clock } = this.#deps;
    return timetable.next(schedule, clock.now(), Math.min(count, LIMITS.jobNextTimesMax));
  }

  /** The job that would be made, with its next due time; nothing is stored. */
  async planned(written: WrittenJob, source: JobSource, id = this.#deps.ids.next("job")): Promise<Job> {
    const { clock, timetable } = this.#deps;
    const at = clock.now();
    const message = messageOf(written.message);
    const schedule = this.#schedule(written);
    const jitterMs = jitterOf(written.jitterSeconds);
    const times = await timetable.after({ id, jitterMs, schedule }, at);
    if (times.nextAt === null || times.fireAt === null) neverComes();
    return {
      id,
      name: written.name === undefined ? await this.#freeName(message) : nameOf(written.name),
      kind: written.kind,
      source,
      schedule,
      message,
      ...(written.agentId === undefined ? {} : { agentId: await this.#agent(written.agentId) }),
      ...(written.model === undefined ? {} : { model: written.model }),
      isolated: written.isolated ?? true,
      target: this.#target(written.target),
      catchUp: written.catchUp ?? (schedule.kind === "at" ? "once" : "skip"),
      overlap: written.overlap ?? "skip",
      jitterMs,
      createdAt: at,
      updatedAt: at,
      nextAt: times.nextAt,
      fireAt: times.fireAt,
    };
  }

  /** With an id that the caller chose, it is made once: again it is answered as it is. */
  async create(written: WrittenJob, source: JobSource, id?: string): Promise<Job> {
    const { jobs, tenant } = this.#deps;
    const known = id === undefined ? undefined : await jobs.get(tenant, id);
    if (known) return known;
    const job = await jobs.create(tenant, await this.planned(written, source, id));
    await this.#poke();
    return job;
  }

  /** Puts back a job that was removed, as it was. One whose time has passed meanwhile is over. */
  async putBack(job: Job): Promise<Job> {
    const { jobs, tenant, clock, timetable } = this.#deps;
    const { nextAt: _next, fireAt: _fire, endedAt: _ended, ...rest } = job;
    const times =
      job.pausedAt === undefined ? await timetable.after(job, clock.now()) : { nextAt: null, fireAt: null };
    const isOver = times.nextAt === null && job.pausedAt === undefined;
    const { id, createdAt: _created, kind: _kind, source: _source, pausedAt, ...fields } = rest;
    const moved = { ...times, endedAt: isOver ? clock.now() : null, pausedAt: pausedAt ?? null };
    const known = await jobs.get(tenant, id);
    const { updatedAt: _updated, agentId, model, ...change } = fields;
    const restored = known
      ? await jobs.change(tenant, id, { ...change, agentId, model, ...moved, at: clock.now() })
      : await jobs.create(tenant, withTimes(rest, moved));
    await this.#poke();
    return restored ?? gone(job);
  }

  async update(which: string, change: WrittenJobChange): Promise<Job> {
    const { jobs, tenant } = this.#deps;
    const { job, changed } = await this.#changed(which, change);
    const stored = await jobs.change(tenant, job.id, changed);
    await this.#poke();
    return stored ?? gone(job);
  }

  /** What `update` would make of it; nothing is stored. */
  async plannedUpdate(which: string, change: WrittenJobChange): Promise<Job> {
    const { job, changed } = await this.#changed(which, change);
    const { at, ...rest } = changed;
    return changedJob(job, rest, at);
  }

  async #changed(which: string, change: WrittenJobChange) {
    const { clock, timetable } = this.#deps;
    const job = await this.get(which);
    ownOnly(job, "changed");
    const { at, every, cron, timeZone } = change;
    const isRescheduled = [at, every, cron, timeZone].some((each) => each !== undefined);
    const same = at === undefined && every === undefined ? expressionOf(job) : undefined;
    const written = { at, every, cron: cron ?? same, timeZone };
    const schedule = isRescheduled ? this.#schedule(written) : job.schedule;
    const jitterMs = change.jitterSeconds === undefined ? job.jitterMs : jitterOf(change.jitterSeconds);
    const next: JobChange = {
      schedule,
      jitterMs,
      ...(change.name === undefined ? {} : { name: nameOf(change.name) }),
      ...(change.message === undefined ? {} : { message: messageOf(change.message) }),
      ...(change.agentId === undefined ? {} : { agentId: await this.#agent(change.agentId) }),
      ...(change.model === undefined ? {} : { model: change.model }),
      ...(change.isolated === undefined ? {} : { isolated: change.isolated }),
      ...(change.target === undefined ? {} : { target: this.#target(change.target) }),
      ...(change.catchUp === undefined ? {} : { catchUp: change.catchUp }),
      ...(change.overlap === undefined ? {} : { overlap: change.overlap }),
    };
    const now = clock.now();
    const times = await timetable.after({ id: job.id, jitterMs, schedule }, now);
    if (isRescheduled && times.nextAt === null) neverComes();
    const isPaused = job.pausedAt !== undefined;
    const moved = isPaused ? {} : { ...times, ...(isRescheduled ? { endedAt: null } : {}) };
    const kept = !isRescheduled && job.endedAt !== undefined ? {} : moved;
    return { job, changed: { ...next, ...kept, at: now } };
  }

  async remove(which: string): Promise<Job> {
    const { jobs, tenant } = this.#deps;
    const job = await this.get(which);
    ownOnly(job, "removed");
    await jobs.remove(tenant, job.id);
    await this.#poke();
    return job;
  }

  async pause(which: string): Promise<Job> {
    const { jobs, tenant, clock } = this.#deps;
    const job = await this.get(which);
    if (job.pausedAt !== undefined) return job;
    const at = clock.now();
    const paused = await jobs.change(tenant, job.id, { pausedAt: at, nextAt: null, fireAt: null, at });
    await this.#poke();
    return paused ?? gone(job);
  }

  /** From now on: times that passed while it was paused are not made up for. */
  async resume(which: string): Promise<Job> {
    const { jobs, tenant, clock, timetable } = this.#deps;
    const job = await this.get(which);
    if (job.pausedAt === undefined) return job;
    const at = clock.now();
    const times = await timetable.after(job, at);
    if (times.nextAt === null)
      fail(
        "CONFLICT",
        `The job "${job.name}" cannot be resumed: its time passed while it was paused. Nothing was changed. Give it a new time, or remove it.`,
      );
    const resumed = await jobs.change(tenant, job.id, { ...times, pausedAt: null, at });
    await this.#poke();
    return resumed ?? gone(job);
  }

  async runNow(which: string): Promise<{ readonly job: Job; readonly occurrence: Occurrence }> {
    const job = await this.get(which);
    const scheduler = await this.#deps.scheduler();
    return { job, occurrence: await scheduler.runNow(job) };
  }

  history(query: {
    readonly jobId?: string;
    readonly limit: number;
    readonly before?: string;
  }): Promise<readonly Occurrence[]> {
    return this.#deps.jobs.history(this.#deps.tenant, query);
  }

  /** Makes the stored jobs of the configuration what the configuration says. Answers what could not be, in words. */
  async configure(configured: readonly ConfiguredJob[]): Promise<readonly string[]> {
    const { jobs, tenant, clock, ids, timetable, log } = this.#deps;
    const problems: string[] = [];
    const known = await this.list();
    for (const job of known)
      if (job.source === "config" && !configured.some(({ name }) => name === job.name))
        await jobs.remove(tenant, job.id);
    for (const { schedule: written, off = false, ...given } of configured) {
      const at = clock.now();
      const same = await jobs.find(tenant, given.name);
      if (same && same.source !== "config") {
        problems.push(
          `The job "${given.name}" of the configuration is not scheduled: another job has that name. Rename one of them.`,
        );
        continue;
      }
      const schedule: JobSchedule =
        written.kind === "cron"
          ? written
          : { ...written, from: same?.schedule.kind === "every" ? same.schedule.from : at };
      const id = same?.id ?? ids.next("job");
      const next = off ? NO_TIMES : await timetable.after({ id, jitterMs: 0, schedule }, at);
      if (!off && next.nextAt === null) {
        problems.push(`The job "${given.name}" of the configuration never runs: its day does not exist.`);
        continue;
      }
      const times = { ...next, endedAt: off ? at : null };
      const isSame =
        JSON.stringify(same?.schedule) === JSON.stringify(schedule) && off === (same?.endedAt !== undefined);
      const { kind: _kind, ...change } = given;
      if (same)
        await jobs.change(tenant, id, {
          ...change,
          schedule,
          ...(isSame || same.pausedAt !== undefined ? {} : times),
          at,
        });
      else
        await jobs.create(
          tenant,
          withTimes(
            { ...given, id, source: "config", schedule, jitterMs: 0, createdAt: at, updatedAt: at },
            times,
          ),
        );
    }
    for (const problem of problems) log.warn(problem);
    return problems;
  }

  #schedule(written: WrittenSchedule): JobSchedule {
    const { clock, localTime } = this.#deps;
    const read = readSchedule(written, { now: clock.now(), timeZone: localTime.timeZone });
    return read.ok ? read.value : fail("INVALID_INPUT", `${read.error} Nothing was stored.`);
  }

  #target(target: string | undefined): string {
    if (target === undefined || target === PAGE_TARGET) return PAGE_TARGET;
    if (this.#deps.reaches(target)) return target;
    return fail(
      "INVALID_INPUT",
      `Nothing can be delivered to "${plainLine(target)}". Nothing was stored. Use "page", or a chat of a connected channel such as telegram:12345.`,
    );
  }

  async #agent(agentId: string): Promise<string> {
    const agents = await this.#deps.agents.list();
    if (agents.some(({ id }) => id === agentId)) return agentId;
    return fail("INVALID_INPUT", `There is no agent "${plainLine(agentId)}". Nothing was stored.`);
  }

  /** By the first words of its message, with a number where those are taken. */
  async #freeName(message: string): Promise<string> {
    const { jobs, tenant } = this.#deps;
    const words = cutLine(plainLine(message), NAME_FROM_MESSAGE_CHARS);
    for (let n = 1; n <= LIMITS.jobsMax + 1; n++) {
      const name = n === 1 ? words : `${words} (${n})`;
      if (name.toLowerCase() !== HEARTBEAT_NAME && !(await jobs.find(tenant, name))) return name;
    }
    return fail("CONFLICT", "No name could be found for the job. Nothing was stored; give it one.");
  }

  async #poke(): Promise<void> {
    (await this.#deps.scheduler()).poke();
  }
}

const NAME_FROM_MESSAGE_CHARS = 60;
const NO_TIMES = { nextAt: null, fireAt: null } as const;

/** Of a cron job that only gets another zone. */
function expressionOf({ schedule }: Job): string | undefined {
  return schedule.kind === "cron" ? schedule.expression : undefined;
}

function nameOf(written: string): string {
  const name = plainLine(written);
  if (name === "" || name.length > LIMITS.jobNameCharsMax)
    fail("INVALID_INPUT", `A job's name has 1 to ${LIMITS.jobNameCharsMax} characters. Nothing was stored.`);
  if (name.toLowerCase() === HEARTBEAT_NAME)
    fail("INVALID_INPUT", `The name "${HEARTBEAT_NAME}" is taken by Elwood's own job. Nothing was stored.`);
  return name;
}

function messageOf(written: string): string {
  const message = written.trim();
  if (message === "" || message.length > LIMITS.jobMessageCharsMax)
    fail(
      "INVALID_INPUT",
      `A job's message has 1 to ${LIMITS.jobMessageCharsMax} characters. Nothing was stored.`,
    );
  return message;
}

function jitterOf(seconds: number | undefined): number {
  const ms = (seconds ?? 0) * 1_000;
  if (ms < 0 || ms > LIMITS.jobJitterMsMax)
    fail(
      "INVALID_INPUT",
      `A jitter is at most ${LIMITS.jobJitterMsMax / 60_000} minutes. Nothing was stored.`,
    );
  return ms;
}

function neverComes(): never {
  return fail("INVALID_INPUT", "That time never comes. Nothing was stored; give another one.");
}

function gone({ name }: Job): never {
  return fail("NOT_FOUND", `The job "${name}" was removed meanwhile. Nothing was changed.`);
}

/** What the configuration says is changed there; otherwise the next start would undo it. */
function ownOnly({ name, source, kind }: Job, what: string): void {
  if (source !== "config") return;
  const key = kind === "heartbeat" || kind === "backup" ? kind : "cron";
  fail(
    "CONFLICT",
    `The job "${name}" is set in the configuration (${key}), so it was not ${what}. Change it there and restart, or pause it.`,
  );
}
