import { failure, type Failure, type FailureReason } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { addUsage, type Usage } from "@elwood/core/message/message";
import type { ModelEvent } from "@elwood/core/model/model";
import type { Clock } from "@elwood/runtime/ports/ports";
import { KEPT, SO_FAR, type ProviderFailure } from "./failure-words.ts";

type Failed = Extract<ModelEvent, { type: "failed" }>;

/** The events of one try. The last one is `done` or `failed`; `failed` has a message of its own. */
export type AttemptEvent =
  | Exclude<ModelEvent, { type: "retry" | "failed" }>
  | (Failed & Omit<ProviderFailure, "failure">);

export interface RetryOptions {
  readonly clock: Clock;
  /** From 0 to 1, for the jitter. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly attemptsMax?: number;
  /** Another key or model takes over where this one is refused. */
  readonly handsOver?: boolean | undefined;
}

const RETRIED: readonly FailureReason[] = [
  "RATE_LIMITED",
  "OVERLOADED",
  "NETWORK",
  "TIMEOUT",
  "UPSTREAM_ERROR",
];

/**
 * Retries a request if that can help.
 *
 * T1 Only failures that are retryable and of a reason listed above; a key that was
 *    refused, a full context or a malformed request would only fail again.
 * T2 A `retry` event goes out before each pause: what was streamed so far is void. Its
 *    `attempt` is the number of the try that follows. If all fail, what the last of them had
 *    written is kept, because the owner saw it.
 * T3 The provider's `retry-after` takes precedence over our backoff. One that is longer than we
 *    wait ends the retries at once; the failure contains it.
 * T4 Repeating is safe because a model call does nothing but answer: tools run between
 *    calls, never inside one.
 * T5 A server that says it is loading the model is not failing; it is asked again for as
 *    long as loading may take, and these tries are not counted.
 */
export async function* withRetry(
  attempt: () => AsyncIterable<AttemptEvent>,
  options: RetryOptions,
): AsyncGenerator<ModelEvent> {
  const { clock, signal } = options;
  const attemptsMax = options.attemptsMax ?? LIMITS.modelAttemptsMax;
  const loadingEndsAt = clock.now() + LIMITS.modelLoadingMs;
  let spent: Usage | undefined;
  /** What the last try that wrote something had written: the owner saw it. */
  let written: Failed["blocks"] = [];

  for (let tries = 1; ;) {
    let failed: Extract<AttemptEvent, { type: "failed" }> | undefined;
    for await (const event of attempt()) {
      if (event.type === "failed") failed = event;
      else yield event.type === "done" ? { ...event, usage: plus(spent, event.usage) } : event;
    }
    if (!failed) return;
    spent = failed.usage ? plus(spent, failed.usage) : spent;
    if (hasText(failed.blocks)) written = failed.blocks;

    const loading = failed.loading === true && clock.now() < loadingEndsAt;
    const delayMs = loading ? LIMITS.modelLoadingPollMs : pauseBefore(tries, failed.failure, options.random);
    const again =
      loading ||
      (tries < attemptsMax &&
        mayRetry(failed.failure, delayMs) &&
        !(options.handsOver && leftToOthers(failed.failure)));
    if (signal.aborted || !again) {
      yield ending({ ...failed, blocks: hasText(failed.blocks) ? failed.blocks : written }, tries, spent);
      return;
    }
    if (!loading) tries += 1;
    const brief: Failure = { ...failed.failure, message: failed.brief };
    yield { type: "retry", failure: brief, attempt: tries, attemptsMax, delayMs };
    await clock.sleep(delayMs, signal);
    if (signal.aborted) {
      yield {
        type: "failed",
        failure: stoppedByOwner(),
        blocks: written,
        ...(spent ? { usage: spent } : {}),
      };
      return;
    }
  }
}

export function stoppedByOwner(): Failure {
  return failure("ABORTED", "You stopped this run. What had been written by then is kept.");
}

function mayRetry(reason: Failure, delayMs: number): boolean {
  return reason.retryable && RETRIED.includes(reason.reason) && delayMs <= LIMITS.modelRetryDelayMaxMs;
}

/** With another key at hand nothing is waited for, but for a pause that is shorter than a cold prompt cache is dear. */
function leftToOthers({ reason, retryAfterMs }: Failure): boolean {
  if (reason !== "RATE_LIMITED" && reason !== "OVERLOADED") return false;
  return retryAfterMs === undefined || retryAfterMs > LIMITS.keyPauseMs;
}

/** 1, 2, 4 … seconds, each shortened by up to a quarter so that clients do not come back in step. */
function pauseBefore(tries: number, reason: Failure, random: () => number): number {
  if (reason.retryAfterMs !== undefined) return reason.retryAfterMs;
  const backoff = Math.min(LIMITS.modelRetryBaseMs * 2 ** (tries - 1), LIMITS.modelRetryDelayMaxMs);
  return Math.round(backoff * (1 - random() * 0.25));
}

function ending(failed: Failed, tries: number, usage: Usage | undefined): ModelEvent {
  const { failure: reason, blocks } = failed;
  const message = hasText(blocks) ? reason.message : reason.message.replace(SO_FAR, KEPT);
  const counted =
    tries > 1 && reason.reason !== "ABORTED" ? `${message} It was tried ${tries} times.` : message;
  return { type: "failed", failure: { ...reason, message: counted }, blocks, ...(usage ? { usage } : {}) };
}

function hasText(blocks: Failed["blocks"]): boolean {
  return blocks.some((block) => block.type === "text" && block.text.trim() !== "");
}

function plus(a: Usage | undefined, b: Usage): Usage {
  return a ? addUsage(a, b) : b;
}
