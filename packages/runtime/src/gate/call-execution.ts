import type { Approval } from "@elwood/core/policy/approval";
import type { Decider, NewReceipt } from "@elwood/core/receipts/receipt";
import type { Clock, Log, ToolCallContext, ToolOutcome } from "../ports/ports.ts";
import { errorOutcome, failedOutcome, processOutput, toToolOutcome } from "./call-outcome.ts";
import { newQuestion, newToolQuestion, ownerRemarks } from "./approvals.ts";
import type { Begun } from "./call-transitions.ts";
import { UnknownOutcomes } from "./unknown-outcome.ts";
import type {
  CallOutcome,
  CallRow,
  Ending,
  HandlerContext,
  LedgerChange,
  RegisteredTool,
  Vault,
  HandlerFailure,
} from "../ports/gate-ports.ts";
import type { GateDeps } from "./gate-deps.ts";
import { LedgerRefused, mustWrite } from "./must-write.ts";
import { PROGRAM_TOOL } from "./program-tools.ts";
import { originOf, type ReceiptFactory, stopMark, stopperOf } from "./receipt-factory.ts";
import type { Result } from "@elwood/core/base/result";
import type { ToolResult } from "@elwood/core/tool/tool";
import { settlesImmediately, withDeadline } from "../async/deadline.ts";

/** Runs calls whose `started` receipt is durable, and resolves those that a crash interrupted. */
export class CallExecution {
  readonly #deps: GateDeps;
  readonly #receiptFactory: ReceiptFactory;
  /** Calls that this process started, and why it could; the outcome of any other `started` row is unknown. */
  readonly #ours = new Map<string, Begun>();
  readonly #unknownOutcomes: UnknownOutcomes;

  constructor(deps: GateDeps, receiptFactory: ReceiptFactory) {
    this.#deps = deps;
    this.#receiptFactory = receiptFactory;
    this.#unknownOutcomes = new UnknownOutcomes(deps, receiptFactory, (...end) => this.#record(...end));
  }

  /** Answers how to take it back. */
  began(callId: string, begun: Begun = {}): () => void {
    const before = this.#ours.get(callId);
    this.#ours.set(callId, begun);
    return () => {
      if (before) this.#ours.set(callId, before);
      else this.#ours.delete(callId);
    };
  }

