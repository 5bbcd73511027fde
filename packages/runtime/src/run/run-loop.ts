import { failure, type Failure } from "@elwood/core/base/failure";
import type { RunLimits } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import { textOf, type Block, type Message, type ToolUseBlock } from "@elwood/core/message/message";
import { formatModelRef, type ModelEvent, type StopReason } from "@elwood/core/model/model";
import type { LapUsage, PriceRow } from "@elwood/core/model/price";
import type { Redactor } from "@elwood/core/base/redact";
import type { Run, SessionSettings } from "@elwood/core/message/session";
import { contextFull, refused } from "./answer-end.ts";
import { ModelAsker } from "./ask-model.ts";
import { AnswerWriter } from "./answer-writer.ts";
import { Budget } from "./budget.ts";
import { Calls } from "./calls.ts";
import { callTexts, type CheckedReply, checkReply, hasAttachment, ownerWordsOf } from "./check-reply.ts";
import type { Payload, RunFeed } from "./feed.ts";
import type { ModelHistory } from "./history.ts";
import { abortedFailure, doneOutcome, failedOutcome, type RunOutcome } from "./outcome.ts";
import type { Agent, Clock, Ids, ResolvedModel, RunRecorder, Stores, ToolHost } from "../ports/ports.ts";
import { systemPrompt } from "./prompt.ts";
import { recalledIn } from "./recall.ts";
import { RunContext, type ContextDeps } from "../compaction/context.ts";
import { escapeReserved } from "@elwood/core/grounding/reserved";

export interface RunLoopDeps extends ContextDeps {
  readonly history: ModelHistory;
  readonly recorder: RunRecorder;
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
  /** Of the session. */
  readonly settings: SessionSettings;
  /** Messages of earlier runs of the session. */
  readonly earlier: readonly Message[];
  /** Messages of this run that are journaled already; the inbound one first. */
  readonly steps: readonly Message[];
  readonly spentTodayUsd: number;
  readonly feed: RunFeed;
  readonly signal: AbortSignal;
  /** Called when the run begins to wait for a person, and when it no longer does. */
  readonly waiting: (waiting: boolean) => void;
}

/**
 * One run: asks the model, makes the calls it asks for, and repeats, until it has answered.
 *
 * L1 Each complete message is journaled before the next thing happens: a crash costs at
 *    most the answer being written, never a finished call.
 * L2 A call whose result is not in the journal when the run resumes goes to the gate under its old
 *    id; the gate continues it and never makes it twice.
 * L3 The loop knows nothing of who listens; it only emits into the feed.
 * L4 An answer is never withdrawn. If it claims what its calls did not do, the model is told so once
 *    and continues from it, calls included; the reply is everything it wrote.
 */
export async function runLoop(input: RunInput, deps: RunLoopDeps): Promise<RunOutcome> {
  const loop = beginLoop(input, deps);
  const ended = await resumeSteps(loop);
  if (ended) return ended;
  // Bounded by Budget.beginLap: limits.laps.
  for (;;) {
    const outcome = await makeLap(loop);
    if (outcome) return outcome;
  }
}

/** The state of a run in progress. */
interface LoopState {
  readonly input: RunInput;
  readonly deps: RunLoopDeps;
  /** As provider/model. */
  readonly modelName: string;
  readonly budget: Budget;
  readonly writer: AnswerWriter;
  readonly asker: ModelAsker;
  readonly calls: Calls;
  /** The run's messages so far. */
  readonly steps: readonly Message[];
  /** L1: journals a message and adds it to the steps. */
  readonly addStep: (message: Message, lap?: LapUsage) => Promise<void>;
  /** L4: the part of the answer that the model was asked to continue from, if it was. */
  readonly delivered: Message[];
}

function beginLoop(input: RunInput, deps: RunLoopDeps): LoopState {
  const { tenant, run, agent, model, settings, earlier, feed, signal, waiting } = input;
  const { stores, clock, ids, tools } = deps;
  const { id: runId, sessionId, surface } = run;
  const system = systemPrompt(agent, settings.system);
  const specs = () => tools.specs(agent, runId, tenant);
  // Pins the tools of this run: a reload no longer changes them.
  specs();
  const steps = [...input.steps];
  const addStep = async (message: Message, lap?: LapUsage) => {
    await stores.runs.addStep(tenant, runId, message, lap);
    steps.push(message);
  };
  const budget = new Budget(deps.limits, input.spentTodayUsd);
  const writer = new AnswerWriter(feed, clock, deps.redact, (text) =>
    stores.runs.setPartial(tenant, runId, text),
  );
  const notify = (notice: Payload<"chat.notice">) => feed.emit("chat.notice", notice);
  const about = { tenant, sessionId, model, system, specs, earlier, steps, budget, notify, signal, addStep };
  const context = new RunContext(about, deps);
  const asker = new ModelAsker(
    { tenant, run, model, settings, system, specs, context, budget, writer, signal },
    deps,
  );
  const { shownChars } = context;
  const job = steps.find(({ meta }) => meta?.job !== undefined)?.meta?.job;
  const [begun] = steps;
  const sender = begun?.origin === "owner" ? undefined : begun?.meta?.sender?.name;
  const ofRun = { tenant, sessionId, runId, surface, job, asker: sender, tools, feed, signal, waiting };
  const calls = new Calls({ ...ofRun, clock, ids, budget, addStep, shownChars });
  const delivered = steps.filter(({ meta }) => meta?.continued === true);
  const modelName = formatModelRef(model.ref);
  return { input, deps, modelName, budget, writer, asker, calls, steps, addStep, delivered };
}

