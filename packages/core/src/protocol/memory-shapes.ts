import { z } from "zod";
import { MEMORY_ORIGINS, TURN_ROLES } from "../memory/turn.ts";
import { recalledItemSchema } from "../memory/recalled.ts";

const memoryOrigin = z.enum(MEMORY_ORIGINS);

export const noteSummarySchema = z.object({
  key: z.string(),
  /** Path below the state directory. */
  source: z.string(),
  bytes: z.number().int(),
  modifiedAt: z.number(),
  /** First words. */
  preview: z.string(),
});
export type WireNoteSummary = z.infer<typeof noteSummarySchema>;

/** A bullet of a note: what it says, and for how long. */
export const wireFactSchema = z.object({
  line: z.number().int(),
  subject: z.string().optional(),
  text: z.string(),
  validFrom: z.number().optional(),
  validTo: z.number().optional(),
  /** Whether it holds today. */
  holds: z.boolean(),
  /** Line of the bullet that replaced it. */
  supersededBy: z.number().int().optional(),
  /** The bullet itself doubts it. */
  unsure: z.boolean().optional(),
  /** Others that hold today about the same thing and say something else, here or in another note. */
  against: z.array(z.object({ source: z.string(), line: z.number().int(), text: z.string() })).optional(),
});
export type WireFact = z.infer<typeof wireFactSchema>;

export const wireNoteSchema = z.object({
  key: z.string(),
  source: z.string(),
  text: z.string(),
  /** Hand it back with a save: then a note that changed meanwhile is not overwritten. */
  sha256: z.string(),
  bytes: z.number().int(),
  modifiedAt: z.number(),
  lines: z.array(z.object({ line: z.number().int(), text: z.string(), origin: memoryOrigin })),
  facts: z.array(wireFactSchema),
});
export type WireNote = z.infer<typeof wireNoteSchema>;

export const wireTurnSchema = z.object({
  source: z.string(),
  line: z.number().int(),
  ts: z.number(),
  role: z.enum(TURN_ROLES),
  speaker: z.string(),
  origin: memoryOrigin,
  text: z.string(),
  sessionKey: z.string().optional(),
  runId: z.string().optional(),
});
export type WireTurn = z.infer<typeof wireTurnSchema>;

export const wireMemoryHitSchema = wireTurnSchema.extend({
  score: z.number(),
  /** What the score is made of, by name. */
  parts: z.record(z.string(), z.number()),
  before: z.array(wireTurnSchema),
  after: z.array(wireTurnSchema),
  /** What is to be known beside it: since when, what replaced it, what else is noted. */
  remark: z.string().optional(),
  /** What the conversation is called that it was said in. */
  title: z.string().optional(),
});
export type WireMemoryHit = z.infer<typeof wireMemoryHitSchema>;

export const memoryStatusSchema = z.object({
  /** False where memory is turned off, or its index cannot be opened. */
  enabled: z.boolean(),
  notes: z.number().int(),
  turns: z.number().int(),
  conversations: z.number().int(),
  /** Lines that hold no message and were left out. */
  skipped: z.number().int(),
  bytes: z.number().int(),
  /** Files known to be ahead of the index. */
  behind: z.number().int(),
  rebuilding: z.boolean(),
  lastSyncAt: z.number().optional(),
  lastError: z.string().optional(),
  /** Something is still to be forgotten: a run that holds it is not over. */
  forgetting: z.number().int(),
  /** Where an embedder is set up. */
  vectors: z
    .object({
      model: z.string(),
      state: z.string(),
      dims: z.number().int().optional(),
      turns: z.number().int().optional(),
      filled: z.number().int().optional(),
      engine: z.string().optional(),
      /** What is still to be sent, and what of this month's cap is left for it. */
      estimate: z
        .object({ turns: z.number(), tokens: z.number(), usd: z.number(), leftUsd: z.number() })
        .optional(),
      spent: z.object({ tokens: z.number(), usd: z.number() }).optional(),
      capUsd: z.number().optional(),
      notice: z.string().optional(),
    })
    .optional(),
});
export type WireMemoryStatus = z.infer<typeof memoryStatusSchema>;

export const forgetReportSchema = z.object({
  /** False: nothing was removed, this is what would be. */
  done: z.boolean(),
  kind: z.enum(["note", "line", "turn", "session", "word"]),
  /** How many things go; a word is forgotten only with this number as confirmation. */
  total: z.number().int(),
  removed: z.object({
    notes: z.number().int(),
    noteLines: z.number().int(),
    sessions: z.number().int(),
    messages: z.number().int(),
    /** Times at which it was put before a run out of memory. */
    recalls: z.number().int(),
    summaries: z.number().int(),
    calls: z.number().int(),
    approvals: z.number().int(),
    /** Contents behind receipts; the receipts stay, and still verify. */
    bodies: z.number().int(),
    grants: z.number().int(),
    titles: z.number().int(),
    files: z.number().int(),
    /** Copies that were kept for taking changes back. */
    copies: z.number().int(),
    backups: z.number().int(),
    jobs: z.number().int().optional(),
  }),
  /** The first of them, one by one. */
  places: z.array(
    z.object({
      kind: z.enum(["note", "message", "recalled", "summary", "call"]),
      source: z.string(),
      line: z.number().int(),
      text: z.string(),
      sessionKey: z.string().optional(),
      ts: z.number().optional(),
    }),
  ),
  /** For a word: the words it was found in. */
  forms: z.array(z.string()).optional(),
  /** Sessions in which something is going on that keeps it from being forgotten now. */
  busy: z.array(z.string()),
  /** Where it was still found in the bytes of the state directory, and why. Of a plan: where it stands now. */
  still: z.array(z.object({ path: z.string(), times: z.number().int(), why: z.string() })),
  searched: z.object({ files: z.number().int(), bytes: z.number().int() }),
  /** Files that could not be searched. */
  unread: z.array(z.string()),
  outOfReach: z.array(z.string()),
  receiptId: z.string().optional(),
});
export type WireForgetReport = z.infer<typeof forgetReportSchema>;

export const recalledSchema = z.object({
  items: z.array(
    recalledItemSchema.extend({
      /** What stands there now; absent where nothing does. */
      text: z.string().optional(),
      sessionKey: z.string().optional(),
      /** The owner wants it never recalled again. */
      never: z.boolean(),
    }),
  ),
  /** What the model was told; absent where it was forgotten. */
  told: z.string().optional(),
});
