import { z } from "zod";
import { recalledItemSchema } from "../memory/recalled.ts";
import { runJobSchema } from "../schedule/job-binding.ts";

/**
 * A conversation as it is kept: messages made of blocks.
 *
 * `origin` says whose words a message or block holds. It decides nothing here, but it
 * must never be lost: only `owner` text is the owner's word; everything else is data.
 */
export const ORIGINS = [
  "owner", // typed by the owner on one of their surfaces
  "program", // sent by a program or another agent, with a token that may not approve
  "member", // written in a channel by somebody whom the owner let in, and who may not approve
  "stranger", // written in a channel by anybody else
  "piped", // came in on standard input beside what the owner typed
  "attached", // a file or picture that the owner attached
  "quoted", // a quotation inside the owner's message
  "forwarded", // somebody else's message that the owner passed on
  "recalled", // read back from memory
  "schedule", // the words of a job, a reminder or the heartbeat
  "webhook", // sent by another service to an address of Elwood's
  "model", // written by the model
  "tool", // returned by a tool
  "gateway", // written by Elwood itself
] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * Whether these are the words of whoever sent the message, and no material that came with it.
 * A request of a program, a member or a job is answered like the owner's; only the owner's authorises anything.
 */
export function isSenderOrigin(origin: Origin | undefined): boolean {
  return origin === "owner" || origin === "program" || origin === "member" || origin === "schedule";
}

const origin = z.enum(ORIGINS);

/** Bytes only one provider understands (signed thinking, encrypted reasoning); replayed to that provider, untouched. */
const opaque = z.object({ provider: z.string(), data: z.string() });

export const blockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), origin: origin.optional() }),
  z.object({ type: z.literal("thinking"), text: z.string(), opaque: opaque.optional() }),
  z.object({
    type: z.literal("tool_use"),
    callId: z.string(),
    toolId: z.string(),
    input: z.unknown(),
    /** Set when the model's arguments were not valid JSON: what it wrote, for the error that goes back to it. */
    malformed: z.string().optional(),
    opaque: opaque.optional(),
  }),
  z.object({
    type: z.literal("tool_result"),
    callId: z.string(),
    status: z.enum(["ok", "error"]),
    /** How its receipts say it ended, where `status` alone says less: refused unread, denied, expired, in doubt; undone since is told, and never stored. */
    ended: z.enum(["refused", "denied", "expired", "pending", "unknown", "undone"]).optional(),
    /** The code with which its program ended, where that was not 0. */
    exitCode: z.number().optional(),
    /** The number by which the call is cited; absent where it was never considered. */
    cite: z.string().optional(),
    /** The word for how it ended, as the model is told it, where that is not that it was done. */
    word: z.string().optional(),
    text: z.string(),
    /** About so much of the text is shown to the model, where the window of its model could not bear all of it. */
    shownChars: z.number().int().nonnegative().optional(),
    images: z.array(z.object({ mime: z.string(), blobId: z.string() })).optional(),
  }),
  z.object({
    type: z.literal("image"),
    mime: z.string(),
    blobId: z.string(),
    name: z.string().optional(),
    origin: origin.optional(),
  }),
  z.object({
    type: z.literal("file"),
    mime: z.string(),
    blobId: z.string(),
    name: z.string(),
    bytes: z.number().int().nonnegative(),
    origin: origin.optional(),
  }),
  z.object({
    type: z.literal("compaction"),
    /** What the model is shown in place of the messages `from` to `to`; empty where the line says something else. */
    summary: z.string(),
    from: z.string(),
    to: z.string(),
    /** Over the covered messages: a summary of what has changed since is not shown. */
    sha256: z.string().optional(),
    messages: z.number().int().nonnegative().optional(),
    /** Which model wrote it. */
    model: z.string().optional(),
    /** Sizes of what the model is shown, before and after, as well as they are known. */
    tokensBefore: z.number().int().nonnegative().optional(),
    tokensAfter: z.number().int().nonnegative().optional(),
    /** The owner's own sentences that the summary did not hold, copied by code. */
    quotes: z.array(z.object({ ts: z.number(), text: z.string() })).optional(),
    /** How many more of them there was no room for. */
    quotesLeftOut: z.number().int().positive().optional(),
    /** What is covered holds words that the owner did not type. */
    others: z.boolean().optional(),
    /** Calls whose output is left out, or shown up to `chars`; `again` where making them again changes nothing. */
    outputs: z
      .array(
        z.object({
          callId: z.string(),
          again: z.boolean(),
          chars: z.number().int().nonnegative().optional(),
        }),
      )
      .optional(),
    /** Lines like this one, by the ids of their messages, that no longer count. */
    undoes: z.array(z.string()).optional(),
    /** The owner asked for it. */
    asked: z.boolean().optional(),
    /** It did not come to a summary, and why. */
    failed: z.string().optional(),
  }),
]);
export type Block = z.infer<typeof blockSchema>;
export type TextBlock = Extract<Block, { type: "text" }>;
export type ThinkingBlock = Extract<Block, { type: "thinking" }>;
export type ToolUseBlock = Extract<Block, { type: "tool_use" }>;
export type ToolResultBlock = Extract<Block, { type: "tool_result" }>;
export type ImageBlock = Extract<Block, { type: "image" }>;
export type FileBlock = Extract<Block, { type: "file" }>;
export type CompactionBlock = Extract<Block, { type: "compaction" }>;