  /** Returns undefined if the gateway is stopping; the call resumes at the next start. */
  async run(row: CallRow, context: ToolCallContext): Promise<ToolOutcome | undefined> {
    const tool = this.#deps.toolSnapshot(row.runId).get(row.toolId);
    if (!tool)
      return this.end(row, context, undefined, {
        kind: "no-answer",
        why: "broke",
        detail: "the tool is no longer there",
      });
    if (tool.kind === "question") return this.#askOwner(row, context, tool);
    let again = false;
    if (!this.#ours.has(row.callId)) {
      await this.#withdrawQuestions(row, context);
      // Nobody knows whether the previous process made the call: only our own calls are known not to have begun.
      if (wasStopped(context)) return this.close(row, context, stopperOf(context));
      if (!(await this.#mayRepeat(row, context, tool)))
        return this.#unknownOutcomes.resolveUnknownOutcome(row, context, tool, "crash");
      again = true;
      await this.#noteAgain(row, context);
      if (wasStopped(context)) return this.close(row, context, stopperOf(context));
    } else {
      await this.#deps.approvals.told(row.approvalId, context.signal);
      if (wasStopped(context))
        return this.end(row, context, tool, { kind: "failed", code: "stopped", message: NOT_BEGUN });
    }
    context.started();
    const input = await this.#deps.vault.open(context.tenant, row.callId, row.executedInput);
    const parsed = tool.parseInput(input);
    if (!parsed.ok)
      return this.end(row, context, tool, { kind: "failed", code: "invalid", message: parsed.error });
    const make = () =>
      execute(tool, (handler) => tool.handle(parsed.value, handler), {
        ...this.options(row, context),
        ask: (question, options, over) => this.#askForTool(row, context, question, options, over),
        pausing: (answer) => whileWaiting(context, answer),
      });
    let ending = await make();
    if (!again && (await this.#calledFor(ending, row, context, tool))) {
      // While stopping, the retry is left to the next start.
      if (context.signal.aborted) return undefined;
      again = true;
      await this.#noteAgain(row, context);
      ending = await make();
    }
    return this.end(row, context, tool, again ? asSecondTry(ending, tool) : ending);
  }

  /** The options for running a handler of this call. */
  options(row: CallRow, context: ToolCallContext) {
    return {
      clock: this.#deps.clock,
      signal: context.signal,
      tenant: context.tenant,
      callId: row.callId,
      sessionId: row.sessionId,
      runId: row.runId,
      idempotencyKey: row.idempotencyKey,
      progress: (message: string) =>
        context.progress(this.#deps.redact(message).slice(0, PROGRESS_CHARS_MAX)),
      ...(this.#ours.get(row.callId)?.undoPromised === true && { undoPromised: true }),
      ...(context.shownChars && { shownChars: context.shownChars }),
    };
  }

  /** A question of the tool's own, while its call is under way; it is withdrawn when the call ends. */
  async #askForTool(
    row: CallRow,
    context: ToolCallContext,
    question: string,
    options: readonly string[],
    over: AbortSignal,
  ): Promise<string | undefined> {
    const { ledger, approvals } = this.#deps;
    const { tenant } = context;
    const asked = newToolQuestion(this.#deps, row, question, options);
    const changes: readonly LedgerChange[] = [{ kind: "approval.new", approval: asked }];
    if (!(await ledger.write(tenant, { receipts: [], changes })).ok) return undefined;
    approvals.requested(tenant, asked);
    context.waiting(true);
    try {
      const answered = await approvals.wait(tenant, asked.id, AbortSignal.any([context.signal, over]));
      if (!answered) await approvals.withdraw(tenant, asked.id, stopperOf(context), CALL_OVER);
      return answered?.status === "approved" ? (answered.note ?? "") : undefined;
    } finally {
      context.waiting(false);
    }
  }

  /** Nobody waits any more for what a tool asked before a crash. */
  async #withdrawQuestions({ callId, toolId }: CallRow, context: ToolCallContext): Promise<void> {
    const { ledger, approvals } = this.#deps;
    const open = await ledger.approvals(context.tenant, { status: "pending", toolId, limit: QUESTIONS_MAX });
    for (const each of open)
      if (each.callId === callId && each.card.rule === "tool.question")
        await approvals.withdraw(context.tenant, each.id, stopperOf(context), CALL_OVER);
  }

  /** A question of the model's: a durable wait like an approval; the answer is the result. */
  async #askOwner(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
  ): Promise<ToolOutcome | undefined> {
    const { ledger, approvals, clock, ids } = this.#deps;
    const { tenant, signal } = context;
    const id = row.approvalId ?? ids.next("approval");
    if (row.approvalId === undefined) {
      const asked: Approval = { ...newQuestion(this.#deps, row, tool, context), id };
      const written = await ledger.write(tenant, {
        receipts: [],
        changes: [
          { kind: "approval.new", approval: asked },
          {
            kind: "call.move",
            callId: row.callId,
            from: ["started"],
            to: "started",
            at: clock.now(),
            approvalId: id,
          },
        ],
      });
      if (!written.ok) {
        // The call was ended meanwhile: nobody is asked, and what was recorded of it counts.
        const now = await ledger.call(tenant, row.callId);
        if (now?.outcome) return toToolOutcome(now, now.outcome);
        throw new LedgerRefused(written.error.refused, `call ${row.callId}`);
      }
      approvals.requested(tenant, asked);
    }
    context.started();
    context.waiting(true);
    try {
      const answered = await approvals.wait(tenant, id, signal);
      if (answered?.status === "approved") {
        return this.end(row, context, tool, {
          kind: "succeeded",
          result: {
            value: { answer: answered.note ?? "" },
            text: `The owner answers: ${answered.note ?? ""}`,
          },
        });
      }
      if (!answered && signal.reason === "shutdown") return undefined;
      if (!answered) return await this.close({ ...row, approvalId: id }, context, stopperOf(context));
      const message = "The owner did not answer in time.";
      return this.end(row, context, tool, {
        kind: "failed",
        code: "expired",
        message,
      });
    } finally {
      context.waiting(false);
    }
  }

  /** Whether to retry a call that gave no answer: with the same idempotency key a retry has no second effect. */
  async #calledFor(
    ending: Ending,
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
  ): Promise<boolean> {
    if (ending.kind !== "no-answer" || ending.why === "stopped" || wasStopped(context)) return false;
    return tool.contract.risk !== "read" && this.#mayRepeat(row, context, tool);
  }

  async #noteAgain(row: CallRow, context: ToolCallContext): Promise<void> {
    const settled = this.#receiptFactory.receipt("tool.call.settled", originOf(context), row.callId, {
      toolId: row.toolId,
      by: "idempotent",
      outcome: "run-again",
    });
    await mustWrite(this.#deps.ledger, context.tenant, `call ${row.callId}`, {
      receipts: [settled],
      changes: [],
    });
    // Why another process could start it is not known here; where nobody was asked, it may have been that it can be undone.
    this.began(row.callId, this.#ours.get(row.callId) ?? { undoPromised: row.approvalId === undefined });
  }

  /** A retry needs the same, unchanged tool, and must still not be denied. */
  async #mayRepeat(row: CallRow, context: ToolCallContext, tool: RegisteredTool): Promise<boolean> {
    if (!isRepeatable(tool) || tool.contractHash !== row.contractHash) return false;
    const parsed = tool.parseInput(
      await this.#deps.vault.open(context.tenant, row.callId, row.executedInput),
    );
    if (!parsed.ok) return false;
    const verdict = await this.#deps.verdictFor(context.tenant, tool, parsed.value, row.sessionId, {
      runId: row.runId,
      callId: row.callId,
    });
    return verdict.decision !== "deny";
  }

  /** Ends a started call whose run is over. */
  async close(row: CallRow, context: ToolCallContext, decidedBy: Decider): Promise<ToolOutcome> {
    const tool = this.#deps.toolSnapshot(row.runId).get(row.toolId);
    if (tool?.kind === "question") {
      const note = "The run ended before the owner answered.";
      if (row.approvalId)
        await this.#deps.approvals.withdraw(context.tenant, row.approvalId, decidedBy, note);
      return this.end(row, context, tool, { kind: "failed", code: "stopped", message: note }, [], decidedBy);
    }
    if (tool?.contract.risk === "read") return this.end(row, context, tool, CUT_SHORT, [], decidedBy);
    // Our handler may still be running and take effect later.
    const why = this.#ours.has(row.callId) ? "stopped" : "run-over";
    return this.#unknownOutcomes.resolveUnknownOutcome(row, context, tool, why, { stopper: decidedBy });
  }

  /** Records how a handler ended, with further receipts in the same write. */
  async end(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    ending: Ending,
    more: readonly NewReceipt[] = [],
    /** Who or what stopped its run, where it was. */
    stopper: Decider = stopperOf(context),
  ): Promise<ToolOutcome> {
    if (ending.kind === "succeeded") return this.#succeeded(row, context, tool, ending, more);
    if (ending.kind === "no-answer") return this.#unanswered(row, context, tool, ending, stopper);
    const text = this.#deps.redact(ending.message);
    const receipt = this.#receiptFactory.receipt("tool.call.failed", originOf(context), row.callId, {
      toolId: row.toolId,
      code: ending.code,
      reason: text.slice(0, REASON_CHARS_MAX),
      ...stopMark(stopper),
    });
    const outcome = failedOutcome(this.#deps, ending.code, text, ending.quoted, row);
    return this.#record(row, context, "failed", outcome, [receipt, ...more]);
  }

  async #succeeded(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    { result, images: made = [] }: Extract<Ending, { kind: "succeeded" }>,
    more: readonly NewReceipt[],
  ): Promise<ToolOutcome> {
    const output = await processOutput(this.#deps, context.tenant, tool, result, row);
    const { outcome, value, outputInvalid } = output;
    if (outputInvalid) context.progress("its answer does not fit the schema that it declares");
    const images = [...(outcome.images ?? []), ...made];
    const body = this.#receiptFactory.body(value);
    const receipt = this.#receiptFactory.receipt("tool.call.succeeded", originOf(context), row.callId, {
      toolId: row.toolId,
      outputCommit: body.commit,
      ...(outputInvalid ? { outputInvalid: true } : {}),
      ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
      ...(result.truncated ? { truncated: true } : {}),
    });
    const shown = images.length > 0 ? { ...outcome, images } : outcome;
    const receipts = [receipt, ...more];
    return this.#record(row, context, "succeeded", shown, receipts, [{ kind: "body.put", body }]);
  }

  /** A call that only reads has failed; of any other it is unknown what it did. */
  async #unanswered(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    { why, detail: told, again = false }: Extract<Ending, { kind: "no-answer" }>,
    stopper: Decider,
  ): Promise<ToolOutcome> {
    const detail = this.#deps.redact(told).slice(0, REASON_CHARS_MAX);
    if (tool?.contract.risk !== "read") {
      const about = { detail, again, stopper };
      return this.#unknownOutcomes.resolveUnknownOutcome(row, context, tool, why, about);
    }
    const receipt = this.#receiptFactory.receipt("tool.call.failed", originOf(context), row.callId, {
      toolId: row.toolId,
      why,
      reason: detail,
      ...stopMark(stopper),
    });
    const text =
      row.toolId === PROGRAM_TOOL
        ? `The program did not come to its end (${detail}). Calls that it made stay as they are; they are listed below.`
        : `${row.toolId} gave no answer (${stopper.kind === "owner" ? "stopped by the owner" : detail}). It only reads, so nothing was changed.`;
    return this.#record(row, context, "failed", errorOutcome(why, text), [receipt]);
  }

  async #record(
    row: CallRow,
    context: ToolCallContext,
    to: CallRow["state"],
    ended: CallOutcome,
    receipts: readonly NewReceipt[],
    changes: readonly LedgerChange[] = [],
  ): Promise<ToolOutcome> {
    const { ledger, clock } = this.#deps;
    const words = row.approvalId && ownerRemarks(await this.#approval(row, context, row.approvalId));
    const outcome = words ? { ...ended, text: `${words}\n\n${ended.text}` } : ended;
    const move: LedgerChange = {
      kind: "call.move",
      callId: row.callId,
      from: ["started"],
      to,
      at: clock.now(),
      outcome,
    };
    const written = await ledger.write(context.tenant, { receipts, changes: [move, ...changes] });
    this.#ours.delete(row.callId);
    if (!written.ok) {
      // Another recorded an outcome first, and that one counts; or the call was erased with its session.
      const recorded = (await ledger.call(context.tenant, row.callId))?.outcome;
      return recorded ?? this.#unrecorded(row, outcome, written.error.refused);
    }
    await dropSecrets(this.#deps, context.tenant, row.callId);
    return outcome;
  }

  /** No success without a receipt: what the tool answered is passed on, marked as not recorded. */
  #unrecorded(
    { callId, toolId }: CallRow,
    { text }: CallOutcome,
    refused: LedgerChange["kind"],
  ): CallOutcome {
    this.#deps.log.error("the outcome of a call could not be recorded", {
      call: callId,
      tool: toolId,
      refused,
    });
    return errorOutcome(
      "unrecorded",
      `This call has ended, but its outcome could not be recorded (the ledger refused ${refused}), so there is no receipt of it. Do not repeat it. The tool answered: ${text}`,
    );
  }

  /** How it was approved, or how the owner answered. */
  async #approval(row: CallRow, context: ToolCallContext, approvalId: string): Promise<Approval | undefined> {
    const known = this.#ours.get(row.callId)?.approval;
    return known?.id === approvalId ? known : this.#deps.ledger.approval(context.tenant, approvalId);
  }
}

