import { z } from "zod";
import {
  CATCH_UP,
  DELIVERY_STATUSES,
  JOB_KINDS,
  JOB_SOURCES,
  OCCURRENCE_STATUSES,
  OVERLAP,
  TRIGGERS,
  type Job,
  type Occurrence,
} from "../schedule/job.ts";

/** Jobs and their due times, as they travel. Times are milliseconds since 1970. */

export const wireOccurrenceSchema = z.object({
  occurrenceId: z.string(),
  jobId: z.string(),
  /** The job's name, where occurrences of several jobs are listed. */
  job: z.string().optional(),
  dueAt: z.number(),
  at: z.number(),
  trigger: z.enum(TRIGGERS),
  status: z.enum(OCCURRENCE_STATUSES),
  /** Its run waits for the owner's decision or answer. */
  waiting: z.literal(true).optional(),
  /** How many due times it stands for, where it is more than one. */
  count: z.number().int().optional(),
  reason: z.string().optional(),
  runId: z.string().optional(),
  sessionKey: z.string().optional(),
  /** A heartbeat that had nothing to report. */
  quiet: z.boolean().optional(),
  delivery: z.enum(DELIVERY_STATUSES),
  deliveryProblem: z.string().optional(),
  endedAt: z.number().optional(),
});
export type WireOccurrence = z.infer<typeof wireOccurrenceSchema>;

export const wireJobSchema = z.object({
  jobId: z.string(),
  name: z.string(),
  kind: z.enum(JOB_KINDS),
  source: z.enum(JOB_SOURCES),
  message: z.string(),
  schedule: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("at"), at: z.number() }),
    z.object({ kind: z.literal("every"), everyMs: z.number(), from: z.number() }),
    z.object({ kind: z.literal("cron"), expression: z.string(), timeZone: z.string().optional() }),
  ]),
  /** The schedule in words. */
  when: z.string(),
  /** `over`: a time that has come and gone. `off`: the heartbeat, where the configuration turned it off. */
  status: z.enum(["active", "paused", "over", "off"]),
  agentId: z.string().optional(),
  model: z.string().optional(),
  isolated: z.boolean(),
  target: z.string(),
  catchUp: z.enum(CATCH_UP),
  overlap: z.enum(OVERLAP),
  jitterSeconds: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** The next due times: by the owner's clock, and by the job's where that is another. */
  next: z.array(z.object({ at: z.number(), local: z.string(), there: z.string().optional() })),
  /** What became of it last. */
  last: wireOccurrenceSchema.optional(),
});
export type WireJob = z.infer<typeof wireJobSchema>;

export function toWireOccurrence(
  occurrence: Occurrence,
  more: { readonly job?: string; readonly waiting?: boolean } = {},
): WireOccurrence {
  const { id, sessionId, ...rest } = occurrence;
  return {
    occurrenceId: id,
    ...rest,
    ...(sessionId === undefined ? {} : { sessionKey: sessionId }),
    ...(more.job === undefined ? {} : { job: more.job }),
    ...(more.waiting ? { waiting: true } : {}),
  };
}

export function toWireJob(
  job: Job,
  more: { readonly when: string; readonly next: WireJob["next"]; readonly last?: WireOccurrence },
): WireJob {
  const { id, jitterMs, nextAt: _next, fireAt: _fire, pausedAt: _paused, endedAt: _ended, ...rest } = job;
  return {
    jobId: id,
    ...rest,
    schedule: { ...rest.schedule },
    jitterSeconds: jitterMs / 1_000,
    status: statusOf(job),
    when: more.when,
    next: more.next,
    ...(more.last === undefined ? {} : { last: more.last }),
  };
}

function statusOf({ kind, pausedAt, endedAt }: Job): WireJob["status"] {
  if (pausedAt !== undefined) return "paused";
  if (endedAt === undefined) return "active";
  return kind === "heartbeat" ? "off" : "over";
}
