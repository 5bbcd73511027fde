import { z } from "zod";
import { RECEIPT_TYPES } from "../receipts/receipt.ts";

/** Receipts and what is said about them, as clients get them. */
export const receiptSchema = z.object({
  v: z.literal(1),
  tenant: z.string(),
  seq: z.number().int(),
  id: z.string(),
  runId: z.string(),
  callId: z.string().optional(),
  /** One of these; a receipt of a later version may be of another. */
  type: z.union([z.enum(RECEIPT_TYPES), z.string()]),
  ts: z.number(),
  actor: z.string(),
  surface: z.string(),
  payload: z.record(z.string(), z.unknown()),
  prevHash: z.string(),
  hash: z.string(),
});

export const logHeadSchema = z.object({
  size: z.number().int(),
  root: z.string(),
  /** The first 16 digits of the root. */
  shortRoot: z.string(),
  /** So many receipts are under a signature. */
  sealedSize: z.number().int(),
  /** What a reply shows, and what may be kept elsewhere: `receipts 1204 · 9f3a17c2e0b4d658`. */
  line: z.string(),
});

const seen = { checkpoints: z.number().int(), bodies: z.number().int() };

export const verificationSchema = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("intact"),
    size: z.number().int(),
    root: z.string(),
    sealedSize: z.number().int(),
    unsealed: z.number().int(),
    ...seen,
  }),
  z.object({
    status: z.literal("altered"),
    /** The first bad receipt, or where `to` is given the first that may be. */
    seq: z.number().int(),
    id: z.string().optional(),
    to: z.number().int().optional(),
    why: z.string(),
    ...seen,
  }),
  z.object({
    status: z.literal("truncated"),
    size: z.number().int(),
    expected: z.number().int(),
    why: z.string(),
    ...seen,
  }),
]);

export const receiptProofSchema = z.object({
  receipt: receiptSchema,
  index: z.number().int(),
  size: z.number().int(),
  path: z.array(z.string()),
  /** The signed note over `size` receipts. */
  checkpoint: z.string(),
});

/** Content behind a commitment in a receipt. */
export const bodySchema = z.object({ commit: z.string(), salt: z.string(), value: z.unknown() });
