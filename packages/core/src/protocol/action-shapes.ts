import { z } from "zod";
import { ALL_TASKS } from "../action/action-spec.ts";
import { RESOURCE_KINDS, RESOURCE_TYPES } from "../action/trn.ts";

/** An action as a list shows it. */
export const actionSummarySchema = z.object({
  name: z.string(),
  trn: z.string(),
  version: z.number().int(),
  newest: z.number().int(),
  kind: z.enum(RESOURCE_KINDS),
  task: z.enum(ALL_TASKS),
  source: z.enum(["built-in", "stored"]),
  model: z.string().optional(),
  connection: z.string().optional(),
  description: z.string().optional(),
  updatedAt: z.number(),
});
export type ActionSummary = z.infer<typeof actionSummarySchema>;

export const actionDetailSchema = z.object({
  action: actionSummarySchema,
  /** As its file says it. */
  spec: z.record(z.string(), z.unknown()),
  /** JSON Schema of what it is executed with. */
  input: z.record(z.string(), z.unknown()),
  versions: z.array(z.object({ version: z.number().int(), createdAt: z.number(), by: z.string() })),
});

export const importedSchema = z.object({
  dryRun: z.boolean(),
  /** Operations of an OpenAPI document that became no action, each with its line and a reason. */
  leftOut: z.array(z.string()).optional(),
  entries: z.array(
    z.object({
      type: z.enum(RESOURCE_TYPES),
      name: z.string(),
      trn: z.string(),
      what: z.enum(["created", "new version", "unchanged", "rolled back"]),
      /** Lines that come, go and stay around them; the first character says which. */
      diff: z.array(z.string()),
    }),
  ),
});

export const connectionSchema = z.object({
  name: z.string(),
  provider: z.string(),
  /** Where it is written: in the settings, or brought in by a file of actions. */
  source: z.enum(["settings", "stored"]),
  baseUrl: z.string().optional(),
  api: z.string(),
  trn: z.string().optional(),
});
