import { z } from "zod";

/** A line of a conversation that says what of it the model is shown; see core's compaction/lines.ts. */
export const wireCompactionSchema = z.object({
  id: z.string(),
  at: z.number(),
  /** `summary` in place of messages, `outputs` of calls left out, or a summary that `failed`. */
  kind: z.enum(["summary", "outputs", "failed"]),
  /** Whether the model is shown the conversation by it now. */
  active: z.boolean(),
  undone: z.boolean(),
  from: z.string(),
  to: z.string(),
  messages: z.number().int().optional(),
  summary: z.string().optional(),
  /** The owner's sentences that code put beside the summary. */
  quotes: z.array(z.object({ ts: z.number(), text: z.string() })).optional(),
  outputs: z.number().int().optional(),
  failed: z.string().optional(),
  sha256: z.string().optional(),
  model: z.string().optional(),
  tokensBefore: z.number().int().optional(),
  tokensAfter: z.number().int().optional(),
});
export type WireCompaction = z.infer<typeof wireCompactionSchema>;