const CUT_SHORT: Ending = { kind: "no-answer", why: "stopped", detail: "its run ended before it answered" };
const CALL_OVER = "The call that asked is over.";
const QUESTIONS_MAX = 100;
const NOT_BEGUN = "The run was stopped before this call began. It was not made.";
const PROGRESS_CHARS_MAX = 2_000;
const REASON_CHARS_MAX = 500;

function wasStopped({ signal }: ToolCallContext): boolean {
  return signal.aborted && signal.reason !== "shutdown";
}

/** A failed retry says nothing about the first attempt, which may have taken effect. */
function asSecondTry(ending: Ending, { contract }: RegisteredTool): Ending {
  if (ending.kind === "succeeded" || contract.risk === "read") return ending;
  if (ending.kind === "no-answer") return { ...ending, again: true };
  return { kind: "no-answer", why: "broke", detail: ending.message, again: true };
}

/** Reads, and calls with an idempotency key, can be repeated safely. */
function isRepeatable({ contract }: RegisteredTool): boolean {
  return contract.risk === "read" || contract.idempotent;
}

/** Somebody is asked: the run takes no place meanwhile. */
async function whileWaiting(context: ToolCallContext, answer: Promise<unknown>): Promise<unknown> {
  context.waiting(true);
  try {
    return await answer;
  } finally {
    context.waiting(false);
  }
}

