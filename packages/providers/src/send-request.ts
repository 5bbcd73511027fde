import type { Block, Usage } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { LIMITS } from "@elwood/core/base/limits";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { Agents } from "./guarded-fetch.ts";
import type { ProviderIdentity } from "./identity.ts";
import { CutShort, readFailure } from "./read-failure.ts";
import { StreamGuard, type GuardLimits } from "./stream-guard.ts";
import { stoppedByOwner, withRetry, type AttemptEvent } from "./with-retry.ts";

/** What a request is sent with. */
export interface ProviderDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log?: Log;
  readonly attemptsMax?: number;
}

/** What the provider of an API is built from. */
export interface ProviderOptions extends ProviderDeps {
  readonly who: ProviderIdentity;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it is not reached as every other one. */
  readonly agents?: Agents;
}

/** Assembles an answer from the events of one wire format. Only `finish` has effects. */
export interface ReplyReader<E> {
  /** Takes an event and returns what can be shown of it. Throws if the event reports an error or makes no sense. */
  take(event: E): readonly Delta[];
  /** The answer is all there, though the stream may still add counts. */
  readonly complete: boolean;
  /** Nothing more is to come. */
  readonly ended: boolean;
  finish(): Promise<Omit<Extract<ModelEvent, { type: "done" }>, "type">>;
  /** What had arrived when the stream broke off. */
  partial(): { readonly blocks: readonly Block[]; readonly usage?: Usage };
}

export type Delta = Extract<ModelEvent, { type: "text" | "thinking" | "tool_args" }>;

/** What is needed of a request to see it through, whatever it asks for. */
export type Asked = Pick<ModelRequest, "model" | "signal" | "handsOver">;

/** One wire format spoken to one provider: opens a stream, and makes the reader for it. */
export interface WireFormat<E> {
  /** The events, those together that came together. */
  open(guard: StreamGuard): Promise<AsyncIterable<Iterable<E>>>;
  reader(): ReplyReader<E>;
}

/**
 * Sends a request and sees it through, retries included. Foreign exceptions end here: what
 * leaves here are events, and the last of them is `done` or `failed`.
 */
export function sendRequest<E>(
  who: ProviderIdentity,
  request: Asked,
  deps: ProviderDeps,
  format: WireFormat<E>,
): AsyncIterable<ModelEvent> {
  const { clock, random, attemptsMax } = deps;
  return withRetry(() => attempt(who, request, deps, format), {
    clock,
    random,
    signal: request.signal,
    handsOver: request.handsOver,
    ...(attemptsMax === undefined ? {} : { attemptsMax }),
  });
}

async function* attempt<E>(
  who: ProviderIdentity,
  request: Asked,
  deps: ProviderDeps,
  format: WireFormat<E>,
): AsyncGenerator<AttemptEvent> {
  const { clock, log } = deps;
  if (request.signal.aborted) {
    yield { type: "failed", failure: stoppedByOwner(), brief: "Stopped.", blocks: [] };
    return;
  }
  const reader = format.reader();
  const guard = new StreamGuard(clock, timeLimits(who), request.signal);
  try {
    try {
      for await (const events of await format.open(guard))
        for (const event of events) {
          // Not yield*: it waits three times for each.
          for (const delta of reader.take(event)) yield delta;
          if (reader.ended) guard.drain();
        }
    } catch (error) {
      // A fault after the last word of the answer takes nothing away from it.
      if (!reader.complete || request.signal.aborted) throw error;
    }
    if (!reader.complete) throw new CutShort();
    const done = await reader.finish();
    if (request.signal.aborted) throw new CutShort();
    yield { type: "done", ...done };
  } catch (error) {
    const partial = reader.partial();
    if (request.signal.aborted) {
      yield { type: "failed", failure: stoppedByOwner(), brief: "Stopped.", ...partial };
      return;
    }
    const read = readFailure(error, {
      who,
      model: request.model,
      now: clock.now(),
      ...(guard.expired ? { expired: guard.expired } : {}),
    });
    log?.info("a model call failed", { provider: who.id, model: request.model, reason: read.failure.reason });
    log?.debug("what the provider said", { provider: who.id, error: String(error) });
    yield { type: "failed", ...read, ...partial };
  } finally {
    guard.stop();
  }
}

function timeLimits(who: ProviderIdentity): GuardLimits {
  return {
    firstEventMs: who.local ? LIMITS.modelFirstEventLocalMs : LIMITS.modelFirstEventMs,
    idleMs: LIMITS.modelIdleMs,
    totalMs: LIMITS.modelAnswerMs,
  };
}
