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
import { showLine } from "../base/show.ts";
import { RUN_STATUSES } from "../message/session.ts";
import { GRANT_CONSTRAINTS, type GrantConstraint } from "../policy/grant.ts";
import { isShownWhole, type PlannedCall } from "../tool/plan.ts";
import { toWireApproval } from "./approval-shapes.ts";
import { cardSchema } from "./card-shapes.ts";

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
  /** Standing permissions that it uses, and why others are no longer used, each as a sentence. */
  grants: z.object({ count: z.number().int(), problems: z.array(z.string()) }).optional(),
});
export type WireJob = z.infer<typeof wireJobSchema>;

/** One call that a rehearsal listed instead of making it. */
export const plannedCallSchema = z.object({
  /** By which it is chosen in `jobs.grant`. */
  plannedId: z.string(),
  callId: z.string(),
  toolId: z.string(),
  /** The same that the owner would be asked with. */
  card: cardSchema,
  /** It would be made without asking; the card says why. */
  unasked: z.literal(true).optional(),
  /** To what a permission for it can be bound, narrowest first. */
  constraints: z.array(z.object({ constraint: z.enum(GRANT_CONSTRAINTS), words: z.string() })),
  /** Why no permission can be given for it. */
  never: z.string().optional(),
});
export type WirePlannedCall = z.infer<typeof plannedCallSchema>;

export const rehearsalSchema = z.object({
  runId: z.string(),
  sessionKey: z.string(),
  status: z.enum(RUN_STATUSES),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  /** Why it did not come to its end. */
  problem: z.string().optional(),
  /** Why nothing of it can be allowed any more: the job has changed since. */
  outdated: z.string().optional(),
  /** What it would have said. */
  text: z.string(),
  calls: z.array(plannedCallSchema),
  /** What could not be known, in words. */
  gaps: z.array(z.string()),
  /** Calls that were made: reads alone. */
  reads: z.number().int(),
});
export type WireRehearsal = z.infer<typeof rehearsalSchema>;

/** A call as somebody would be asked about it. */
export function toWirePlanned(
  call: PlannedCall & { readonly plannedId: string; readonly callId: string },
  run: { readonly runId: string; readonly sessionId: string; readonly at: number },
  more: {
    readonly constraints: readonly { readonly constraint: GrantConstraint; readonly words: string }[];
    readonly never?: string;
  },
): WirePlannedCall {
  const { plannedId, callId, toolId, summary, input, risk, preview, rule, reason, digest } = call;
  const { card } = toWireApproval({
    id: "",
    callId,
    runId: run.runId,
    sessionId: run.sessionId,
    toolId,
    digest,
    card: {
      kind: "approval",
      toolId,
      summary,
      input,
      risk,
      ...(preview ? { preview } : {}),
      rule,
      reason,
      sources: [],
      decisions: [],
      showable: isShownWhole(call),
    },
    status: "pending",
    createdAt: run.at,
    expiresAt: run.at,
  });
  return {
    plannedId,
    callId,
    toolId,
    card: { ...card, allow: [], ...(call.unasked ? { why: showLine(reason) } : {}) },
    ...(call.unasked ? { unasked: true } : {}),
    constraints: more.constraints.map(({ constraint, words }) => ({ constraint, words: showLine(words) })),
    ...(more.never === undefined ? {} : { never: showLine(more.never) }),
  };
}

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
  more: {
    readonly when: string;
    readonly next: WireJob["next"];
    readonly last?: WireOccurrence;
    readonly grants?: WireJob["grants"];
  },
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
    ...(more.grants === undefined ? {} : { grants: more.grants }),
  };
}

function statusOf({ kind, pausedAt, endedAt }: Job): WireJob["status"] {
  if (pausedAt !== undefined) return "paused";
  if (endedAt === undefined) return "active";
  return kind === "heartbeat" ? "off" : "over";
}
