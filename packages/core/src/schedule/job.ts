import { cronWords } from "./cron-words.ts";

/** When a job is due. */
export type JobSchedule =
  /** Once. */
  | { readonly kind: "at"; readonly at: number }
  /** Again and again, counted from a moment. */
  | { readonly kind: "every"; readonly everyMs: number; readonly from: number }
  /** As cron says, by the wall clock of a zone: the owner's where none is named. */
  | { readonly kind: "cron"; readonly expression: string; readonly timeZone?: string };

/**
 * `reminder`: its message is delivered as it stands, and no model is asked. `task`: its message is
 * sent to an agent, and the reply is delivered. `heartbeat`: the same with what HEARTBEAT.md says.
 * `backup`: a copy of everything is made, and nothing is said of one that succeeded.
 */
export const JOB_KINDS = ["reminder", "task", "heartbeat", "backup"] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** The heartbeat is a job like any other, and nobody else has its name. */
export const HEARTBEAT_NAME = "heartbeat";

/** Who made it: the configuration, the owner by hand, or the agent by a call. */
export const JOB_SOURCES = ["config", "owner", "agent"] as const;
export type JobSource = (typeof JOB_SOURCES)[number];

/** What is done about times that passed while Elwood was off: nothing, or one run for all of them. */
export const CATCH_UP = ["skip", "once"] as const;
export type CatchUp = (typeof CATCH_UP)[number];

/** What is done about a time that comes while the run before it has not ended. */
export const OVERLAP = ["skip", "queue"] as const;
export type Overlap = (typeof OVERLAP)[number];

/** Where replies are seen anyway: the page and the terminal show every session. */
export const PAGE_TARGET = "page";

/** Something that Elwood does by itself at its time. */
export interface Job {
  readonly id: string;
  /** By which people call it; no two have the same. */
  readonly name: string;
  readonly kind: JobKind;
  readonly source: JobSource;
  readonly schedule: JobSchedule;
  /** Empty for the heartbeat, whose words are in a file. */
  readonly message: string;
  /** Absent: the default agent. */
  readonly agentId?: string;
  /** Absent: the agent's model. */
  readonly model?: string;
  /** A session of its own for every run, or one that goes on. */
  readonly isolated: boolean;
  /** `page`, or a chat of a channel as `telegram:12345`. */
  readonly target: string;
  readonly catchUp: CatchUp;
  readonly overlap: Overlap;
  /** Up to so much later than its time, the same for the same time. */
  readonly jitterMs: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly pausedAt?: number;
  /** A one-time job that is over. */
  readonly endedAt?: number;
  /** The next due time, and the moment at which it is acted on; absent while paused or over. */
  readonly nextAt?: number;
  readonly fireAt?: number;
}

/** What a person can change about a job. */
export type JobChange = Partial<
  Pick<Job, "name" | "schedule" | "message" | "isolated" | "target" | "catchUp" | "overlap" | "jitterMs">
> & { readonly agentId?: string | undefined; readonly model?: string | undefined };

/** Why something was done at that moment. */
export const TRIGGERS = ["schedule", "catch-up", "manual"] as const;
export type Trigger = (typeof TRIGGERS)[number];

/**
 * `due`: recorded, and nothing is begun. `queued`: waits for the run before it. `running`: its run has
 * not ended; it may wait for the owner. `missed`: Elwood was off. `skipped`: the run before it had not
 * ended, or there was nothing to do.
 */
export const OCCURRENCE_STATUSES = [
  "due",
  "queued",
  "running",
  "done",
  "failed",
  "stopped",
  "missed",
  "skipped",
] as const;
export type OccurrenceStatus = (typeof OCCURRENCE_STATUSES)[number];