/** Continues where an earlier process left the run; does nothing for a new run (L2). */
async function resumeSteps(loop: LoopState): Promise<RunOutcome | undefined> {
  const { writer, calls, steps, addStep, delivered, deps } = loop;
  const { feed, signal, steps: stored } = loop.input;
  for (const part of delivered) await writer.keep(textOf(part));
  if (stored.some(hasCalls)) feed.hold();
  await calls.resume(stored);
  if (signal.aborted) return failed(loop, abortedFailure());
  if (steps.at(-1)?.meta?.continued !== true) return undefined;
  // A process died before the note for the repair lap was journaled; draft and receipts determine it.
  const checked = await checkedReply(loop, []);
  const { repair } = checked.grounded;
  if (repair === undefined) return nothingAdded(loop, checked);
  await addStep(gatewayNote(repair, deps));
  return undefined;
}

/** Asks the model once, and makes the calls it asks for. Returns undefined if the run goes on. */
async function makeLap(loop: LoopState): Promise<RunOutcome | undefined> {
  const { budget, asker, calls, addStep, delivered } = loop;
  const { feed, signal } = loop.input;
  const overBudget = budget.beginLap();
  if (overBudget) return failed(loop, overBudget);

  // After an answer that it was asked to continue (L4), the model may add nothing.
  const { answer, lap } = await asker.askForAnswer({ mayBeEmpty: delivered.length > 0 });
  if (!answer)
    return failed(loop, failure("BAD_REPLY", "The model's answer ended without saying so. Try again."));
  if (answer.type === "failed") return failed(loop, answer.failure, answer.blocks, lap);

  const message = await messageOf(loop, answer);
  const { blocks } = message;
  const asked = blocks.filter((b): b is ToolUseBlock => b.type === "tool_use");
  if (asked.length > 0) {
    feed.hold();
    await addStep(await asPreamble(message), lap);
    const stopped = await calls.make(asked);
    if (stopped) return failed(loop, stopped);
    return signal.aborted ? failed(loop, abortedFailure()) : undefined;
  }
  if (answer.stopReason === "pause_turn") {
    await addStep(await asPreamble(message), lap);
    return undefined;
  }
  if (answer.stopReason === "refusal") return failed(loop, refused(answer.note), blocks, lap);
  if (answer.stopReason === "context_full") return failed(loop, contextFull(), blocks, lap);
  return answered(loop, message, answer.stopReason, lap);
}

/** The model has answered. Returns undefined if it is asked to continue (L4). */
async function answered(
  loop: LoopState,
  message: Message,
  stopReason: StopReason,
  lap?: LapUsage,
): Promise<RunOutcome | undefined> {
  const { budget, writer, addStep, delivered, deps } = loop;
  const { signal } = loop.input;
  const isEmpty = textOf(message) === "" && !message.blocks.some(({ type }) => type === "image");
  const checked = await checkedReply(loop, isEmpty ? [] : [message]);
  const { repair } = checked.grounded;
  if (repair !== undefined && delivered.length === 0 && COMPLETE.has(stopReason) && !signal.aborted) {
    const draft = await asPreamble({ ...message, meta: { ...message.meta, continued: true } });
    await addStep(draft, lap);
    await addStep(gatewayNote(repair, deps));
    delivered.push(draft);
    await writer.keep(textOf(draft));
    return undefined;
  }
  if (isEmpty && delivered.length > 0) return nothingAdded(loop, checked, lap);
  return doneOutcome(message, stopReason, { lap, checked, usage: budget.usage });
}