export const usageSchema = z.object({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cacheReadTokens: z.number().int().nonnegative(),
  cacheWriteTokens: z.number().int().nonnegative(),
  /** Of `outputTokens`, what was thought and not shown, where the provider says it. It costs what the rest does. */
  reasoningTokens: z.number().int().positive().optional(),
  /** True where the provider sent no counts and Elwood counted characters instead. */
  estimated: z.boolean().optional(),
});
/** `inputTokens` excludes cached tokens; the whole prompt is input + cacheRead + cacheWrite. */
export type Usage = z.infer<typeof usageSchema>;

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
  const reasoningTokens = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  return {
    ...sum,
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
    ...(a.estimated || b.estimated ? { estimated: true } : {}),
  };
}

export function totalTokens(u: Usage): number {
  return u.inputTokens + u.outputTokens + u.cacheReadTokens + u.cacheWriteTokens;
}

export const ROLES = ["user", "assistant", "tool"] as const;
export type Role = (typeof ROLES)[number];

/**
 * A piece of a reply: whose words it holds, which calls it cites, and how it compares with the
 * receipts. `verified` is the gateway's alone: absent where nothing is claimed, `supported` for a
 * tick, `unmatched` for a citation without one, `unsupported` for a visible mark.
 */
export const segmentSchema = z.object({
  text: z.string(),
  by: z.enum(["model", "gateway"]),
  cites: z.array(z.string()).optional(),
  verified: z.enum(["supported", "unmatched", "unsupported"]).optional(),
  /** What does not fit, in a few words. */
  why: z.string().optional(),
  /** What its mark says, in the language of the reply, where that is not English; once a call of it was undone, that it was. */
  words: z.string().optional(),
  /** It had a tick, and a call that it cites was undone since; told, and never stored. */
  undone: z.literal(true).optional(),
});
export type ReplySegment = z.infer<typeof segmentSchema>;

/** As replies were kept while a mark was part of their text. */
const oldSegmentSchema = z.object({
  text: z.string(),
  by: z.enum(["elwood", "model"]),
  cites: z.array(z.string()),
  verified: z.boolean(),
});

/** Where the log of receipts stood when a reply was put on record: whoever keeps the reply keeps a witness. */
export const replyLogSchema = z.object({ size: z.number().int().nonnegative(), root: z.string() });
export type ReplyLog = z.infer<typeof replyLogSchema>;

