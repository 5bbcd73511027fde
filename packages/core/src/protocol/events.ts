import { z } from "zod";
import {
  activitySchema,
  deciderSchema,
  labelsSchema,
  planSchema,
  previewSchema,
  scopesSchema,
} from "./approval-shapes.ts";
import { cardSchema } from "./card-shapes.ts";
import { ruleOfTwoSchema } from "../policy/rule-of-two.ts";
import { FAILURE_REASONS } from "../base/failure.ts";
import { recalledItemSchema } from "../memory/recalled.ts";
import { replyLogSchema, segmentSchema, usageSchema } from "../message/message.ts";
import { CALL_STATUSES } from "../tool/tool.ts";

/**
 * Pushes. Those of a run carry `runId` and `seq`, which rises by one within an attempt
 * of the run and never falls, a restart of the gateway included. Where deltas were merged,
 * `firstSeq` says which numbers one push stands for.
 */
const ofRun = { runId: z.string(), seq: z.number().int(), firstSeq: z.number().int().optional() };

const ofCall = {
  callId: z.string(),
  tool: z.string(),
  /** The program that made the call. */
  parent: z.string().optional(),
};

export const EVENTS = {
  "chat.delta": () =>
    z.object({
      ...ofRun,
      text: z.string(),
      /** It has not been compared with the receipts yet. */
      draft: z.boolean().optional(),
      /** What was shown of this answer so far is replaced by `text`: another try follows, or a call that it led up to. */
      reset: z.boolean().optional(),
    }),
  "chat.thinking": () => z.object({ ...ofRun, text: z.string() }),
  "chat.notice": () => z.object({ ...ofRun, message: z.string(), code: z.string() }),
  "chat.final": () =>
    z.object({
      ...ofRun,
      sessionKey: z.string(),
      usage: usageSchema,
      costUsd: z.number().optional(),
      /** The model's answer, whole and in order: its segments joined. */
      text: z.string(),
      segments: z.array(segmentSchema),
      activity: z.array(activitySchema),
      /** Written by the gateway, never by the model: at most three lines; empty where no call ran and nothing is marked. */
      evidence: z.string(),
      /** Where the log of receipts stood with this reply on it. */
      log: replyLogSchema.optional(),
      /** What came together in the run; absent where it made no call. */
      ruleOfTwo: ruleOfTwoSchema.optional(),
      /** What of memory was put before the run without being asked for; absent where nothing was. */
      recalled: z.array(recalledItemSchema).optional(),
      stopReason: z.string(),
      model: z.string(),
      demo: z.boolean(),
      aborted: z.boolean().optional(),
      /** The gateway's own sentence about how the answer ended: cut at its length, not yet on file, and the like. */
      note: z.string().optional(),
    }),
  "chat.error": () =>
    z.object({
      ...ofRun,
      sessionKey: z.string(),
      message: z.string(),
      code: z.enum(FAILURE_REASONS as [string, ...string[]]),
      retryable: z.boolean(),
      retryAfterMs: z.number().optional(),
      /** What the provider said of it, in one cleaned line. */
      said: z.string().optional(),
      /** What the model had written before the failure. */
      text: z.string(),
      segments: z.array(segmentSchema).optional(),
      activity: z.array(activitySchema).optional(),
      evidence: z.string(),
      log: replyLogSchema.optional(),
      ruleOfTwo: ruleOfTwoSchema.optional(),
      recalled: z.array(recalledItemSchema).optional(),
    }),
  "tool.started": () => z.object({ ...ofRun, ...ofCall }),
  "tool.progress": () => z.object({ ...ofRun, ...ofCall, message: z.string() }),
  "tool.finished": () =>
    z.object({
      ...ofRun,
      ...ofCall,
      /** As in the activity of the run. */
      status: z.enum(CALL_STATUSES),
      /** Its input was refused: the call was never made, and the activity leaves it out. */
      refused: z.literal(true).optional(),
      /** The code with which its program ended, where that was not 0. */
      exitCode: z.number().optional(),
    }),
  "run.queued": () => z.object({ ...ofRun, sessionKey: z.string(), ahead: z.number().int() }),
  "run.started": () => z.object({ ...ofRun, sessionKey: z.string(), attempt: z.number().int() }),
  "exec.approval_request": () =>
    z.object({
      approvalId: z.string(),
      toolName: z.string(),
      summary: z.string(),
      /** The input as it will run, whole. */
      details: z.unknown(),
      runId: z.string(),
      sessionKey: z.string(),
      callId: z.string(),
      digest: z.string(),
      risk: z.string(),
      preview: previewSchema.optional(),
      rule: z.string(),
      reason: z.string(),
      sources: z.array(z.string()),
      decisions: z.array(z.string()),
      scopes: scopesSchema.optional(),
      labels: labelsSchema.optional(),
      plan: planSchema.optional(),
      confirm: z.string().optional(),
      showable: z.boolean(),
      expiresAt: z.number(),
      /** What people read of all this, the same on every surface. */
      card: cardSchema,
    }),
  "exec.approval_resolved": () =>
    z.object({
      approvalId: z.string(),
      runId: z.string(),
      decided: z.string(),
      by: deciderSchema.optional(),
      surface: z.string(),
      /** What runs instead of what was asked for. */
      editedInput: z.unknown().optional(),
    }),
  /** The effect of a call was taken back, whoever asked for it and wherever. */
  "call.undone": () => z.object({ callId: z.string(), runId: z.string(), sessionKey: z.string() }),
  "owner.question": () =>
    z.object({
      questionId: z.string(),
      runId: z.string(),
      sessionKey: z.string(),
      question: z.string(),
      options: z.array(z.string()).optional(),
      kind: z.enum(["question", "settle"]),
      expiresAt: z.number(),
    }),
  /** A tool that lives in this client is to be run; the answer is `tool.result` with the same id. It may come again after a break. */
  "tool.invoke": () =>
    z.object({
      invocationId: z.string(),
      what: z.enum(["call", "undo", "reconcile"]),
      assistantId: z.string(),
      tool: z.string(),
      input: z.unknown(),
      /** With `undo`: what the call had answered. */
      output: z.unknown().optional(),
      /** The same for every try of one call. */
      idempotencyKey: z.string(),
      callId: z.string().optional(),
      ofRun: z.string().optional(),
      sessionKey: z.string().optional(),
      timeoutMs: z.number(),
    }),
  /** Nobody waits for that `tool.invoke` any more. */
  "tool.cancel": () => z.object({ invocationId: z.string(), reason: z.string() }),
  /** What wants the owner is no longer what it was; `attention.list` says what it is. */
  "attention.changed": () =>
    z.object({ count: z.number().int(), worst: z.enum(["error", "warning", "info"]).optional() }),
  "session.changed": () =>
    z.object({
      sessionKey: z.string(),
      /** `forgotten`: something that was said in it is gone; whoever shows it must fetch it anew. */
      what: z.enum(["created", "updated", "deleted", "restored", "forgotten"]),
      /** Set where it changed by a message that was just accepted: the run that answers it. Not `runId`, which comes with a number. */
      acceptedRun: z.string().optional(),
    }),
} as const satisfies Record<string, () => z.ZodType>;

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];
export type EventData<E extends EventName> = z.infer<ReturnType<(typeof EVENTS)[E]>>;
