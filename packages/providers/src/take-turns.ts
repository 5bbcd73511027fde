import { failure, type Failure, type FailureReason } from "@elwood/core/base/failure";
import type { Embedded, EmbedRequest } from "@elwood/core/model/embedding";
import { LIMITS } from "@elwood/core/base/limits";
import { addUsage, type Usage } from "@elwood/core/message/message";
import {
  formatModelRef,
  type AnsweredBy,
  type Handover,
  type ModelEvent,
  type ModelRef,
  type ModelRequest,
} from "@elwood/core/model/model";
import { err, type Result } from "@elwood/core/base/result";
import type { Clock, Log, ModelProvider } from "@elwood/runtime/ports/ports";
import type { Credential, KeyRing } from "./credential.ts";

/** One model by one key. */
export interface Way {
  readonly ref: ModelRef;
  readonly credential: Credential | undefined;
  readonly provider: ModelProvider;
  readonly outputTokensMax: number;
}

/** The ways to an answer, in the order in which they are tried; where the model that was asked has none now, `passed` says why. */
export interface Ways {
  readonly ways: readonly Way[];
  readonly passed?: Failure;
}

export interface TurnDeps {
  readonly clock: Clock;
  readonly log?: Log;
  readonly keys: KeyRing;
  /** Asked before every request: keys come and go while a run goes on. */
  readonly ways: (session: string | undefined) => Promise<Result<Ways, Failure>>;
  /** The same way again, with another secret. */
  readonly withKey: (way: Way, credential: Credential) => Way;
  readonly asked: ModelRef;
  /** False where the API of the asked model knows no embeddings. */
  readonly embeds: boolean;
  /** What rests and where conversations stand; one for all models. */
  readonly memory: TurnMemory;
}

/** These are about the key: another one may be welcome. */
const KEY_REFUSED: readonly FailureReason[] = ["AUTH", "BILLING", "RATE_LIMITED", "OVERLOADED"];
/** These are about the provider: another model may answer. */
const PROVIDER_DOWN: readonly FailureReason[] = ["NETWORK", "TIMEOUT", "UPSTREAM_ERROR"];

/** Models that did not answer, and the way that answered each conversation last. In memory: a new start tries everything anew. */
export class TurnMemory {
  readonly #down = new Map<string, { readonly until: number; readonly times: number }>();
  readonly #last = new Map<string, string>();

