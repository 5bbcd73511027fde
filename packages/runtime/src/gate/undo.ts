import { reachOf } from "./call-transitions.ts";
import { fail, FailureError } from "@elwood/core/base/failure";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { NewReceipt } from "@elwood/core/receipts/receipt";
import type { Person, ToolCallContext, ToolOutcome } from "../ports/ports.ts";
import type { Ending } from "../ports/gate-ports.ts";
import { execute, type CallExecution } from "./call-execution.ts";
import type { CallRow, RegisteredTool } from "../ports/gate-ports.ts";
import type { GateDeps } from "./gate-deps.ts";
import { originOf, type CallOrigin, type ReceiptFactory } from "./receipt-factory.ts";

type UndoableTool = RegisteredTool & Required<Pick<RegisteredTool, "undo">>;

/** Undoes calls. The owner requests it, so no approval is needed; an undo is a call with its own receipts. */
export class Undo {
  readonly #deps: GateDeps;
  readonly #receiptFactory: ReceiptFactory;
  readonly #execution: CallExecution;
  /** Calls that are being undone right now. */
  readonly #busy = new Set<string>();

  constructor(deps: GateDeps, receiptFactory: ReceiptFactory, execution: CallExecution) {
    this.#deps = deps;
    this.#receiptFactory = receiptFactory;
    this.#execution = execution;
  }

  async make(tenant: string, callId: string, context: ToolCallContext, by: Person): Promise<ToolOutcome> {
    const key = `${tenant} ${callId}`;
    if (this.#busy.has(key))
      fail("CONFLICT", `Call ${callId} is being undone already. Nothing was done again.`);
    this.#busy.add(key);
    try {
      return await this.#make(tenant, callId, context, by);
    } finally {
      this.#busy.delete(key);
    }
  }

  /** Throws where the call cannot be undone, or not any more. */
  async check(tenant: string, callId: string): Promise<void> {
    const { row } = await this.#undoable(tenant, callId);
    await this.#mustBeFirst(tenant, row);
  }

  async #make(tenant: string, callId: string, context: ToolCallContext, by: Person): Promise<ToolOutcome> {
    const { row, tool } = await this.#undoable(tenant, callId);
    await this.#mustBeFirst(tenant, row);
    const origin = { ...originOf(context), actor: by.id };
    const undoing = await this.#start(tenant, row, origin, by);
    const undo = tool.undo.bind(tool);
    const ending = await execute(
      tool,
      (handler) => undo(row.executedInput, row.outcome?.value, handler),
      this.#execution.options(undoing, context),
    );
    const about = { toolId: row.toolId, by: undoing.callId };
    const done =
      ending.kind === "succeeded"
        ? [this.#receiptFactory.receipt("tool.call.undone", origin, callId, about)]
        : [];
    return this.#end(undoing, context, ending, done);
  }

  /** The call and its tool, where the call can be undone at all. */
  async #undoable(tenant: string, callId: string): Promise<{ row: CallRow; tool: UndoableTool }> {
    const { ledger, toolSnapshot } = this.#deps;
    const row = await ledger.call(tenant, callId);
    if (!row) fail("NOT_FOUND", `There is no call ${callId}. Nothing was undone.`);
    const tool = toolSnapshot().get(row.toolId);
    if (row.state !== "succeeded")
      fail("CONFLICT", `Call ${callId} did not succeed, so there is nothing to undo.`);
    if (!tool || !canUndo(tool)) fail("CONFLICT", `${row.toolId} cannot be undone.`);
    if (tool.contractHash !== row.contractHash)
      fail(
        "CONFLICT",
        `${row.toolId} has changed since it made call ${callId}, and the new version cannot be trusted to undo what the old one did. Nothing was undone. Reverse it by hand, or restore the version of the tool that made the call and undo it again.`,
      );
    if (row.outcome?.value === undefined)
      fail("CONFLICT", `What call ${callId} did is known, but not what it answered, so it cannot be undone.`);
    return { row, tool };
  }

  /** The undo as a call of its own, requested, approved and started in one write. */
  async #start(tenant: string, row: CallRow, origin: CallOrigin, by: Person): Promise<CallRow> {
    const { ledger, clock, ids } = this.#deps;
    const { callId, toolId } = row;
    const { outcome: _outcome, approvalId: _approval, endedAt: _ended, ...kept } = row;
    const undoing: CallRow = {
      ...kept,
      callId: ids.next("call"),
      state: "started",
      undoes: callId,
      idempotencyKey: `elwood-undo-${callId}`,
      createdAt: clock.now(),
      startedAt: clock.now(),
    };
    const { receipt, change } = this.#receiptFactory.requested(origin, undoing);
    const approved = this.#receiptFactory.receipt("tool.call.approved", origin, undoing.callId, {
      toolId,
      decidedBy: { kind: "owner", ...by },
    });
    const started = this.#receiptFactory.receipt("tool.call.started", origin, undoing.callId, {
      toolId,
      undoes: callId,
      ...reachOf(this.#deps, toolId),
    });
    const written = await ledger.write(tenant, {
      receipts: [receipt, approved, started],
      changes: [{ kind: "call.new", call: undoing }, change],
    });
    if (!written.ok)
      fail(
        "CONFLICT",
        `The undo of call ${callId} could not be recorded (the ledger refused ${written.error.refused}), so it was not started. Nothing was undone. Try again; if it is refused again, run: elwood doctor`,
      );
    this.#execution.began(undoing.callId);
    return undoing;
  }

  /** The handler has run: what it did is reported even where it cannot be recorded. */
  async #end(
    row: CallRow,
    context: ToolCallContext,
    ending: Ending,
    done: readonly NewReceipt[],
  ): Promise<ToolOutcome> {
    try {
      return await this.#execution.end(row, context, undefined, ending, done);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      const { reason, message } = error.failure;
      const { callId, toolId, undoes } = row;
      this.#deps.log.error("the outcome of an undo could not be recorded", {
        call: callId,
        tool: toolId,
        reason,
      });
      return fail(
        reason,
        `${WHAT_HAPPENED[ending.kind]} of call ${undoes}, but the outcome could not be recorded: ${message} Do not try again; check what the tool changed. Elwood asks what became of it after the next restart.`,
        { retryable: false },
      );
    }
  }

  /** Only once, and not while the outcome of an earlier attempt is unknown. */
  async #mustBeFirst(tenant: string, { callId, runId }: CallRow): Promise<void> {
    const { ledger } = this.#deps;
    const tries = (await ledger.callsOfRun(tenant, runId)).filter((call) => call.undoes === callId);
    for (const { callId: by, state } of tries) {
      if (state === "succeeded")
        fail("CONFLICT", `Call ${callId} was undone before. Nothing was done again.`);
      if (state === "failed") continue;
      const [settled] = await ledger.receipts(tenant, { callId: by, types: ["tool.call.settled"], limit: 1 });
      if (settled && isReceipt(settled, "tool.call.settled") && settled.payload.outcome === "did-not-happen")
        continue;
      fail(
        "CONFLICT",
        `It is unknown whether an earlier try (${by}) undid call ${callId}. Nothing was done again; say first what became of that one.`,
      );
    }
  }
}

function canUndo(tool: RegisteredTool): tool is UndoableTool {
  return tool.undo !== undefined;
}

const WHAT_HAPPENED: Readonly<Record<Ending["kind"], string>> = {
  succeeded: "The tool undid the effect",
  failed: "The tool failed to undo the effect",
  "no-answer": "The tool gave no answer to the undo",
};
