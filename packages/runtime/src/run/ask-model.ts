import { LIMITS } from "@elwood/core/base/limits";
import type { Asked, Message } from "@elwood/core/message/message";
import type { Run, SessionSettings } from "@elwood/core/message/session";
import type { ModelEvent, ModelRequest, ToolSpec } from "@elwood/core/model/model";
import { modelProfile } from "@elwood/core/model/model-profile";
import { addLaps, type LapUsage, lapUsage, type PriceRow } from "@elwood/core/model/price";
import type { RunContext } from "../compaction/context.ts";
import type { AttachmentText } from "../ports/attachment-text.ts";
import type { Clock, ResolvedModel, RunRecorder, Stores } from "../ports/ports.ts";
import { isEmptyAnswer, overflows } from "./answer-end.ts";
import type { AnswerWriter } from "./answer-writer.ts";
import type { Budget } from "./budget.ts";
import { loadGrounding } from "./check-reply.ts";
import type { ModelHistory } from "./history.ts";

export interface AskDeps {
  readonly stores: Pick<Stores, "blobs">;
  readonly clock: Clock;
  readonly prices: readonly PriceRow[];
  readonly history: ModelHistory;
  readonly recorder: Pick<RunRecorder, "noteHandover">;
  readonly attachmentText?: AttachmentText | undefined;
}

/** The model of one run, and what its requests are built from. */
export interface AskInput {
  readonly tenant: string;
  readonly run: Run;
  readonly model: ResolvedModel;
  readonly settings: Pick<SessionSettings, "temperature" | "topP">;
  readonly system: string;
  readonly specs: () => readonly ToolSpec[];
  readonly context: RunContext;
  readonly budget: Budget;
  /** Shows the answer while it streams. */
  readonly writer: AnswerWriter;
  readonly signal: AbortSignal;
}

/** How a request ended, and what it used. `answer` is missing if the provider's stream just stopped. */
export interface ModelAnswer {
  readonly answer?: Extract<ModelEvent, { type: "done" | "failed" }>;
  readonly lap?: LapUsage;
}

/** Sends a run's requests to its model, lap by lap, and counts their usage. */
export class ModelAsker {
  readonly #input: AskInput;
  readonly #deps: AskDeps;
  #pending: Asked | undefined;

  constructor(input: AskInput, deps: AskDeps) {
    this.#input = input;
    this.#deps = deps;
  }

  /** When the model was asked, while its answer is pending. */
  get pending(): Asked | undefined {
    return this.#pending;
  }

  /** The same once the answer has arrived, to be stored with the message. */
  takePending(): Asked | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  /** An empty answer is asked for again, without notice, unless it may be empty. */
  async askForAnswer({ mayBeEmpty }: { readonly mayBeEmpty: boolean }): Promise<ModelAnswer> {
    const { budget, signal } = this.#input;
    let asked = await this.#ask();
    for (let again = 0; again < LIMITS.emptyAnswerRetriesMax; again += 1) {
      if (!isEmptyAnswer(asked.answer) || mayBeEmpty || signal.aborted || budget.beginLap()) break;
      asked = withLapsOf(asked, await this.#ask());
    }
    return asked;
  }

  /** One request, and a second one if the provider says that the first was too large and something can be left out. */
  async #ask(again = false): Promise<ModelAnswer> {
    const { context } = this.#input;
    const prepared = await context.prepare([]);
    if ("reason" in prepared) return { answer: { type: "failed", failure: prepared, blocks: [] } };
    const sent = await this.#send(prepared);
    if (again || !overflows(sent.answer) || !(await context.overflowed([]))) return sent;
    return withLapsOf(sent, await this.#ask(true));
  }

  async #send(messages: readonly Message[]): Promise<ModelAnswer> {
    const { writer, budget, model } = this.#input;
    writer.beginLap();
    this.#pending = { at: this.#deps.clock.now() };
    const answering = this.#lastOf(model.provider.chat(this.#requestOf(messages)));
    // Loaded while the model works: it is needed as soon as the answer has arrived.
    void loadGrounding();
    const answer = await answering;
    writer.endLap();
    const lap = answer && this.#lapUsage(answer);
    if (lap) budget.endLap(lap.usage, lap.costUsd);
    return { ...(answer ? { answer } : {}), ...(lap ? { lap } : {}) };
  }

  #requestOf(messages: readonly Message[]): ModelRequest {
    const { tenant, run, model, settings, system, specs, context, budget, signal } = this.#input;
    const { stores, clock, history, attachmentText } = this.#deps;
    const profile = modelProfile(model.ref);
    return {
      model: model.ref.model,
      system,
      messages: history.messages(messages),
      tools: specs(),
      maxOutputTokens: Math.min(context.outputTokens(messages), budget.tokensLeft),
      ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
      ...(settings.topP === undefined ? {} : { topP: settings.topP }),
      ...(profile.cache === "key" ? { cacheKey: run.sessionId } : {}),
      ...(profile.parallelCalls ? {} : { parallelCalls: false }),
      ...(profile.calls === "text" ? { callsInText: true } : {}),
      ...(profile.json === "lenient" ? { lenient: true } : {}),
      readBlob: (blobId) => stores.blobs.read(tenant, blobId),
      ...(attachmentText && {
        readText: (blobId: string, name: string) => attachmentText({ tenant, blobId, name }, signal),
      }),
      writeBlob: async (bytes, mime) => (await stores.blobs.put(tenant, bytes, mime, clock.now())).blobId,
      signal,
    };
  }

  async #lastOf(events: AsyncIterable<ModelEvent>): Promise<ModelAnswer["answer"]> {
    for await (const event of events) {
      if (event.type === "done" || event.type === "failed") return event;
      if (event.type === "retry") await this.#noteRetry(event);
      await this.#input.writer.take(event);
    }
    return undefined;
  }

  /** Stored with the message; a retry alone is not worth a commit. That another account pays is, before it does. */
  async #noteRetry(event: Extract<ModelEvent, { type: "retry" }>): Promise<void> {
    const { handover, delayMs } = event;
    const { reason } = event.failure;
    const { tenant, run } = this.#input;
    if (handover)
      await this.#deps.recorder.noteHandover?.(tenant, { runId: run.id, surface: run.surface, handover });
    const pending = this.#pending;
    if (!pending) return;
    const retry = { at: this.#deps.clock.now(), reason, delayMs };
    this.#pending = { ...pending, retries: [...(pending.retries ?? []), retry] };
  }

  #lapUsage({ usage, answeredBy }: NonNullable<ModelAnswer["answer"]>): LapUsage | undefined {
    if (!usage) return undefined;
    const lap = lapUsage(
      answeredBy?.ref ?? this.#input.model.ref,
      usage,
      this.#deps.prices,
      this.#deps.clock.now(),
    );
    return answeredBy?.profile === undefined ? lap : { ...lap, profile: answeredBy.profile };
  }
}

/** The later answer, with the usage of both requests. */
function withLapsOf(first: ModelAnswer, next: ModelAnswer): ModelAnswer {
  const both = addLaps(first.lap, next.lap);
  return { ...next, ...(both ? { lap: both } : {}) };
}
