import { failure, type Failure } from "@elwood/core/failure";
import type { RunLimits } from "@elwood/core/limits";
import type { LocalTime } from "@elwood/core/local-time";
import type { Block, Message, ToolUseBlock, Usage } from "@elwood/core/message";
import { formatModelRef, type ModelEvent, type ModelRequest } from "@elwood/core/model";
import { costUsd, priceOf, type PriceRow } from "@elwood/core/price";
import type { Redactor } from "@elwood/core/redact";
import type { Run } from "@elwood/core/session";
import { AnswerWriter } from "./answer-writer.ts";
import { Budget } from "./budget.ts";
import { Calls } from "./calls.ts";
import type { RunFeed } from "./feed.ts";
import { toModelMessages } from "./history.ts";
import { abortedFailure, doneOutcome, failedOutcome, type RunOutcome } from "./outcome.ts";
import type { Agent, Clock, Ids, LapUsage, ResolvedModel, Stores, ToolHost } from "./ports.ts";
import { systemPrompt } from "./prompt.ts";

export interface RunLoopDeps {
  readonly stores: Stores;
  readonly tools: ToolHost;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: RunLimits;
  readonly prices: readonly PriceRow[];
  readonly redact: Redactor;
  readonly localTime: LocalTime;
}

export interface RunInput {
  readonly tenant: string;
  readonly run: Run;
  readonly agent: Agent;
  readonly model: ResolvedModel;
  /** Messages of earlier runs of the session. */
  readonly earlier: readonly Message[];
  /** Messages of this run that the journal holds already; the inbound one first. */
  readonly steps: readonly Message[];
  readonly spentTodayUsd: number;
  readonly feed: RunFeed;
  readonly signal: AbortSignal;
  /** A person is waited for, or no longer. */
  readonly waiting: (waiting: boolean) => void;
}

/**
 * One run: ask the model, make the calls it asks for, and again, until it has answered.
 *
 * L1 Each complete message is journaled before the next thing happens: a crash costs at
 *    most the answer being written, never a finished call.
 * L2 A call whose result is not in the journal when the run is taken up again is handed to
 *    the gate under its old id, which goes on where the call was and never makes it twice.
 * L3 The loop knows nothing of who listens; it only emits into the feed.
 */
