import { z } from "zod";

/** An integration as its owner looks at it. */
export const integrationSchema = z.object({
  name: z.string(),
  title: z.string(),
  summary: z.string(),
  /** What it can do, a sentence each. */
  can: z.array(z.string()),
  /** `new`: not set up. `off`: switched off by the owner. `broken`: on, and cannot be used as it is set up. */
  state: z.enum(["new", "on", "off", "broken"]),
  problem: z.string().optional(),
  settings: z.array(
    z.object({
      key: z.string(),
      title: z.string(),
      kind: z.enum(["text", "address", "list"]),
      required: z.boolean(),
      help: z.string().optional(),
      example: z.string().optional(),
      /** Found out while connecting, and not asked for. */
      found: z.boolean().optional(),
      value: z.union([z.string(), z.array(z.string())]).optional(),
    }),
  ),
  secrets: z.array(
    z.object({
      key: z.string(),
      title: z.string(),
      variable: z.string(),
      help: z.string().optional(),
      required: z.boolean(),
      /** Whether it is there; the secret itself is never sent. */
      isSet: z.boolean(),
    }),
  ),
  /** The places it reaches. */
  hosts: z.array(z.string()),
  /** Those it has while it is on. */
  tools: z.array(z.object({ toolId: z.string(), risk: z.enum(["read", "write", "destructive"]) })),
  guide: z.string().optional(),
});
export type WireIntegration = z.infer<typeof integrationSchema>;

export const integrationCheckSchema = z.object({
  ok: z.boolean(),
  /** Who answered, where it works. */
  account: z.string().optional(),
  notes: z.array(z.string()).optional(),
  /** What is wrong, and what to do about it. */
  problem: z.string().optional(),
});