type Answer = Result<ToolResult, HandlerFailure>;

const GRACE_MS = 2_000;

/**
 * Runs a handler under its time limit. When the run is stopped the handler is told, and
 * has a moment to answer for itself; a stop of the whole gateway lets it finish.
 */
export async function execute(
  tool: RegisteredTool,
  run: (context: HandlerContext) => Promise<Answer>,
  options: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly tenant?: string;
    readonly callId: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly idempotencyKey: string;
    readonly progress: (message: string) => void;
    readonly undoPromised?: boolean;
    readonly shownChars?: HandlerContext["shownChars"];
    readonly ask?: (
      question: string,
      answers: readonly string[],
      over: AbortSignal,
    ) => Promise<string | undefined>;
    readonly pausing?: HandlerContext["pausing"];
  },
): Promise<Ending> {
  const { clock, signal, ask, pausing } = options;
  const asking = new Asking(clock);
  const handler = new HandlerStop(signal);
  const answered = answerOf(run, {
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    callId: options.callId,
    sessionId: options.sessionId,
    runId: options.runId,
    idempotencyKey: options.idempotencyKey,
    get signal() {
      return handler.signal;
    },
    progress: options.progress,
    ...(options.undoPromised === true && { undoPromised: true }),
    ...(options.shownChars && { shownChars: options.shownChars }),
    ...(ask && { ask: (question, answers) => asking.during(ask(question, answers, handler.signal)) }),
    ...(pausing && { pausing: (answer) => asking.during(pausing(answer)) }),
  });
  try {
    // No time has passed: whoever answers like this needs no watch.
    if (await settlesImmediately(answered)) return await answered;
    return await watched(tool.contract.timeoutMs, clock, handler, answered, asking);
  } finally {
    handler.release();
  }
}