export async function runLoop(input: RunInput, deps: RunLoopDeps): Promise<RunOutcome> {
  const { tenant, run, model, feed, signal } = input;
  const { stores, clock, ids } = deps;
  const modelName = formatModelRef(model.ref);
  const price = priceOf(model.ref, deps.prices);
  const system = systemPrompt(input.agent);
  deps.tools.specs(input.agent, run.id);
  const steps = [...input.steps];
  const budget = new Budget(deps.limits, input.spentTodayUsd);
  const writer = new AnswerWriter(feed, clock, deps.redact, (text) =>
    stores.runs.setPartial(tenant, run.id, text),
  );
  const calls = new Calls({
    tenant,
    sessionId: run.sessionId,
    runId: run.id,
    surface: run.surface,
    tools: deps.tools,
    clock,
    ids,
    feed,
    budget,
    signal,
    waiting: input.waiting,
    addStep,
  });
  await calls.resume(input.steps);
  if (signal.aborted) return failed(abortedFailure());

  // Bounded by Budget.beginLap: limits.laps.
  for (;;) {
    const overBudget = budget.beginLap();
    if (overBudget) return failed(overBudget);

    writer.beginLap();
    const answer = await ask();
    writer.endLap();
    if (!answer)
      return failed(
        failure("BAD_REPLY", "The model's answer ended without saying so. Nothing was done. Try again."),
      );
    const lap = lapUsage(answer.usage);
    if (lap) budget.endLap(lap.usage, lap.costUsd);
    if (answer.type === "failed") return failed(answer.failure, answer.blocks, lap);

    const blocks = await kept(answer.blocks);
    const message: Message = {
      id: ids.next("message"),
      ts: clock.now(),
      role: "assistant",
      origin: "model",
      blocks,
      meta: { model: modelName, stopReason: answer.stopReason, usage: answer.usage },
    };
    const asked = blocks.filter((b): b is ToolUseBlock => b.type === "tool_use");
    if (asked.length > 0) {
      await addStep(message, lap);
      const stopped = await calls.make(asked);
      if (stopped) return failed(stopped);
      if (signal.aborted) return failed(abortedFailure());
    } else if (answer.stopReason === "pause_turn") {
      await addStep(message, lap);
    } else if (answer.stopReason === "refusal") {
      return failed(refused(answer.note), blocks, lap);
    } else if (answer.stopReason === "context_full") {
      return failed(contextFull(), blocks, lap);
    } else {
      return doneOutcome(message, answer.stopReason, {
        lap,
        activity: await calls.activity(),
        usage: budget.usage,
      });
    }
  }

  async function ask(): Promise<Extract<ModelEvent, { type: "done" | "failed" }> | undefined> {
    const request: ModelRequest = {
      model: model.ref.model,
      system,
      messages: toModelMessages([...input.earlier, ...steps], deps.localTime),
      tools: deps.tools.specs(input.agent, run.id),
      maxOutputTokens: Math.min(model.maxOutputTokens, budget.tokensLeft),
      cacheKey: run.sessionId,
      readBlob: (blobId) => stores.blobs.read(tenant, blobId),
      writeBlob: async (bytes, mime) => (await stores.blobs.put(tenant, bytes, mime, clock.now())).blobId,
      signal,
    };
    for await (const event of model.provider.chat(request)) {
      if (event.type === "done" || event.type === "failed") return event;
      await writer.take(event);
    }
    return undefined;
  }

  async function addStep(message: Message, lap?: LapUsage): Promise<void> {
    await stores.runs.addStep(tenant, run.id, message, lap);
    steps.push(message);
  }

  function lapUsage(usage: Usage | undefined): LapUsage | undefined {
    if (!usage) return undefined;
    const cost = price && costUsd(usage, price);
    return { model: modelName, usage, at: clock.now(), ...(cost === undefined ? {} : { costUsd: cost }) };
  }

  /** As it may be journaled: our own call ids, which are unique for ever, and no secret. */
  async function kept(blocks: readonly Block[]): Promise<Block[]> {
    const out: Block[] = [];
    for (const block of blocks) {
      if (block.type === "tool_use") {
        const callId = ids.next("call");
        const { malformed } = block;
        const input = await deps.tools.seal(tenant, callId, block.input);
        out.push({
          ...block,
          callId,
          input,
          ...(malformed === undefined ? {} : { malformed: deps.redact(malformed) }),
        });
      } else if (block.type === "text") out.push({ ...block, text: deps.redact(block.text) });
      // Signed thinking cannot be changed, only kept whole or left out.
      else if (block.type !== "thinking" || isClean(block)) out.push(block);
    }
    return out;
  }

  function isClean({ text, opaque }: Extract<Block, { type: "thinking" }>): boolean {
    return deps.redact(text) === text && (opaque === undefined || deps.redact(opaque.data) === opaque.data);
  }

  async function failed(reason: Failure, blocks: readonly Block[] = [], lap?: LapUsage): Promise<RunOutcome> {
    return failedOutcome(
      reason,
      await kept(blocks.filter((b) => b.type !== "tool_use")),
      { lap, activity: await calls.activity(), usage: budget.usage, model: modelName },
      { ids, clock },
    );
  }
}

function refused(note: string | undefined): Failure {
  const said = note ? ` It said: ${note}` : "";
  return failure(
    "REFUSED",
    `The model declined to answer this.${said} Nothing was done. Rephrase it, or use another model.`,
  );
}

function contextFull(): Failure {
  return failure(
    "CONTEXT_FULL",
    "This conversation no longer fits into the model's context. Your message is kept. Start a new session, or use a model with a larger context.",
  );
}
