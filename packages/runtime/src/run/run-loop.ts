import { failure, type Failure } from "@elwood/core/base/failure";
import { LIMITS, type RunLimits } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import {
  textOf,
  type Asked,
  type Block,
  type Message,
  type ToolUseBlock,
  type Usage,
} from "@elwood/core/message/message";
import {
  formatModelRef,
  type ModelEvent,
  type ModelRequest,
  type StopReason,
} from "@elwood/core/model/model";
import { costUsd, priceOf, type PriceRow } from "@elwood/core/model/price";
import type { Redactor } from "@elwood/core/base/redact";
import type { Run } from "@elwood/core/message/session";
import { bothLaps, contextFull, isSilent, overflows, refused } from "./answer-end.ts";
import { AnswerWriter } from "./answer-writer.ts";
import { Budget } from "./budget.ts";
import { Calls } from "./calls.ts";
import {
  callTexts,
  type CheckedReply,
  checkReply,
  hasAttachment,
  loadGrounding,
  loadReserved,
  ownerWordsOf,
} from "./check-reply.ts";
import type { ContextDeps } from "../compaction/context.ts";
import type { RunFeed } from "./feed.ts";
import { toModelMessages } from "./history.ts";
import { abortedFailure, doneOutcome, failedOutcome, type RunOutcome } from "./outcome.ts";
import type { Agent, Clock, Ids, LapUsage, ResolvedModel, Stores, ToolHost } from "../ports/ports.ts";
import { systemPrompt } from "./prompt.ts";
import { recalledIn } from "./recall.ts";
import { RunContext } from "../compaction/context.ts";

