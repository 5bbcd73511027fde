import { LIMITS } from "@elwood/core/base/limits";
import type { Decider, UnknownReason, NewReceipt } from "@elwood/core/receipts/receipt";
import type { ToolCallContext, ToolOutcome } from "../ports/ports.ts";
import { errorOutcome } from "./call-outcome.ts";
import { newOutcomeQuestion } from "./approvals.ts";
import type { CallOutcome, CallRow, LedgerChange, RegisteredTool } from "../ports/gate-ports.ts";
import type { GateDeps } from "./gate-deps.ts";
import { withinTime } from "../async/deadline.ts";
import { type ReceiptFactory, originOf, stopMark, stopperOf } from "./receipt-factory.ts";

type Record = (
  row: CallRow,
  context: ToolCallContext,
  to: CallRow["state"],
  ended: CallOutcome,
  receipts: readonly NewReceipt[],
  changes?: readonly LedgerChange[],
) => Promise<ToolOutcome>;

const UNKNOWN_REASONS: Readonly<globalThis.Record<UnknownReason, string>> = {
  timeout: "This call was started and gave no answer in time",
  stopped: "This call was stopped before it answered",
  broke: "This call broke off without an answer",
  crash: "Elwood stopped while this call was running",
  "run-over": "The run was over before this call answered",
};

/** Resolves calls that were started and gave no answer: asks the tool, else the owner. */
export class UnknownOutcomes {
  readonly #deps: GateDeps;
  readonly #receiptFactory: ReceiptFactory;
  readonly #record: Record;

  constructor(deps: GateDeps, receiptFactory: ReceiptFactory, record: Record) {
    this.#deps = deps;
    this.#receiptFactory = receiptFactory;
    this.#record = record;
  }

  /** If the tool cannot tell, the call ends as "unknown" for the model and the owner is asked. */
  async resolveUnknownOutcome(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    why: UnknownReason,
    {
      detail,
      again = false,
      stopper = stopperOf(context),
    }: { readonly detail?: string; readonly again?: boolean; readonly stopper?: Decider } = {},
  ): Promise<ToolOutcome> {
    const settled = tool && (await this.reconcile(row, context, tool, why, stopper));
    if (settled) return settled;
    const { ledger, approvals } = this.#deps;
    const words = `${UNKNOWN_REASONS[why]}${detail === undefined ? "" : ` (${detail})`}.`;
    const tries = again
      ? "It was made once more with the same key, which changes nothing that was done."
      : "It was not made again.";
    const question = newOutcomeQuestion(
      this.#deps,
      row,
      `${words} Elwood cannot tell whether it took effect. ${tries}`,
    );
    const outcome = errorOutcome(
      "unknown",
      `${words} It is unknown whether it took effect. ${tries} The owner is asked. Do not repeat it.`,
    );
    const unknown = this.#receiptFactory.receipt("tool.call.unknown", originOf(context), row.callId, {
      toolId: row.toolId,
      why,
      ...(detail === undefined ? {} : { reason: detail }),
      ...stopMark(stopper),
    });
    const asked: LedgerChange = { kind: "approval.new", approval: question };
    const result = await this.#record(row, context, "unknown", outcome, [unknown], [asked]);
    // If the call was ended concurrently, the question was not written and nobody is asked.
    if (await ledger.approval(context.tenant, question.id)) approvals.requested(context.tenant, question);
    return result;
  }

  /**
   * Returns undefined if the tool does not know. An undo has its own key, which tools cannot be asked
   * about. If the handler may still be running, only "happened" is conclusive.
   */
  async reconcile(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
    why: UnknownReason,
    stopper: Decider,
  ): Promise<ToolOutcome | undefined> {
    const found = row.undoes === undefined ? await this.#ask(row, tool, context.tenant) : "unknown";
    const mayStillRun = why === "timeout" || why === "stopped";
    if (found === "unknown" || (found === "did-not-happen" && mayStillRun)) return undefined;
    const happened = found === "happened";
    const origin = originOf(context);
    const text = happened ? "it took effect." : "it did not take effect.";
    const outcome: CallOutcome = {
      status: happened ? "ok" : "error",
      text: `This call gave no answer of its own. It was checked afterwards: ${text}`,
      code: happened ? "settled" : "failed",
    };
    const { callId, toolId } = row;
    return this.#record(row, context, happened ? "succeeded" : "failed", outcome, [
      this.#receiptFactory.receipt("tool.call.unknown", origin, callId, {
        toolId,
        why,
        ...stopMark(stopper),
      }),
      this.#receiptFactory.receipt("tool.call.settled", origin, callId, {
        toolId,
        by: "reconcile",
        outcome: found,
      }),
      happened
        ? this.#receiptFactory.receipt("tool.call.succeeded", origin, callId, { toolId, settled: true })
        : this.#receiptFactory.receipt("tool.call.failed", origin, callId, { toolId, settled: true }),
    ]);
  }

  async #ask(
    row: CallRow,
    tool: RegisteredTool,
    tenant: string,
  ): Promise<"happened" | "did-not-happen" | "unknown"> {
    const { clock, vault, log } = this.#deps;
    if (!tool.reconcile) return "unknown";
    try {
      const input = await vault.open(tenant, row.callId, row.executedInput);
      const reconcile = tool.reconcile.bind(tool);
      return await withinTime(clock, LIMITS.toolReconcileMs, () => reconcile(input, row.idempotencyKey));
    } catch (error) {
      log.warn("could not find out what became of a call", {
        call: row.callId,
        tool: row.toolId,
        error,
      });
      return "unknown";
    }
  }
}