const PAUSES_MAX = 100;

/** How a handler learns that its run was stopped. Many answer at once and never look, so it is made for those that do. */
class HandlerStop {
  readonly #run: AbortSignal;
  #own: AbortController | undefined;
  #isReleased = false;

  constructor(run: AbortSignal) {
    this.#run = run;
  }

  get signal(): AbortSignal {
    return this.#made().signal;
  }

  abort(reason: string): void {
    this.#made().abort(reason);
  }

  /** The run goes on without it. */
  release(): void {
    this.#isReleased = true;
    if (this.#own) this.#run.removeEventListener("abort", this.#tell);
  }

  #made(): AbortController {
    if (this.#own) return this.#own;
    this.#own = new AbortController();
    if (this.#isReleased) return this.#own;
    this.#run.addEventListener("abort", this.#tell, { once: true });
    if (this.#run.aborted) this.#tell();
    return this.#own;
  }

  readonly #tell = () => {
    // Who stopped it is not the tool's to know.
    if (this.#run.reason !== "shutdown") this.#own?.abort(this.#run.reason === "time" ? "time" : "stopped");
  };
}

/** How long the owner was asked in the middle of a call. */
class Asking {
  readonly #clock: Pick<Clock, "now">;
  #open = 0;
  #since = 0;
  #ms = 0;
  /** While somebody is asked. */
  #done: PromiseWithResolvers<void> | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  async during<T>(answer: Promise<T>): Promise<T> {
    if (this.#open++ === 0) {
      this.#since = this.#clock.now();
      this.#done = Promise.withResolvers<void>();
    }
    try {
      return await answer;
    } finally {
      if (--this.#open === 0) {
        this.#ms += this.#clock.now() - this.#since;
        this.#done?.resolve();
      }
    }
  }

  /** Resolves once nobody is asked. */
  async settled(): Promise<void> {
    if (this.#open > 0) await this.#done?.promise;
  }

  /** How long it was since this was last asked for. */
  takeMs(): number {
    const ms = this.#ms;
    this.#ms = 0;
    return ms;
  }
}

async function watched(
  timeoutMs: number,
  clock: Clock,
  handler: HandlerStop,
  answered: Promise<Ending>,
  asking: Asking,
): Promise<Ending> {
  const over = new AbortController();
  const ended = Promise.withResolvers<Ending>();
  void answered.then(ended.resolve);
  const grace = () => {
    if (handler.signal.reason === "timeout") return;
    void clock
      .sleep(GRACE_MS, over.signal)
      .then(() => ended.resolve({ kind: "no-answer", why: "stopped", detail: "stopped before it answered" }));
  };
  handler.signal.addEventListener("abort", grace, { once: true });
  if (handler.signal.aborted) grace();
  try {
    let left = timeoutMs;
    for (let pause = 0; pause <= PAUSES_MAX; pause++) {
      const ending = await withDeadline(clock, left, ended.promise, () => undefined);
      if (ending !== undefined) return ending;
      // While the owner is asked, the time stands still.
      await Promise.race([asking.settled(), ended.promise]);
      left = asking.takeMs();
      if (left === 0) break;
    }
    handler.abort("timeout");
    return { kind: "no-answer", why: "timeout", detail: `no answer within ${timeoutMs} ms` };
  } finally {
    // With reasons: without one an exception is made for each call.
    over.abort("answered");
    // What the handler left running learns that nobody waits for it.
    handler.abort("timeout");
  }
}

async function answerOf(
  run: (context: HandlerContext) => Promise<Answer>,
  context: HandlerContext,
): Promise<Ending> {
  try {
    const answer = await run(context);
    if (answer.ok) return { kind: "succeeded", result: answer.value };
    const { code, message, quoted } = answer.error;
    return { kind: "failed", code, message, ...(quoted === undefined ? {} : { quoted }) };
  } catch (error) {
    // An exception is not an answer: the effect may have happened before it was thrown.
    const why = context.signal.aborted ? "stopped" : "broke";
    return { kind: "no-answer", why, detail: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * A call that ended needs its secrets no more. Where they cannot be removed now, the next
 * start does it: what has happened and stands in the ledger is not undone by that.
 */
export async function dropSecrets(
  { vault, log }: { readonly vault: Vault; readonly log: Log },
  tenant: string,
  callId: string,
): Promise<void> {
  try {
    await vault.drop(tenant, callId);
  } catch (error) {
    log.error("could not remove the secrets of a call that ended; the next start tries again", {
      call: callId,
      error,
    });
  }
}
