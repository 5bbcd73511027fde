import { z } from "zod";
import { FAILURE_REASONS } from "../base/failure.ts";
import {
  blockSchema,
  messageMetaSchema,
  ORIGINS,
  ROLES,
  textOf,
  usageSchema,
  type Message,
} from "../message/message.ts";
import { RUN_STATUSES, type Run, type Session } from "../message/session.ts";
import { CALL_STATUSES } from "../tool/tool.ts";
import { EVENTS } from "./events.ts";
import { agentTextSchema } from "./settings-shapes.ts";

/** Things that travel in results and pushes. Times are milliseconds since 1970. */

export const wireSessionSchema = z.object({
  sessionKey: z.string(),
  agentId: z.string(),
  title: z.string(),
  titledBy: z.enum(["default", "message", "owner"]),
  pinned: z.boolean(),
  createdAt: z.number(),
  updatedAt: z.number(),
  messageCount: z.number().int(),
  preview: z.string(),
  /** The model that answers in it; absent: the usual one. */
  model: z.string().optional(),
  /** What the owner adds to the system prompt. */
  system: z.string().optional(),
  /** The profile whose account pays; absent: the one whose turn it is. */
  profile: z.string().optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  /** False: the model is offered no tools. */
  tools: z.boolean().optional(),
  /** Runs whose question and answer are pinned. */
  pins: z.array(z.string()).optional(),
  /** It began as a copy of that session, up to or before that run. */
  forkedFrom: z.object({ sessionKey: z.string(), runId: z.string() }).optional(),
  /** Where it was begun by a client: `web`, `cli`, … */
  surface: z.string().optional(),
  archivedAt: z.number().optional(),
  /** The folder that the owner put it into. */
  folder: z.string().optional(),
  deletedAt: z.number().optional(),
});
export type WireSession = z.infer<typeof wireSessionSchema>;

export function toWireSession(s: Session): WireSession {
  const { id, forkedFrom, pins, ...rest } = s;
  return {
    sessionKey: id,
    ...rest,
    ...(pins ? { pins: [...pins] } : {}),
    ...(forkedFrom ? { forkedFrom: { sessionKey: forkedFrom.sessionId, runId: forkedFrom.runId } } : {}),
  };
}

/** `content` is the readable text; `blocks` hold everything. */
export const wireMessageSchema = z.object({
  id: z.string(),
  runId: z.string(),
  ts: z.number(),
  role: z.enum(ROLES),
  origin: z.enum(ORIGINS),
  content: z.string(),
  blocks: z.array(blockSchema),
  meta: messageMetaSchema.optional(),
});
export type WireMessage = z.infer<typeof wireMessageSchema>;

export function toWireMessage(runId: string, m: Message): WireMessage {
  return {
    id: m.id,
    runId,
    ts: m.ts,
    role: m.role,
    origin: m.origin,
    content: textOf(m),
    blocks: [...m.blocks],
    ...(m.meta ? { meta: m.meta } : {}),
  };
}

export const wireFailureSchema = z.object({
  reason: z.enum(FAILURE_REASONS as [string, ...string[]]),
  message: z.string(),
  retryable: z.boolean(),
  retryAfterMs: z.number().optional(),
});

export const wireRunSchema = z.object({
  runId: z.string(),
  sessionKey: z.string(),
  status: z.enum(RUN_STATUSES),
  surface: z.string(),
  model: z.string().optional(),
  attempt: z.number().int(),
  queuedAt: z.number(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  stopReason: z.string().optional(),
  failure: wireFailureSchema.optional(),
  usage: usageSchema,
  costUsd: z.number().optional(),
  laps: z.number().int(),
  calls: z.number().int(),
  /** The first words of what was asked, at most 200 bytes; in lists. */
  summary: z.string().optional(),
  /** So many of its calls did not succeed, or ended with another code than 0; in lists, where there are any. */
  notDone: z.number().int().optional(),
});
export type WireRun = z.infer<typeof wireRunSchema>;

export function toWireRun(run: Run): WireRun {
  const { id, sessionId, modelAsked: _asked, committed: _committed, ...rest } = run;
  return { runId: id, sessionKey: sessionId, ...rest };
}

/** What a model is told of an agent. Tokens are estimated. */
export const agentPromptSchema = z.object({
  agentId: z.string(),
  system: z.string(),
  systemTokens: z.number().int(),
  tools: z.array(
    z.object({
      toolId: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.unknown()),
      tokens: z.number().int(),
    }),
  ),
  /** The system prompt and all tools: what every request begins with. */
  tokens: z.number().int(),
  /** What its owner can change; absent where it is an assistant of a program. */
  text: agentTextSchema.optional(),
});
export type AgentPrompt = z.infer<typeof agentPromptSchema>;

export const agentSchema = z.object({
  id: z.string(),
  name: z.string(),
  model: z.string(),
  tools: z.array(z.string()),
  description: z.string().optional(),
  /** Why the agent cannot run as it stands. */
  problem: z.string().optional(),
});

export const snapshotSchema = z.object({
  seq: z.number().int(),
  /** The answer as far as it is written. */
  text: z.string(),
  /** What the model thought since its last call, where it did. */
  thinking: z.string().optional(),
  calls: z.array(
    z.object({
      callId: z.string(),
      tool: z.string(),
      /** `running`, then what `tool.finished` said. */
      status: z.enum(["running", ...CALL_STATUSES]),
      refused: z.literal(true).optional(),
      exitCode: z.number().optional(),
    }),
  ),
  status: z.enum(RUN_STATUSES),
  /** What `chat.final` or `chat.error` said, once the run has ended. */
  final: z.lazy(EVENTS["chat.final"]).optional(),
  error: z.lazy(EVENTS["chat.error"]).optional(),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

export const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(["chat", "approve", "admin", "execute"])),
  createdAt: z.number(),
  lastUsedAt: z.number().optional(),
  expiresAt: z.number().optional(),
  /** A browser that stays logged in. */
  device: z.boolean().optional(),
  /** A browser that a link let in: it lives in a tab, and nobody has it once that is closed. */
  browser: z.boolean().optional(),
  /** Somebody is connected with it. */
  connected: z.boolean().optional(),
  /** The one that asks. */
  current: z.boolean().optional(),
  /** The tenant that it is of, where that is not the owner's own. */
  tenant: z.string().optional(),
});

export const profileSchema = z.object({
  id: z.string(),
  provider: z.string(),
  type: z.enum(["api_key", "token", "oauth"]),
  /** The last characters of the secret; never more. */
  hint: z.string(),
  source: z.string(),
  baseUrl: z.string().optional(),
  createdAt: z.number().optional(),
  expiresAt: z.number().optional(),
  lastUsedAt: z.number().optional(),
  cooldownUntil: z.number().optional(),
  /** The code of the failure that it rests for. */
  cooldownReason: z.string().optional(),
  preferred: z.boolean(),
});
