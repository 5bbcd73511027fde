import { z } from "zod";
import { FAILURE_REASONS, type Failure, wireCodeOf } from "../base/failure.ts";

/** Rises when a client written for the older number would misread a frame. Added fields do not raise it. */
export const PROTOCOL_VERSION = 2;

/**
 * The frames of the WebSocket. Plain JSON text, one frame a message:
 *
 *   client → gateway   {type: "auth", token, client?}      first frame; only health.check may come before it
 *   gateway → client   {type: "auth", ok: true, hello}     or the connection is closed with 1008
 *   client → gateway   {id, method, params}
 *   gateway → client   {id, result} or {id, error}
 *   gateway → client   {event, data}                        a push; no id
 */
export const authFrameSchema = z.object({
  type: z.literal("auth"),
  token: z.string().max(4096),
  client: z
    .object({
      name: z.string().max(100),
      version: z.string().max(50).optional(),
      protocol: z.number().int().optional(),
      /** The client can show text that is not final and replace it. */
      drafts: z.boolean().optional(),
    })
    .optional(),
});
export type AuthFrame = z.infer<typeof authFrameSchema>;

export const requestFrameSchema = z.object({
  id: z.string().min(1).max(200),
  method: z.string().min(1).max(100),
  params: z.unknown().optional(),
});
export type RequestFrame = z.infer<typeof requestFrameSchema>;

export const helloSchema = z.object({
  protocol: z.number().int(),
  version: z.string(),
  methods: z.array(z.string()),
  events: z.array(z.string()),
  limits: z.record(z.string(), z.number()),
  scopes: z.array(z.string()),
  build: z.string(),
  /** What time it is for the gateway, in milliseconds since 1970: the clock of a client may be wrong. */
  now: z.number().optional(),
});
export type Hello = z.infer<typeof helloSchema>;

export const authOkFrameSchema = z.object({
  type: z.literal("auth"),
  ok: z.literal(true),
  hello: helloSchema,
});

export const errorObjectSchema = z.object({
  code: z.number().int(),
  message: z.string(),
  data: z
    .object({
      reason: z.enum(FAILURE_REASONS as [string, ...string[]]),
      retryable: z.boolean(),
      retryAfterMs: z.number().optional(),
    })
    .optional(),
});
export type ErrorObject = z.infer<typeof errorObjectSchema>;

/** `id` is null where the request could not be read far enough to know it. */
export const responseFrameSchema = z.union([
  z.object({ id: z.string(), result: z.unknown() }),
  z.object({ id: z.string().nullable(), error: errorObjectSchema }),
]);

export const pushFrameSchema = z.object({ event: z.string(), data: z.unknown() });

export function toErrorObject(failure: Failure): ErrorObject {
  return {
    code: wireCodeOf(failure.reason),
    message: failure.message,
    data: {
      reason: failure.reason,
      retryable: failure.retryable,
      ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    },
  };
}

/** Why a connection was closed by the gateway. */
export const CLOSE_CODES = {
  /** Not authenticated: no or a wrong first frame, a bad token, too many attempts. */
  policy: 1008,
  tooLarge: 1009,
  internal: 1011,
  /** The gateway is stopping; come back. */
  restarting: 1012,
  /** The client does not read what it asked for; come back and resume. */
  tooSlow: 1013,
} as const;
