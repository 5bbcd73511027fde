import { LIMITS } from "@elwood/core/base/limits";
import type { Job, JobSchedule } from "@elwood/core/schedule/job";
import type { CronTimes } from "../ports/jobs.ts";

/** When jobs are due. It only calculates: the same questions have the same answers. */
export class JobTimetable {
  readonly #cron: CronTimes;
  readonly #timeZone: string;
  readonly #hash: (text: string) => string;

  constructor(deps: {
    readonly cron: CronTimes;
    /** The owner's. */
    readonly timeZone: string;
    /** SHA-256, as hex. */
    readonly hash: (text: string) => string;
  }) {
    this.#cron = deps.cron;
    this.#timeZone = deps.timeZone;
    this.#hash = deps.hash;
  }

  /** The next due times after a moment, as many as there are up to `count`. */
  async next(schedule: JobSchedule, after: number, count: number): Promise<readonly number[]> {
    if (schedule.kind === "at") return schedule.at > after ? [schedule.at] : [];
    if (schedule.kind === "cron") {
      const { expression, timeZone = this.#timeZone } = schedule;
      return this.#cron.next(expression, timeZone, after, count);
    }
    const { everyMs, from } = schedule;
    // The first comes a whole interval after the beginning, also by a clock that was a moment behind or was set back.
    const first = from + Math.max(1, Math.floor((after - from) / everyMs) + 1) * everyMs;
    return Array.from({ length: count }, (_, n) => first + n * everyMs);
  }

  /** The due times from one up to a moment, both included, oldest first; of very many the oldest. */
  async passed(schedule: JobSchedule, from: number, to: number): Promise<readonly number[]> {
    if (schedule.kind === "at") return [from];
    const count =
      schedule.kind === "every"
        ? Math.min(LIMITS.jobMissedMax, Math.floor((to - from) / schedule.everyMs) + 1)
        : LIMITS.jobMissedMax;
    // Nearly always there is one: the others are looked for only where a second one has passed.
    const [second] = await this.next(schedule, from, 1);
    if (second === undefined || second > to) return [from];
    const later = await this.next(schedule, from, count);
    return [from, ...later.filter((time) => time <= to)].slice(0, LIMITS.jobMissedMax);
  }

  /** The moment at which a due time is acted on. The same job and time always give the same. */
  fireAt({ id, jitterMs }: Pick<Job, "id" | "jitterMs">, dueAt: number): number {
    if (jitterMs <= 0) return dueAt;
    const share = Number.parseInt(this.#hash(`${id} ${dueAt}`).slice(0, 8), 16) / 0x1_0000_0000;
    return dueAt + Math.floor(share * jitterMs);
  }

  /** Both of them for the time after a moment; nulls where there is none. */
  async after(
    job: Pick<Job, "id" | "jitterMs" | "schedule">,
    after: number,
  ): Promise<{ readonly nextAt: number | null; readonly fireAt: number | null }> {
    const [nextAt] = await this.next(job.schedule, after, 1);
    return nextAt === undefined
      ? { nextAt: null, fireAt: null }
      : { nextAt, fireAt: this.fireAt(job, nextAt) };
  }
}
