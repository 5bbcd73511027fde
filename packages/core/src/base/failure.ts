/**
 * Every failure that a person, a program or a model can meet, as one closed list.
 *
 * `reason` is the word a program branches on; it never changes meaning. The numeric
 * code is the coarser class that travels in a WebSocket error frame. `message` is for
 * a person: what happened, what was and was not done, and what to do next. It never
 * holds a stack trace, a secret or a provider's raw text.
 */
export const WIRE_CODES = {
  BAD_JSON: -32700,
  BAD_FRAME: -32600,
  UNKNOWN_METHOD: -32601,
  INVALID_INPUT: -32602,
  INTERNAL: -32000,
  UNAUTHENTICATED: -32001,
  FORBIDDEN: -32002,
  NOT_FOUND: -32003,
  CONFLICT: -32004,
  RATE_LIMITED: -32005,
  TIMEOUT: -32006,
  UPSTREAM_ERROR: -32007,
  LIMIT: -32008,
  UNAVAILABLE: -32009,
} as const;

export type WireClass = keyof typeof WIRE_CODES;

/** reason → class on the wire, and whether trying again unchanged can help. */
const REASONS = {
  // frames and methods
  BAD_JSON: ["BAD_JSON", false],
  BAD_FRAME: ["BAD_FRAME", false],
  UNKNOWN_METHOD: ["UNKNOWN_METHOD", false],
  INVALID_INPUT: ["INVALID_INPUT", false],
  FRAME_TOO_LARGE: ["LIMIT", false],
  INTERNAL: ["INTERNAL", false],
  // who is asking
  UNAUTHENTICATED: ["UNAUTHENTICATED", false],
  TOO_MANY_ATTEMPTS: ["RATE_LIMITED", true],
  TOO_MANY_REQUESTS: ["RATE_LIMITED", true],
  ORIGIN_REFUSED: ["FORBIDDEN", false],
  HOST_REFUSED: ["FORBIDDEN", false],
  SCOPE_MISSING: ["FORBIDDEN", false],
  // things asked for
  NOT_FOUND: ["NOT_FOUND", false],
  CONFLICT: ["CONFLICT", false],
  KEY_REUSED: ["CONFLICT", false],
  SETTING_FIXED: ["FORBIDDEN", false],
  // the gateway itself
  STOPPING: ["UNAVAILABLE", true],
  STORAGE: ["UNAVAILABLE", true],
  STORAGE_FULL: ["UNAVAILABLE", true],
  INTERRUPTED: ["UNAVAILABLE", true],
  // limits of a run, a session or a day
  QUEUE_FULL: ["LIMIT", true],
  LAPS_LIMIT: ["LIMIT", false],
  CALLS_LIMIT: ["LIMIT", false],
  REPEAT_LIMIT: ["LIMIT", false],
  TOKENS_LIMIT: ["LIMIT", false],
  TIME_LIMIT: ["LIMIT", false],
  RUN_COST_LIMIT: ["LIMIT", false],
  DAY_COST_LIMIT: ["LIMIT", false],
  // what a tenant may use, which only the owner changes
  LIMIT: ["FORBIDDEN", false],
  // the model behind it
  NO_MODEL: ["UNAVAILABLE", false],
  MODEL_UNKNOWN: ["UPSTREAM_ERROR", false],
  RATE_LIMITED: ["RATE_LIMITED", true],
  OVERLOADED: ["UPSTREAM_ERROR", true],
  AUTH: ["UPSTREAM_ERROR", false],
  BILLING: ["UPSTREAM_ERROR", false],
  CONTEXT_FULL: ["LIMIT", false],
  OUTPUT_FULL: ["LIMIT", false],
  REFUSED: ["UPSTREAM_ERROR", false],
  TIMEOUT: ["TIMEOUT", true],
  NETWORK: ["UPSTREAM_ERROR", true],
  BAD_REPLY: ["UPSTREAM_ERROR", true],
  BAD_REQUEST: ["UPSTREAM_ERROR", false],
  UPSTREAM_ERROR: ["UPSTREAM_ERROR", true],
  // what moderation, the policy or a person did not let pass, and calls without an answer
  BLOCKED: ["FORBIDDEN", false],
  DENIED: ["FORBIDDEN", false],
  OUTCOME_UNKNOWN: ["CONFLICT", false],
  // a person's own stop: not an error, but a run ends with it
  ABORTED: ["CONFLICT", false],
} as const satisfies Record<string, readonly [WireClass, boolean]>;

export type FailureReason = keyof typeof REASONS;

export const FAILURE_REASONS = Object.keys(REASONS) as FailureReason[];

export interface Failure {
  readonly reason: FailureReason;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** What a provider said of it, in one cleaned line. Apart from `message`, which is in our own words alone. */
  readonly said?: string;
}

export function failure(
  reason: FailureReason,
  message: string,
  more: { retryable?: boolean; retryAfterMs?: number; said?: string } = {},
): Failure {
  return {
    reason,
    message,
    retryable: more.retryable ?? REASONS[reason][1],
    ...(more.retryAfterMs === undefined ? {} : { retryAfterMs: more.retryAfterMs }),
    ...(more.said === undefined || more.said === "" ? {} : { said: more.said }),
  };
}

export function wireClassOf(reason: FailureReason): WireClass {
  return REASONS[reason][0];
}

export function wireCodeOf(reason: FailureReason): number {
  return WIRE_CODES[wireClassOf(reason)];
}

/** Carries a Failure through code that has no better way to hand it back (RPC handlers, the command line). */
export class FailureError extends Error {
  readonly failure: Failure;
  constructor(f: Failure) {
    super(f.message);
    this.name = "FailureError";
    this.failure = f;
  }
}

export function fail(
  reason: FailureReason,
  message: string,
  more?: { retryable?: boolean; retryAfterMs?: number },
): never {
  throw new FailureError(failure(reason, message, more));
}
