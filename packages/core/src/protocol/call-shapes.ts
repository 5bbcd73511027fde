import { z } from "zod";
import { CALL_STATUSES, RISKS } from "../tool/tool.ts";
import { decidedSchema, previewSchema } from "./approval-shapes.ts";

/** Calls and what a run did with its time, as they travel. Text of tools and models comes with its tricks written out. */

/** Where a call stands, step by step; `status` is what that adds up to. */
export const WIRE_CALL_STATES = [
  "requested",
  "asked",
  "approved",
  "started",
  "succeeded",
  "failed",
  "refused",
  "denied",
  "expired",
  "unknown",
] as const;

const ofCall = {
  callId: z.string(),
  runId: z.string(),
  sessionKey: z.string(),
  toolId: z.string(),
  /** As receipts have it; a call that runs or waits is `pending`, a refused one `failed`. */
  status: z.enum(CALL_STATUSES),
  state: z.enum(WIRE_CALL_STATES),
  risk: z.enum(RISKS),
  /** Who or what it is about, in words. */
  target: z.string().optional(),
  count: z.number().optional(),
  /** The code with which its program ended, where that was not 0. */
  exitCode: z.number().optional(),
  requestedAt: z.number(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  approvalId: z.string().optional(),
  /** The program that made the call. */
  parent: z.string().optional(),
  /** The call whose effect this one took back. */
  undoes: z.string().optional(),
  /** Its effect was taken back. */
  undone: z.boolean(),
};

/** In the order in which they were asked for; the calls of a program come after it, with `parent`. */
export const callItemSchema = z.object({
  ...ofCall,
  /** `calls.undo` can be tried now; in lists. */
  canUndo: z.literal(true).optional(),
});
export type WireCallItem = z.infer<typeof callItemSchema>;

export const callOutputSchema = z.object({
  status: z.enum(["ok", "error"]),
  /** What the tool said, cut at its limit. */
  text: z.string(),
  /** So many characters of `text` are left out at the end. */
  leftOut: z.number().int().optional(),
  /** The typed output; absent where there is none, or where it is too large (`valueBytes` says how large). */
  value: z.unknown().optional(),
  valueBytes: z.number().int().optional(),
  exitCode: z.number().optional(),
  /** The tool itself said that there was more. */
  truncated: z.boolean().optional(),
  /** Fetch each with `blobs.ticket`. */
  attachments: z.array(z.object({ mime: z.string(), blobId: z.string(), name: z.string().optional() })),
});

export const wireCallSchema = z.object({
  ...ofCall,
  /** As it was asked for; `inputBytes` instead where it is too large. */
  input: z.unknown().optional(),
  inputBytes: z.number().int().optional(),
  /** As it ran, where the owner edited it. */
  executedInput: z.unknown().optional(),
  output: callOutputSchema.optional(),
  /** What the owner was shown before, where somebody was asked. */
  preview: previewSchema.optional(),
  approval: z
    .object({
      approvalId: z.string(),
      kind: z.enum(["approval", "question", "settle"]),
      summary: z.string(),
      rule: z.string(),
      reason: z.string(),
      askedAt: z.number(),
      decided: decidedSchema,
    })
    .optional(),
  /** Why it did not succeed: Elwood's word for it, and the sentence the model was told. */
  error: z.object({ code: z.string().optional(), text: z.string() }).optional(),
  /** What a program's author wrote, for `program.code.run`. */
  source: z.string().optional(),
  /** Calls that a program made, in order. */
  children: z.array(z.string()),
  /** Whether `calls.undo` can be tried now. */
  canUndo: z.boolean(),
  /** Oldest first. */
  receipts: z.array(
    z.object({ receiptId: z.string(), seq: z.number().int(), type: z.string(), ts: z.number() }),
  ),
});
export type WireCall = z.infer<typeof wireCallSchema>;

/** A file that came or went in a conversation: with a message, or by a call. */
export const sessionFileSchema = z.object({
  at: z.number(),
  runId: z.string(),
  /** What the message calls it, or what the call was about. */
  name: z.string().optional(),
  /** What can be fetched of it, with `blobs.ticket`; for a file that a call left, `blobId` is the call's id. */
  blobs: z.array(z.object({ mime: z.string(), blobId: z.string(), name: z.string().optional() })),
  /** From its receipts; absent where the file came with a message. */
  call: z
    .object({
      callId: z.string(),
      toolId: z.string(),
      status: z.enum(CALL_STATUSES),
      /** It waits for the owner; what is pending otherwise runs. */
      asks: z.boolean(),
      undone: z.boolean(),
      canUndo: z.boolean(),
      receiptId: z.string(),
    })
    .optional(),
});
export type SessionFile = z.infer<typeof sessionFileSchema>;

export const SPAN_KINDS = ["queue", "model", "tool", "approval", "retry", "compaction", "undo"] as const;

export const spanSchema = z.object({
  kind: z.enum(SPAN_KINDS),
  start: z.number(),
  /** Absent where it still goes on. */
  end: z.number().optional(),
  label: z.string(),
  /** For `model`: the how many-th question of the run, from 1. */
  lap: z.number().int().optional(),
  callId: z.string().optional(),
  parent: z.string().optional(),
  approvalId: z.string().optional(),
  /** For `undo`: the call whose effect was taken back. */
  undoes: z.string().optional(),
  status: z.string().optional(),
  /** The code with which the program of a call ended, where that was not 0. */
  exitCode: z.number().optional(),
  /** Read, written and cached together. */
  tokens: z.number().int().optional(),
  model: z.string().optional(),
  detail: z.string().optional(),
  /** The beginning was not recorded; it is the end of what came before. */
  derived: z.boolean().optional(),
});
export type Span = z.infer<typeof spanSchema>;

/** By start; spans lie inside one another (an approval in its call, a retry in its question to the model). */
export const timelineSchema = z.object({
  runId: z.string(),
  status: z.string(),
  start: z.number(),
  end: z.number().optional(),
  /** The gateway's clock when this was put together. */
  now: z.number(),
  spans: z.array(spanSchema),
  /** So many of the oldest spans are left out. */
  leftOut: z.number().int().optional(),
});
export type Timeline = z.infer<typeof timelineSchema>;