export interface RunLoopDeps extends ContextDeps {
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
 * L4 An answer is never taken back. Where it claims what its calls did not do, the model is
 *    told once and goes on from it, calls included; the reply is all that it wrote.
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
    shownChars: (text, siblings) => context.shownChars(text, siblings),
  });
  /** When the model was asked for the answer that is not there yet. */
  let asking: Asked | undefined;
  const { sessionId } = run;
  const specs = () => deps.tools.specs(input.agent, run.id);
  const { earlier } = input;
  const about = { tenant, sessionId, model, system, specs, earlier, steps, budget, feed, signal, addStep };
  const context = new RunContext(about, deps);
  const ownerWords = ownerWordsOf(input.steps[0]);
  /** L4: the part of the answer that the model was asked to go on from, where it was. */
  const delivered = steps.filter(({ meta }) => meta?.continued === true);
  for (const part of delivered) await writer.keep(textOf(part));
  if (input.steps.some(({ blocks }) => blocks.some(({ type }) => type === "tool_use"))) feed.hold();
  await calls.resume(input.steps);
  if (signal.aborted) return failed(abortedFailure());
  // A process died between the two; what a repair lap is told follows from the draft and the receipts.
  if (steps.at(-1)?.meta?.continued === true) {
    const checked = await checkedReply([]);
    const { repair } = checked.grounded;
    if (repair === undefined) return nothingAdded(checked);
    await addStep(gatewayNote(repair));
  }

  // Bounded by Budget.beginLap: limits.laps.
  for (;;) {
    const overBudget = budget.beginLap();
    if (overBudget) return failed(overBudget);

    const { answer, lap } = await askForWords();
    if (!answer)
      return failed(failure("BAD_REPLY", "The model's answer ended without saying so. Try again."));
    if (answer.type === "failed") return failed(answer.failure, answer.blocks, lap);

    const message = await messageOf(answer);
    const { blocks } = message;
    const asked = blocks.filter((b): b is ToolUseBlock => b.type === "tool_use");
    if (asked.length > 0) {
      feed.hold();
      await addStep(await asPreamble(message), lap);
      const stopped = await calls.make(asked);
      if (stopped) return failed(stopped);
      if (signal.aborted) return failed(abortedFailure());
    } else if (answer.stopReason === "pause_turn") {
      await addStep(await asPreamble(message), lap);
    } else if (answer.stopReason === "refusal") {
      return failed(refused(answer.note), blocks, lap);
    } else if (answer.stopReason === "context_full") {
      return failed(contextFull(), blocks, lap);
    } else {
      const outcome = await answered(message, answer.stopReason, lap);
      if (outcome) return outcome;
    }
  }

  /** The answer is there. undefined where the model goes on from it (L4). */
  async function answered(
    message: Message,
    stopReason: StopReason,
    lap?: LapUsage,
  ): Promise<RunOutcome | undefined> {
    const isEmpty = textOf(message) === "" && !message.blocks.some(({ type }) => type === "image");
    const checked = await checkedReply(isEmpty ? [] : [message]);
    const { repair } = checked.grounded;
    if (repair !== undefined && delivered.length === 0 && COMPLETE.has(stopReason) && !signal.aborted) {
      const draft = await asPreamble({ ...message, meta: { ...message.meta, continued: true } });
      await addStep(draft, lap);
      await addStep(gatewayNote(repair));
      delivered.push(draft);
      await writer.keep(textOf(draft));
      return undefined;
    }
    if (isEmpty && delivered.length > 0) return nothingAdded(checked, lap);
    return doneOutcome(message, stopReason, { lap, checked, usage: budget.usage });
  }

  /** L4: the answer is what was delivered, in a message of its own: the part that the journal holds is shown nowhere. */
  function nothingAdded(checked: CheckedReply, lap?: LapUsage): RunOutcome {
    const message: Message = {
      id: ids.next("message"),
      ts: clock.now(),
      role: "assistant",
      origin: "model",
      blocks: delivered.flatMap(({ blocks }) => blocks),
      meta: { model: modelName, stopReason: "end_turn", ...(lap ? { usage: lap.usage } : {}) },
    };
    return doneOutcome(message, "end_turn", { lap, checked, usage: budget.usage });
  }

  async function checkedReply(more: readonly Message[]): Promise<CheckedReply> {
    return checkReply({
      parts: [...delivered, ...more],
      activity: await calls.activity(),
      earlier: async () => {
        const all = await deps.tools.sessionActivity(tenant, sessionId, { runId: run.id });
        return all.filter((item) => item.runId !== run.id);
      },
      callText: callTexts([...earlier, ...steps]),
      ownerWords,
      recalled: recalledIn(steps) !== undefined,
      attached: hasAttachment(steps[0]),
    });
  }

  function gatewayNote(text: string): Message {
    return {
      id: ids.next("message"),
      ts: clock.now(),
      role: "user",
      origin: "gateway",
      blocks: [{ type: "text", text, origin: "gateway" }],
    };
  }

  /** A model that says nothing at all is asked once more, silently. Where it was to go on from an answer (L4), silence is one. */
  async function askForWords(): ReturnType<typeof ask> {
    let asked = await ask([]);
    for (let again = 0; again < LIMITS.emptyAnswerRetriesMax; again += 1) {
      if (!isSilent(asked.answer) || delivered.length > 0 || signal.aborted || budget.beginLap()) break;
      const next = await ask([]);
      const both = bothLaps(asked.lap, next.lap);
      asked = { ...next, ...(both ? { lap: both } : {}) };
    }
    return asked;
  }

  async function ask(
    more: readonly Message[],
    again = false,
  ): Promise<{ answer?: Extract<ModelEvent, { type: "done" | "failed" }>; lap?: LapUsage }> {
    const prepared = await context.prepare(more);
    if ("reason" in prepared) return { answer: { type: "failed", failure: prepared, blocks: [] } };
    writer.beginLap();
    asking = { at: clock.now() };
    const request: ModelRequest = {
      model: model.ref.model,
      system,
      messages: toModelMessages(prepared, deps.localTime),
      tools: specs(),
      maxOutputTokens: Math.min(context.outputTokens(prepared), budget.tokensLeft),
      cacheKey: run.sessionId,
      readBlob: (blobId) => stores.blobs.read(tenant, blobId),
      writeBlob: async (bytes, mime) => (await stores.blobs.put(tenant, bytes, mime, clock.now())).blobId,
      signal,
    };
    const answering = lastOf(model.provider.chat(request));
    // There is time for it now, and it is needed as soon as the answer is there.
    void loadGrounding();
    const answer = await answering;
    writer.endLap();
    const lap = answer && lapUsage(answer.usage);
    if (lap) budget.endLap(lap.usage, lap.costUsd);
    if (!again && overflows(answer) && (await context.overflowed(more))) {
      const next = await ask(more, true);
      const both = bothLaps(lap, next.lap);
      return { ...next, ...(both ? { lap: both } : {}) };
    }
    return { ...(answer ? { answer } : {}), ...(lap ? { lap } : {}) };
  }

  async function lastOf(events: AsyncIterable<ModelEvent>) {
    for await (const event of events) {
      if (event.type === "done" || event.type === "failed") return event;
      if (event.type === "retry") noteRetry(event);
      await writer.take(event);
    }
    return undefined;
  }

  /** It goes to disk with the message; a retry alone is not worth a commit. */
  function noteRetry({ failure: { reason }, delayMs }: Extract<ModelEvent, { type: "retry" }>): void {
    if (!asking) return;
    asking = { ...asking, retries: [...(asking.retries ?? []), { at: clock.now(), reason, delayMs }] };
  }

  async function messageOf({ blocks, stopReason, usage }: Extract<ModelEvent, { type: "done" }>) {
    const asked = asking ? { asked: asking } : {};
    asking = undefined;
    return {
      id: ids.next("message"),
      ts: clock.now(),
      role: "assistant",
      origin: "model",
      blocks: await kept(blocks),
      meta: { model: modelName, stopReason, usage, ...asked },
    } satisfies Message;
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
        const input = await deps.tools.storeSecrets(tenant, callId, block.input);
        out.push({
          ...block,
          callId,
          // A name that the model made up may hold one too; what takes its place must still be a name.
          toolId: deps.redact(block.toolId, () => "redacted"),
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
    // L4: a lap that was to add something and did not takes nothing from the answer.
    if (delivered.length > 0 && reason.reason !== "ABORTED") return nothingAdded(await checkedReply([]), lap);
    const spoken = [...delivered.flatMap((part) => part.blocks), ...blocks];
    return failedOutcome(
      reason,
      await kept(spoken.filter((b) => b.type !== "tool_use")),
      { lap, usage: budget.usage, model: modelName, asked: asking },
      { ids, clock },
    );
  }
}

/** Endings after which an answer says all that it was to say. */
const COMPLETE: ReadonlySet<StopReason> = new Set(["end_turn", "stop_sequence"]);

/** Text before a tool call: stored and shown as a preamble without the gateway's glyphs, never as the reply. */
async function asPreamble(message: Message): Promise<Message> {
  const { escapeReserved } = await loadReserved();
  const blocks = message.blocks.map((block) =>
    block.type === "text" ? { ...block, text: escapeReserved(block.text) } : block,
  );
  return { ...message, blocks };
}
