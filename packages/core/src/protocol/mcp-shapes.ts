import { z } from "zod";

/** An MCP server as its owner looks at it. */
export const mcpServerSchema = z.object({
  name: z.string(),
  transport: z.enum(["stdio", "http"]).optional(),
  /** Its command, or its origin. */
  where: z.string(),
  /** `idle`: started with the first call. `down`: crashed, and started again by itself. `stopped`: crashed too often. `off`: it cannot be used as it is configured. */
  state: z.enum(["idle", "starting", "running", "down", "stopped", "off"]),
  /** Why it is off or down, or what went wrong last. */
  problem: z.string().optional(),
  /** Whether bubblewrap keeps it in; absent while it has not been started. */
  caged: z.boolean().optional(),
  /** Whether the owner is logged in to it, or has to be. */
  login: z.enum(["in", "needed"]).optional(),
  /** The revision of the protocol that it speaks. */
  protocol: z.string().optional(),
  /** What it calls itself. */
  server: z.string().optional(),
  /** Absent where it never listed any. */
  tools: z.array(z.object({ toolId: z.string(), name: z.string() })).optional(),
});
export type WireMcpServer = z.infer<typeof mcpServerSchema>;

export const mcpResourceSchema = z.object({
  uri: z.string(),
  name: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});

export const mcpPromptSchema = z.object({
  server: z.string(),
  name: z.string(),
  description: z.string().optional(),
  arguments: z.array(
    z.object({ name: z.string(), description: z.string().optional(), required: z.boolean() }),
  ),
});

/** A server's words as a part of a message: material, and nobody's instruction. */
export const mcpPartSchema = z.object({
  kind: z.literal("text"),
  origin: z.literal("attached"),
  text: z.string(),
});