/** L4: the answer is what was delivered before, in a message of its own; the journaled part is shown nowhere. */
function nothingAdded(loop: LoopState, checked: CheckedReply, lap?: LapUsage): RunOutcome {
  const { modelName, budget, delivered, deps } = loop;
  const message: Message = {
    id: deps.ids.next("message"),
    ts: deps.clock.now(),
    role: "assistant",
    origin: "model",
    blocks: delivered.flatMap(({ blocks }) => blocks),
    meta: { model: modelName, stopReason: "end_turn", ...(lap ? { usage: lap.usage } : {}) },
  };
  return doneOutcome(message, "end_turn", { lap, checked, usage: budget.usage });
}

async function failed(
  loop: LoopState,
  reason: Failure,
  blocks: readonly Block[] = [],
  lap?: LapUsage,
): Promise<RunOutcome> {
  const { modelName, budget, asker, delivered, deps } = loop;
  // L4: a repair lap that fails takes nothing away from the answer.
  if (delivered.length > 0 && reason.reason !== "ABORTED")
    return nothingAdded(loop, await checkedReply(loop, []), lap);
  const spoken = [...delivered.flatMap((part) => part.blocks), ...blocks];
  const kept = await storable(
    spoken.filter((b) => b.type !== "tool_use"),
    loop.input.tenant,
    deps,
  );
  const spent = { lap, usage: budget.usage, model: modelName, asked: asker.pending };
  return failedOutcome(reason, kept, spent, deps);
}

async function checkedReply(loop: LoopState, more: readonly Message[]): Promise<CheckedReply> {
  const { calls, steps, delivered, deps } = loop;
  const { tenant, run, earlier } = loop.input;
  return checkReply({
    parts: [...delivered, ...more],
    // What was recalled is on record too; only where the model asked for calls can there be any.
    activity: steps.some(hasCalls) ? await calls.activity() : [],
    earlier: async () => {
      const all = await deps.tools.sessionActivity(tenant, run.sessionId, { runId: run.id });
      return all.filter((item) => item.runId !== run.id);
    },
    callText: callTexts([...earlier, ...steps]),
    ownerWords: ownerWordsOf(steps[0]),
    recalled: recalledIn(steps) !== undefined,
    attached: hasAttachment(steps[0]),
  });
}

function hasCalls({ blocks }: Message): boolean {
  return blocks.some(({ type }) => type === "tool_use");
}

function gatewayNote(text: string, { ids, clock }: Pick<RunLoopDeps, "ids" | "clock">): Message {
  return {
    id: ids.next("message"),
    ts: clock.now(),
    role: "user",
    origin: "gateway",
    blocks: [{ type: "text", text, origin: "gateway" }],
  };
}

async function messageOf(
  { input, deps, modelName, asker }: LoopState,
  { blocks, stopReason, usage, answeredBy }: Extract<ModelEvent, { type: "done" }>,
): Promise<Message> {
  const asked = asker.takePending();
  return {
    id: deps.ids.next("message"),
    ts: deps.clock.now(),
    role: "assistant",
    origin: "model",
    blocks: await storable(blocks, input.tenant, deps),
    meta: {
      model: answeredBy ? formatModelRef(answeredBy.ref) : modelName,
      stopReason,
      usage,
      ...(asked ? { asked } : {}),
    },
  };
}

/** Blocks as they may be journaled: with our own, unique call ids, and without secrets. */
async function storable(
  blocks: readonly Block[],
  tenant: string,
  { ids, tools, redact }: Pick<RunLoopDeps, "ids" | "tools" | "redact">,
): Promise<Block[]> {
  const out: Block[] = [];
  for (const block of blocks) {
    if (block.type === "tool_use") {
      const callId = ids.next("call");
      const { malformed } = block;
      const input = await tools.storeSecrets(tenant, callId, block.input);
      out.push({
        ...block,
        callId,
        // A name that the model made up may contain a secret too; its replacement must still be a name.
        toolId: redact(block.toolId, () => "redacted"),
        input,
        ...(malformed === undefined ? {} : { malformed: redact(malformed) }),
      });
    } else if (block.type === "text") out.push({ ...block, text: redact(block.text) });
    // Signed thinking cannot be changed, only kept whole or left out.
    else if (block.type !== "thinking" || isClean(block, redact)) out.push(block);
  }
  return out;
}

function isClean({ text, opaque }: Extract<Block, { type: "thinking" }>, redact: Redactor): boolean {
  return redact(text) === text && (opaque === undefined || redact(opaque.data) === opaque.data);
}

/** Stop reasons of a complete answer. */
const COMPLETE: ReadonlySet<StopReason> = new Set(["end_turn", "stop_sequence"]);

/** Text before a tool call: stored and shown as a preamble without the gateway's glyphs, never as the reply. */
async function asPreamble(message: Message): Promise<Message> {
  const blocks = message.blocks.map((block) =>
    block.type === "text" ? { ...block, text: escapeReserved(block.text) } : block,
  );
  return { ...message, blocks };
}
