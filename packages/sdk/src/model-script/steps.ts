import type { FailureReason } from "@elwood/core/base/failure";
import type { Usage } from "@elwood/core/message/message";
import type { StopReason } from "@elwood/core/model/model";

/** One thing that a scripted model does. A list of them is one answer. */
export type Step =
  | { readonly type: "text"; readonly text: string; readonly chunks?: readonly string[] }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "toolCall";
      readonly toolId: string;
      readonly input: unknown;
      readonly callId?: string;
      /** Arguments that are not valid JSON, as a model might write them. */
      readonly malformed?: string;
    }
  | { readonly type: "image"; readonly mime: string; readonly bytes: Uint8Array }
  | { readonly type: "delay"; readonly ms: number }
  /** Goes on when the test says so. */
  | { readonly type: "wait"; readonly until: Promise<unknown> }
  /** The answer fails here. */
  | {
      readonly type: "error";
      readonly reason: FailureReason;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** The attempt fails and another one follows: what was said so far is void. */
  | {
      readonly type: "retry";
      readonly reason: FailureReason;
      readonly message: string;
      readonly delayMs: number;
    }
  /** The connection breaks here. */
  | { readonly type: "disconnect" }
  | { readonly type: "stop"; readonly reason: StopReason; readonly note?: string }
  | { readonly type: "usage"; readonly usage: Usage };

export function text(words: string, chunks?: readonly string[]): Step {
  return { type: "text", text: words, ...(chunks ? { chunks } : {}) };
}

export function thinking(words: string): Step {
  return { type: "thinking", text: words };
}

export function toolCall(
  toolId: string,
  input: unknown = {},
  more: { callId?: string; malformed?: string } = {},
): Step {
  return { type: "toolCall", toolId, input, ...more };
}

export function image(bytes: Uint8Array, mime = "image/png"): Step {
  return { type: "image", mime, bytes };
}

export function delay(ms: number): Step {
  return { type: "delay", ms };
}

export function wait(until: Promise<unknown>): Step {
  return { type: "wait", until };
}

export function error(reason: FailureReason, message?: string, retryAfterMs?: number): Step {
  return {
    type: "error",
    reason,
    message: message ?? `The scripted model fails here with ${reason}.`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

export function retry(reason: FailureReason = "OVERLOADED", delayMs = 1_000): Step {
  return { type: "retry", reason, message: `The scripted model fails once with ${reason}.`, delayMs };
}

export function disconnect(): Step {
  return { type: "disconnect" };
}

export function stop(reason: StopReason, note?: string): Step {
  return { type: "stop", reason, ...(note === undefined ? {} : { note }) };
}

export function usage(counts: Partial<Usage>): Step {
  return {
    type: "usage",
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, ...counts },
  };
}