  isDown(model: string, now: number): boolean {
    return (this.#down.get(model)?.until ?? 0) > now;
  }

  wentDown(model: string, now: number): number {
    const times = (this.#down.get(model)?.times ?? 0) + 1;
    const until = now + restMs(times);
    put(this.#down, model, { until, times });
    return until;
  }

  answered(session: string | undefined, way: Way): void {
    this.#down.delete(formatModelRef(way.ref));
    if (session !== undefined) put(this.#last, session, nameOf(way));
  }

  wasLast(session: string | undefined, way: Way): boolean {
    return session !== undefined && this.#last.get(session) === nameOf(way);
  }
}

/** How long something rests that failed so many times in a row. */
export function restMs(times: number): number {
  const steps = LIMITS.keyRestMs;
  return steps[Math.min(times, steps.length) - 1] ?? steps[0];
}

/**
 * A provider that goes several ways to one answer: the keys of the model's own provider, one
 * after another, then the models that take its place.
 *
 * W1 A way is left for a failure that another one may not have: a key that was refused, or a
 *    provider that does not answer. Anything else would fail there too, and ends the request.
 * W2 A `retry` with a `handover` goes out before another way is taken: what was streamed so far
 *    is void. Each way is tried once in a request; the last one with all its retries.
 * W3 `answeredBy` says which way the answer came, so that it is priced and named by that one.
 */
export function takeTurns(deps: TurnDeps): ModelProvider {
  const chat: ModelProvider["chat"] = (request) => chatInTurns(request, deps);
  const { provider: id } = deps.asked;
  return deps.embeds ? { id, chat, embed: (request) => embedInTurns(request, deps) } : { id, chat };
}

/** Vectors of another model are no use, so only the keys take turns. */
async function embedInTurns(request: EmbedRequest, deps: TurnDeps): Promise<Result<Embedded, Failure>> {
  const { keys, asked } = deps;
  const found = await deps.ways(undefined);
  if (!found.ok) return found;
  const own = found.value.ways.filter(({ ref }) => sameModel(ref, asked));
  let last: Failure = found.value.passed ?? failure("BAD_REQUEST", `${asked.provider} makes no embeddings.`);
  for (const { provider, credential, ref } of own) {
    const answer = await provider.embed?.(request);
    if (answer === undefined) break;
    if (answer.ok && credential) await keys.worked(credential, undefined);
    if (answer.ok || !KEY_REFUSED.includes(answer.error.reason)) return answer;
    last = answer.error;
    if (credential) await keys.refused(ref.provider, credential, last, own.length > 1);
  }
  return err(last);
}

async function* chatInTurns(request: ModelRequest, deps: TurnDeps): AsyncGenerator<ModelEvent> {
  const { keys, memory } = deps;
  const session = request.cacheKey;
  const found = await deps.ways(session);
  if (!found.ok) {
    yield { type: "failed", failure: found.error, blocks: [] };
    return;
  }
  const { passed } = found.value;
  const ways = found.value.ways.filter(({ ref }) => request.mayAnswer?.(ref) ?? true);
  const [first] = ways;
  if (!first) {
    yield { type: "failed", failure: passed ?? nobodyMayAnswer(deps.asked), blocks: [] };
    return;
  }
  if (passed && !memory.wasLast(session, first)) {
    const { ref, credential } = first;
    const to = credential?.profileId;
    const handover = handoverOf({ ref: deps.asked }, first, passed);
    yield retryEvent(passed, handover, 1, ways.length, `${formatModelRef(ref)}${to ? ` (${to})` : ""}`);
  }
  let spent: Usage | undefined;
  const renewed = new Set<string>();
  const queue = [...ways];
  for (let tried = 1; ; tried += 1) {
    const way = queue.shift()!;
    const answeredBy = answeredByOf(way);
    let failed: Extract<ModelEvent, { type: "failed" }> | undefined;
    for await (const event of way.provider.chat(requestBy(way, request, queue.length > 0))) {
      if (event.type === "failed") failed = event;
      else if (event.type === "done") {
        memory.answered(session, way);
        if (way.credential) await keys.worked(way.credential, session);
        yield { ...event, usage: spent ? addUsage(spent, event.usage) : event.usage, answeredBy };
      } else yield event;
    }
    if (!failed) return;
    if (failed.usage) spent = spent ? addUsage(spent, failed.usage) : failed.usage;
    const fresh = await renewedWay(way, failed.failure, renewed, deps);
    const restsUntil = fresh ? undefined : await putToRest(way, failed.failure, ways.length > 1, deps);
    const next = fresh ?? nextWay(way, failed.failure, queue);
    if (!next || request.signal.aborted) {
      yield ending(failed, { tried, spent, answeredBy });
      return;
    }
    if (fresh) queue.unshift(fresh);
    const handover = handoverOf(way, next, failed.failure, restsUntil);
    if (!fresh)
      deps.log?.warn("another key or model takes over", { event: "auth.profile.rotated", ...handover });
    yield retryEvent(
      failed.failure,
      handover,
      tried + 1,
      tried + queue.length,
      fresh ? undefined : wordsFor(way, next),
    );
  }
}

function nobodyMayAnswer(asked: ModelRef): Failure {
  return failure("LIMIT", `${formatModelRef(asked)} may not be asked here. Nothing was sent.`);
}

/** Drops the ways that would fail alike, and answers the next one; the queue begins with it. */
function nextWay(way: Way, failure: Failure, queue: Way[]): Way | undefined {
  if (KEY_REFUSED.includes(failure.reason)) return queue[0];
  if (!PROVIDER_DOWN.includes(failure.reason) || !failure.retryable) return undefined;
  while (queue[0] && queue[0].ref.provider === way.ref.provider) queue.shift();
  return queue[0];
}

/** Only where something else can be used meanwhile: a key that is alone would only be kept from its own recovery. */
async function putToRest(
  way: Way,
  failure: Failure,
  replaced: boolean,
  { keys, memory, clock }: TurnDeps,
): Promise<number | undefined> {
  if (KEY_REFUSED.includes(failure.reason))
    return way.credential && keys.refused(way.ref.provider, way.credential, failure, replaced);
  if (!PROVIDER_DOWN.includes(failure.reason) || !replaced) return undefined;
  return memory.wentDown(formatModelRef(way.ref), clock.now());
}

/** A subscription's token runs out between two questions: it is renewed once, and the same way is tried again. */
async function renewedWay(
  way: Way,
  { reason }: Failure,
  renewed: Set<string>,
  { keys, withKey }: TurnDeps,
): Promise<Way | undefined> {
  const { credential } = way;
  if (reason !== "AUTH" || credential?.type !== "oauth" || renewed.has(nameOf(way))) return undefined;
  renewed.add(nameOf(way));
  const fresh = await keys.renewed(credential);
  return fresh && withKey(way, fresh);
}

function requestBy(way: Way, request: ModelRequest, handsOver: boolean): ModelRequest {
  return {
    ...request,
    model: way.ref.model,
    maxOutputTokens: Math.min(request.maxOutputTokens, way.outputTokensMax),
    ...(handsOver ? { handsOver } : {}),
  };
}

function answeredByOf({ ref, credential }: Way): AnsweredBy {
  return { ref, ...(credential?.profileId === undefined ? {} : { profile: credential.profileId }) };
}

function handoverOf(
  from: Pick<Way, "ref"> & Partial<Pick<Way, "credential">>,
  to: Way,
  { reason }: Failure,
  restsUntil?: number,
): Handover {
  const fromId = from.credential?.profileId;
  const toId = to.credential?.profileId;
  return {
    fromModel: formatModelRef(from.ref),
    toModel: formatModelRef(to.ref),
    why: reason,
    ...(fromId === undefined ? {} : { from: fromId }),
    ...(toId === undefined ? {} : { to: toId }),
    ...(restsUntil === undefined ? {} : { restsUntil }),
  };
}

function retryEvent(
  { reason, retryable }: Failure,
  handover: Handover,
  attempt: number,
  attemptsMax: number,
  next: string | undefined,
): ModelEvent {
  const who = handover.from ?? handover.fromModel;
  const message =
    next === undefined
      ? `The access of ${who} had run out and was renewed.`
      : `${who} ${SAID[reason] ?? "did not answer"}; ${next} takes over.`;
  const same = handover.from === handover.to && handover.fromModel === handover.toModel;
  return {
    type: "retry",
    failure: { reason, message, retryable },
    attempt,
    attemptsMax,
    delayMs: 0,
    ...(same ? {} : { handover }),
  };
}

const SAID: Partial<Record<FailureReason, string>> = {
  AUTH: "was refused",
  BILLING: "has no credit left",
  RATE_LIMITED: "is limited for now",
  OVERLOADED: "is overloaded",
};

function wordsFor(way: Way, next: Way): string {
  const profile = next.credential?.profileId ?? next.credential?.source;
  if (sameModel(way.ref, next.ref) && profile !== undefined) return profile;
  return formatModelRef(next.ref);
}

function ending(
  failed: Extract<ModelEvent, { type: "failed" }>,
  { tried, spent, answeredBy }: { tried: number; spent: Usage | undefined; answeredBy: AnsweredBy },
): ModelEvent {
  const { failure } = failed;
  const told =
    tried > 1 && failure.reason !== "ABORTED"
      ? { ...failure, message: `${failure.message} ${tried} keys or models were tried.` }
      : failure;
  return { ...failed, failure: told, answeredBy, ...(spent ? { usage: spent } : {}) };
}

export function sameModel(a: ModelRef, b: ModelRef): boolean {
  return a.provider === b.provider && a.model === b.model;
}

function nameOf({ ref, credential }: Way): string {
  return `${formatModelRef(ref)} ${credential?.profileId ?? credential?.source ?? ""}`;
}

function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  const oldest = map.keys().next();
  if (map.size >= LIMITS.conversationKeysMax && !oldest.done) map.delete(oldest.value);
  map.set(key, value);
}
