import { failure, type FailureReason } from "@elwood/core/base/failure";
import { NO_USAGE } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { tokensOfMessage, tokensOfText, tokensOfTools } from "@elwood/core/model/tokens";
import type { Governance, PlannedRequest, SpentRequest } from "../ports/governance.ts";
import type { ModelFact, Observe, RetryFact } from "../ports/observe.ts";
import type { Clock, ModelProvider, Models } from "../ports/ports.ts";

export interface GovernedDeps {
  readonly governance: Governance;
  readonly clock: Clock;
  /** Told how each request ended; without it nobody is. */
  readonly observe?: Observe | undefined;
}

/**
 * One request to a model within what its sender may use: a place is reserved before it is sent, and given
 * back however it ends, also where whoever reads the answer stops. Like a provider it never throws, and its
 * last event is `done` or `failed`.
 */
export async function* governedChat(
  provider: ModelProvider,
  request: ModelRequest,
  planned: Omit<PlannedRequest, "outputTokensMax" | "signal">,
  deps: GovernedDeps,
): AsyncGenerator<ModelEvent> {
  const { governance, clock, observe } = deps;
  const startedAt = clock.now();
  let firstTextAt: number | undefined;
  let last: Extract<ModelEvent, { type: "done" | "failed" }> | undefined;
  const { signal: asked, maxOutputTokens } = request;
  const reserved = await governance.reserve({ ...planned, outputTokensMax: maxOutputTokens, signal: asked });
  if (!reserved.ok) {
    last = { type: "failed", failure: reserved.error, blocks: [] };
    observe?.(modelFact(planned, request, { startedAt, endedAt: clock.now(), last }));
    yield { type: "failed", failure: reserved.error, blocks: [] };
    return;
  }
  const { outputTokensMax, timeoutMs, mayAnswer } = reserved.value;
  const over = new AbortController();
  const late = new AbortController();
  if (timeoutMs !== undefined) void abortAfter(late, clock, timeoutMs, over.signal);
  let spent: SpentRequest = { outcome: "cancelled" };
  try {
    const signal = AbortSignal.any([request.signal, late.signal]);
    const within = {
      ...request,
      maxOutputTokens: outputTokensMax,
      signal,
      ...(mayAnswer ? { mayAnswer } : {}),
    };
    for await (const event of provider.chat(within)) {
      if (event.type === "text") firstTextAt ??= clock.now();
      if (event.type === "retry") observe?.(retryFact(planned, event));
      if (event.type === "done" || event.type === "failed") last = event;
      if (event.type === "done") spent = { outcome: "done", usage: event.usage, ...answeredBy(event) };
      if (event.type === "failed") {
        const outcome = request.signal.aborted ? "cancelled" : "failed";
        const usage = event.usage ?? (NOTHING_USED.has(event.failure.reason) ? NO_USAGE : undefined);
        spent = { outcome, ...(usage ? { usage } : {}), ...answeredBy(event) };
        yield late.signal.aborted ? { ...event, failure: tooLate(timeoutMs ?? 0) } : event;
        return;
      }
      yield event;
    }
  } finally {
    over.abort("over");
    const endedAt = clock.now();
    observe?.(modelFact(planned, request, { startedAt, firstTextAt, endedAt, last }));
    await reserved.value.settle(spent);
  }
}

function modelFact(
  { tenant, runId, model }: Pick<PlannedRequest, "tenant" | "runId" | "model">,
  { messages, maxOutputTokens, signal }: ModelRequest,
  seen: {
    readonly startedAt: number;
    readonly firstTextAt?: number | undefined;
    readonly endedAt: number;
    readonly last: Extract<ModelEvent, { type: "done" | "failed" }> | undefined;
  },
): ModelFact {
  const { startedAt, firstTextAt, endedAt, last } = seen;
  const outcome = last?.type === "done" ? "done" : !last || signal.aborted ? "cancelled" : "failed";
  const profile = last?.answeredBy?.profile;
  return {
    kind: "model",
    tenant,
    runId,
    operation: "chat",
    asked: model,
    answered: last?.answeredBy?.ref ?? model,
    ...(profile === undefined ? {} : { profile }),
    startedAt,
    ...(firstTextAt === undefined ? {} : { firstTextAt }),
    endedAt,
    outcome,
    ...(last?.type === "failed" ? { reason: last.failure.reason } : {}),
    ...(last?.type === "done" ? { stopReason: last.stopReason } : {}),
    ...(last?.usage ? { usage: last.usage } : {}),
    maxOutputTokens,
    messages,
    ...(last ? { blocks: last.blocks } : {}),
  };
}

function retryFact(
  { tenant, runId, model }: Pick<PlannedRequest, "tenant" | "runId" | "model">,
  { failure: { reason }, attempt, delayMs, handover }: Extract<ModelEvent, { type: "retry" }>,
): RetryFact {
  return {
    kind: "retry",
    tenant,
    runId,
    model,
    reason,
    attempt,
    delayMs,
    ...(handover ? { handover } : {}),
  };
}

/** The provider took nothing in: what it was asked costs nothing. */
const NOTHING_USED: ReadonlySet<FailureReason> = new Set([
  "AUTH",
  "BILLING",
  "RATE_LIMITED",
  "OVERLOADED",
  "BAD_REQUEST",
  "MODEL_UNKNOWN",
  "NO_MODEL",
  "CONTEXT_FULL",
  "LIMIT",
]);

function answeredBy(event: Extract<ModelEvent, { type: "done" | "failed" }>): Pick<SpentRequest, "model"> {
  return event.answeredBy ? { model: event.answeredBy.ref } : {};
}

/** Models whose every request stays within what the tenant of a run may use. */
export function governedModels(
  models: Models,
  run: Pick<PlannedRequest, "tenant" | "runId">,
  deps: GovernedDeps,
): Models {
  return {
    async resolve(...asked) {
      const found = await models.resolve(...asked);
      if (!found.ok) return found;
      const { provider, ref } = found.value;
      const chat: ModelProvider["chat"] = (request) =>
        governedChat(
          provider,
          request,
          { ...run, names: ["llm.chat"], model: ref, inputTokens: () => tokensOfRequest(request) },
          deps,
        );
      const governed: ModelProvider = { id: provider.id, chat };
      return { ok: true, value: { ...found.value, provider: governed } };
    },
  };
}

function tokensOfRequest({ system, messages, tools }: ModelRequest): number {
  const said = messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
  return tokensOfText(system) + said + tokensOfTools(tools);
}

async function abortAfter(late: AbortController, clock: Clock, ms: number, over: AbortSignal): Promise<void> {
  await clock.sleep(ms, over);
  if (!over.aborted) late.abort();
}

function tooLate(timeoutMs: number) {
  return failure(
    "TIMEOUT",
    `The model had not answered after ${timeoutMs / 1_000} s, the longest it may take here. The request was stopped.`,
  );
}
