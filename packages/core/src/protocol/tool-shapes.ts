import { z } from "zod";
import { TOOL_LABELS } from "../tool/tool-label.ts";
import { EGRESS, OUTPUT_TRUST, RISKS } from "../tool/tool.ts";

/** Tools, and what the policy says about a call, as they travel. */

export const toolSummarySchema = z.object({
  toolId: z.string(),
  description: z.string(),
  risk: z.enum(RISKS),
  egress: z.enum(EGRESS),
  source: z.enum(["built-in", "workspace", "mcp", "client"]),
  /** `new` and `changed` ask every time. */
  standing: z.enum(["granted", "new", "changed"]),
  /** What the owner says that a tool of an MCP server does. */
  label: z.enum(TOOL_LABELS).optional(),
  /** It may be labelled; its server may suggest how. */
  labelling: z.object({ suggested: z.enum(TOOL_LABELS).optional() }).optional(),
  /** What a rule of the owner says about it; `exact` where the rule names this tool and no other. */
  rule: z
    .object({ decision: z.enum(["allow", "ask", "deny"]), origin: z.string(), exact: z.boolean() })
    .optional(),
  canPreview: z.boolean(),
  canUndo: z.boolean(),
});
export type WireToolSummary = z.infer<typeof toolSummarySchema>;

export const wireToolSchema = toolSummarySchema.extend({
  contractHash: z.string(),
  labels: z.object({
    egress: z.enum(EGRESS),
    output: z.enum(OUTPUT_TRUST),
    critical: z.array(z.string()),
    ids: z.record(z.string(), z.string()),
    content: z.array(z.string()),
    time: z.array(z.string()),
    sensitive: z.boolean(),
  }),
  policy: z.object({ default: z.enum(["allow", "ask", "deny"]) }).optional(),
  requiresApproval: z.boolean(),
  idempotent: z.boolean(),
  canReconcile: z.boolean(),
  timeoutMs: z.number(),
  /** Names only. */
  secrets: z.array(z.string()),
  /** Of these, the ones that it would not get: not set, or not given to it. */
  secretsMissing: z.array(z.string()).optional(),
  /** The only places it may reach, where it is limited to some. */
  hosts: z.array(z.string()).optional(),
  /** Whether the system itself keeps it from all others; absent for Elwood's own tools. */
  network: z.enum(["enforced", "not-enforced"]).optional(),
  /** JSON Schemas. */
  input: z.record(z.string(), z.unknown()),
  output: z.record(z.string(), z.unknown()),
});
export type WireTool = z.infer<typeof wireToolSchema>;

export const explanationSchema = z.object({
  toolId: z.string(),
  decision: z.enum(["allow", "ask", "deny"]),
  rule: z.string(),
  /** 1 to 7; 0 where the input does not even fit. */
  layer: z.number().int(),
  reason: z.string(),
  /** Who or what the call would be about. */
  target: z.string().optional(),
  /** Where the value came from that asks, and what else was read that anybody may have written. */
  sources: z.array(z.string()).optional(),
  problems: z.array(z.string()).optional(),
  /** The owner's words that ask for the call, or that came nearest to it. */
  clause: z.string().optional(),
  /** The critical values of the call, as `name: value`. */
  values: z.array(z.string()).optional(),
});
export type WireExplanation = z.infer<typeof explanationSchema>;

export const reloadedSchema = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
  /** Tools that were left out, and why. */
  problems: z.array(z.string()),
});