/** When the model was asked for a message; `again` where a first draft did not fit the receipts and it was asked anew. */
export const askedSchema = z.object({
  at: z.number(),
  again: z.number().optional(),
  /** Tries that failed before the one that was answered. */
  retries: z.array(z.object({ at: z.number(), reason: z.string(), delayMs: z.number() })).optional(),
});
export type Asked = z.infer<typeof askedSchema>;

export const messageMetaSchema = z.object({
  model: z.string().optional(),
  stopReason: z.string().optional(),
  usage: usageSchema.optional(),
  /** The owner stopped this message; what stands here is what had been written by then. */
  aborted: z.boolean().optional(),
  /** The message is incomplete because of this failure. */
  error: z.object({ reason: z.string(), message: z.string() }).optional(),
  surface: z.string().optional(),
  /** The profile that this message asked for. */
  profile: z.string().optional(),
  /** Whose token sent it, where that was not the owner's own. */
  sender: z.object({ tokenId: z.string(), name: z.string() }).optional(),
  /** It is a reminder, which no model answers; `late` says so where it comes after its time. */
  reminder: z.object({ late: z.string().optional() }).optional(),
  /** The job whose words it holds. */
  job: runJobSchema.optional(),
  /** Of another version of a turn: the runs before it that began with the same words. */
  again: z.array(z.string()).optional(),
  asked: askedSchema.optional(),
  /** What stands under the reply that this message ends, as the gateway wrote it then; empty where that is nothing. */
  evidence: z.string().optional(),
  log: replyLogSchema.optional(),
  /** The reply in pieces, where the gateway added anything to it. */
  segments: z.union([z.array(segmentSchema), z.array(oldSegmentSchema)]).optional(),
  /** Part of an answer that was delivered, and is whole in the message that ends the run; the model was asked to go on from here. */
  continued: z.literal(true).optional(),
  /** Of a message of origin `recalled`: what of memory it holds. */
  recalled: z.array(recalledItemSchema).optional(),
  /** Of a note to the model: the calls that undid others, which it tells. */
  undos: z.array(z.string()).optional(),
  /** What it said was forgotten; see core's forget/tombstone.ts. */
  forgotten: z.literal(true).optional(),
  /** How much its run had forgotten, as the receipts count it ("4 messages, 2 lines of 1 note"); told, and never stored. */
  forgot: z.string().optional(),
});
export type MessageMeta = z.infer<typeof messageMetaSchema>;

export interface Message {
  readonly id: string;
  readonly ts: number;
  readonly role: Role;
  readonly origin: Origin;
  readonly blocks: readonly Block[];
  readonly meta?: MessageMeta;
}

/** A message as the journal of its run keeps it. */
export const messageSchema = z.object({
  id: z.string(),
  ts: z.number(),
  role: z.enum(ROLES),
  origin,
  blocks: z.array(blockSchema),
  meta: messageMetaSchema.optional(),
});

/** One line of `sessions/<tenant>/<id>.jsonl`: line `i` of the `n` that run `run` added. */
export const transcriptLineSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  run: z.string(),
  i: z.number().int().nonnegative(),
  n: z.number().int().positive(),
  ts: z.number(),
  role: z.enum(ROLES),
  origin,
  blocks: z.array(blockSchema),
  meta: messageMetaSchema.optional(),
});
export type TranscriptLine = z.infer<typeof transcriptLineSchema>;

export function toTranscriptLines(runId: string, messages: readonly Message[]): TranscriptLine[] {
  return messages.map((m, i) => ({
    v: 1,
    id: m.id,
    run: runId,
    i,
    n: messages.length,
    ts: m.ts,
    role: m.role,
    origin: m.origin,
    blocks: [...m.blocks],
    ...(m.meta ? { meta: m.meta } : {}),
  }));
}

export { isBetweenLaps, isUndoNote, replySegments } from "./reply-segments.ts";

/** The words a person would read in this message: its text blocks, joined. */
export function textOf(message: { readonly blocks: readonly Block[] }): string {
  return message.blocks
    .filter((b): b is TextBlock => b.type === "text")
    .map((b) => b.text)
    .join("\n\n")
    .trim();
}