/** Apart from the run: a reply that is there may still be on its way, and one that failed to arrive is not lost. */
export const DELIVERY_STATUSES = ["none", "pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One due time of a job, and what became of it. */
export interface Occurrence {
  readonly id: string;
  readonly jobId: string;
  readonly dueAt: number;
  /** When it was acted on. */
  readonly at: number;
  readonly trigger: Trigger;
  readonly status: OccurrenceStatus;
  /** How many due times this stands for, where it is more than one. */
  readonly count?: number;
  /** In words, where the status alone does not say it. */
  readonly reason?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  /** A heartbeat that had nothing to report. */
  readonly quiet?: boolean;
  readonly delivery: DeliveryStatus;
  /** Why it was not delivered. */
  readonly deliveryProblem?: string;
  readonly endedAt?: number;
}

export function isOver(status: OccurrenceStatus): boolean {
  return status !== "due" && status !== "queued" && status !== "running";
}

/** When a job is due next. `null` takes a time away; what is left out stays. */
export interface JobTimes {
  readonly nextAt?: number | null;
  readonly fireAt?: number | null;
  readonly pausedAt?: number | null;
  readonly endedAt?: number | null;
}

export type OccurrenceChange = Partial<
  Pick<
    Occurrence,
    "status" | "reason" | "sessionId" | "runId" | "quiet" | "delivery" | "deliveryProblem" | "endedAt"
  >
>;

/** A job as somebody changed it. What is `undefined` in a change is taken away, what is not in it stays. */
export function changedJob(job: Job, change: JobChange & JobTimes, at: number): Job {
  const { nextAt, fireAt, pausedAt, endedAt, ...rest } = change;
  const times: JobTimes = {
    ...(nextAt === undefined ? {} : { nextAt }),
    ...(fireAt === undefined ? {} : { fireAt }),
    ...(pausedAt === undefined ? {} : { pausedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
  };
  const { agentId, model, ...whole } = { ...job, ...rest };
  const changed = {
    ...whole,
    ...(agentId === undefined ? {} : { agentId }),
    ...(model === undefined ? {} : { model }),
    updatedAt: at,
  };
  return withTimes(changed, times);
}

/** An occurrence as it then stands; undefined where it may not be told any more. */
export function settled(before: Occurrence, change: OccurrenceChange): Occurrence | undefined {
  const { delivery, deliveryProblem, ...rest } = change;
  if (isOver(before.status) && Object.keys(rest).length > 0) return undefined;
  if (isOver(before.status) && before.delivery !== "pending") return undefined;
  return {
    ...before,
    ...rest,
    ...(delivery === undefined ? {} : { delivery }),
    ...(deliveryProblem === undefined ? {} : { deliveryProblem }),
  };
}

/** `null` takes a time away. */
export function withTimes(job: Job, times: JobTimes): Job {
  const { nextAt: _next, fireAt: _fire, pausedAt: _paused, endedAt: _ended, ...rest } = job;
  const known: JobTimes = {
    nextAt: times.nextAt === undefined ? (job.nextAt ?? null) : times.nextAt,
    fireAt: times.fireAt === undefined ? (job.fireAt ?? null) : times.fireAt,
    pausedAt: times.pausedAt === undefined ? (job.pausedAt ?? null) : times.pausedAt,
    endedAt: times.endedAt === undefined ? (job.endedAt ?? null) : times.endedAt,
  };
  const left = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
  return { ...rest, ...left };
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];

/** `every 30 minutes`, `every weekday at 09:00`, `every day at 07:00 (Asia/Tokyo)`, `once, Tue 2026-11-17 09:00`. */
export function scheduleWords(
  schedule: JobSchedule,
  time: { readonly timeZone: string; format(ts: number): string },
): string {
  if (schedule.kind === "at") return `once, ${time.format(schedule.at)}`;
  if (schedule.kind === "cron") {
    const { expression, timeZone = time.timeZone } = schedule;
    const words = cronWords(expression) ?? expression;
    return timeZone === time.timeZone ? words : `${words} (${timeZone})`;
  }
  const [unitMs, unit] = UNITS.find(([ms]) => schedule.everyMs % ms === 0) ?? [1_000, "second"];
  const count = schedule.everyMs / unitMs;
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}
