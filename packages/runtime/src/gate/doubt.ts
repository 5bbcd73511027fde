import { LIMITS } from "@elwood/core/base/limits";
import type { Decider, DoubtReason, NewReceipt } from "@elwood/core/receipts/receipt";
import type { ToolCallContext, ToolOutcome } from "../ports/ports.ts";
import { outcomeOf } from "./call-outcome.ts";
import { doubtFor } from "./asking.ts";
import { originOf, stopMark, stopperOf } from "./call-book.ts";
import type { CallFacts } from "./call-facts.ts";
import type { GateDeps } from "./gate-deps.ts";
import type { CallOutcome, CallRow, LedgerChange, RegisteredTool } from "./ports.ts";
import { within } from "./within.ts";

type Record = (
  row: CallRow,
  context: ToolCallContext,
  to: CallRow["state"],
  ended: CallOutcome,
  receipts: readonly NewReceipt[],
  changes?: readonly LedgerChange[],
) => Promise<ToolOutcome>;

const DOUBTS: Readonly<globalThis.Record<DoubtReason, string>> = {
  timeout: "This call was started and gave no answer in time",
  stopped: "This call was stopped before it answered",
  broke: "This call broke off without an answer",
  crash: "Elwood stopped while this call was running",
  "run-over": "The run was over before this call answered",
};

/** Finds out what became of calls that were started and gave no answer: from the tool itself, else from the owner. */
export class Doubt {
  readonly #deps: GateDeps;
  readonly #facts: CallFacts;
  readonly #record: Record;

  constructor(deps: GateDeps, facts: CallFacts, record: Record) {
    this.#deps = deps;
    this.#facts = facts;
    this.#record = record;
  }

  /** Nobody can tell but the owner, where the tool cannot: the model goes on with "unknown", and the owner is asked. */
  async settle(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    why: DoubtReason,
    {
      detail,
      again = false,
      stopper = stopperOf(context),
    }: { readonly detail?: string; readonly again?: boolean; readonly stopper?: Decider } = {},
  ): Promise<ToolOutcome> {
    const settled = tool && (await this.reconcile(row, context, tool, why, stopper));
    if (settled) return settled;
    const { ledger, approvals } = this.#deps;
    const words = `${DOUBTS[why]}${detail === undefined ? "" : ` (${detail})`}.`;
    const tries = again
      ? "It was made once more with the same key, which changes nothing that was done."
      : "It was not made again.";
    const question = doubtFor(
      this.#deps,
      row,
      `${words} Elwood cannot tell whether it took effect. ${tries}`,
    );
    const outcome = outcomeOf(
      "unknown",
      `${words} It is unknown whether it took effect. ${tries} The owner is asked. Do not repeat it.`,
    );
    const unknown = this.#facts.receipt("tool.call.unknown", originOf(context), row.callId, {
      toolId: row.toolId,
      why,
      ...(detail === undefined ? {} : { reason: detail }),
      ...stopMark(stopper),
    });
    const asked: LedgerChange = { kind: "approval.new", approval: question };
    const result = await this.#record(row, context, "unknown", outcome, [unknown], [asked]);
    // Whoever ended the call in this very moment may have known more; then nobody is asked.
    if (await ledger.approval(context.tenant, question.id)) approvals.requested(context.tenant, question);
    return result;
  }

  /**
   * undefined where the tool does not know either. Undoing has a key of its own, which it
   * cannot be asked about. A handler that may still be running may yet do what it has not
   * done: then only "happened" is an answer.
   */
  async reconcile(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
    why: DoubtReason,
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
      this.#facts.receipt("tool.call.unknown", origin, callId, { toolId, why, ...stopMark(stopper) }),
      this.#facts.receipt("tool.call.settled", origin, callId, { toolId, by: "reconcile", outcome: found }),
      happened
        ? this.#facts.receipt("tool.call.succeeded", origin, callId, { toolId, settled: true })
        : this.#facts.receipt("tool.call.failed", origin, callId, { toolId, settled: true }),
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
      return await within(clock, LIMITS.toolReconcileMs, () => reconcile(input, row.idempotencyKey));
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
