import type { Failure } from "@elwood/core/base/failure";
import type { Result } from "@elwood/core/base/result";
import type { Job, JobChange, JobTimes, Occurrence, OccurrenceChange } from "@elwood/core/schedule/job";

/**
 * Jobs and their due times. When a promise resolves, what it wrote survives a pulled plug.
 *
 * J1 No two jobs of a tenant have the same name, whatever its case.
 * J2 A due time of a job is recorded once. Where the clock was set back and the time comes again,
 *    it is not recorded again, and so nothing is done twice.
 * J3 Recording due times and moving the job on to its next one is one write: a crash leaves a job
 *    that has yet to be acted on, or one that was.
 * J4 What became of an occurrence never changes once it is over; its delivery moves from `pending`
 *    to its end, and no further.
 */
export interface Jobs {
  /** CONFLICT where the name is taken, INVALID_INPUT where there are too many. */
  create(tenant: string, job: Job): Promise<Job>;
  get(tenant: string, jobId: string): Promise<Job | undefined>;
  find(tenant: string, name: string): Promise<Job | undefined>;
  /** By name. */
  list(tenant: string): Promise<readonly Job[]>;
  /** CONFLICT where the new name is taken; undefined where there is no such job. */
  change(
    tenant: string,
    jobId: string,
    change: JobChange & JobTimes & { readonly at: number },
  ): Promise<Job | undefined>;
  /** Its history goes with it. False where there is no such job. */
  remove(tenant: string, jobId: string): Promise<boolean>;

  /** Jobs to be acted on at this moment, the longest due first. */
  due(tenant: string, at: number, limit: number): Promise<readonly Job[]>;
  /** When the next job is to be acted on. */
  nextFire(tenant: string): Promise<number | undefined>;
  /**
   * J2, J3. Refused, with undefined, where the job is gone or its next time is no longer `expected`.
   * Answers those of the occurrences that were not recorded before.
   */
  take(
    tenant: string,
    taken: {
      readonly jobId: string;
      readonly expected: number;
      readonly next: JobTimes;
      readonly occurrences: readonly Occurrence[];
    },
  ): Promise<readonly Occurrence[] | undefined>;
  /** Records one that no clock asked for. NOT_FOUND where there is no such job. */
  record(tenant: string, occurrence: Occurrence): Promise<void>;
  /** J4. undefined where there is none, or where it is over already and something other than its delivery is told. */
  settle(tenant: string, occurrenceId: string, change: OccurrenceChange): Promise<Occurrence | undefined>;
  /** Those that are not over, or whose delivery is not settled, oldest first. */
  open(tenant: string): Promise<readonly Occurrence[]>;
  /** Newest first. */
  history(
    tenant: string,
    query: {
      readonly jobId?: string;
      readonly runId?: string;
      readonly limit: number;
      readonly before?: string;
    },
  ): Promise<readonly Occurrence[]>;
}

/** A text on its way to somebody who is not looking. */
export interface Delivery {
  /** The same for every try of one delivery. */
  readonly key: string;
  /** `page`, or a chat of a channel as `telegram:12345`. */
  readonly target: string;
  readonly text: string;
  /** What the calls of the run did, in lines under the text. */
  readonly evidence?: string;
  /** The run whose reply it is. */
  readonly runId?: string;
}

/**
 * Brings texts to where the owner is. A text is durable when the promise resolves, and is accepted
 * once, however often its key is handed over.
 */
export interface Deliveries {
  /** `delivered` where it is seen by now, `accepted` where it is on its way. A failure that is retryable is tried again. */
  deliver(tenant: string, delivery: Delivery): Promise<Result<"delivered" | "accepted", Failure>>;
  /** Told how a delivery that was accepted ended. Answers how to stop listening. */
  onSettled(
    listener: (tenant: string, key: string, outcome: Result<"delivered", Failure>) => void,
  ): () => void;
}

/** The times that a cron expression means; loaded when there is one. */
export interface CronTimes {
  /** The next ones after a moment, as many as there are up to `count`. The expression was checked before. */
  next(expression: string, timeZone: string, after: number, count: number): Promise<readonly number[]>;
}
