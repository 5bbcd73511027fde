import { activityOf, type ActivityItem } from "@elwood/core/activity";
import { FailureError } from "@elwood/core/failure";
import type { ToolSpec } from "@elwood/core/model";
import type { NewReceipt } from "@elwood/core/receipt";
import type { Agent, RunFact, ToolCall, ToolCallContext, ToolHost, ToolOutcome } from "../ports.ts";
import { outcomeOf } from "./approvals.ts";
import { isAsApproved, look } from "./asking.ts";
import { CallBook } from "./call-book.ts";
import { CallFacts } from "./call-facts.ts";
import type { GateDeps } from "./gate-deps.ts";
import type { CallRow, ToolTable } from "./ports.ts";
import { Runner } from "./runner.ts";
import { Undo } from "./undo.ts";

/**
 * The gate: the only door to a side effect.
 *
 *   validate input → decide → (preview, ask, wait) → re-check → `started`, durable → handler
 *   → validate output → redact → receipt of the outcome
 *
 * T1 A call is known by its id. Asked again, it goes on from its row; it is never made twice.
 * T2 Nothing runs before `started` is durable. If it cannot be written, the call does not happen.
 * T3 After `started` only the handler's own answer is success or failure; all else is unknown.
 * T4 What was approved is what runs: the digest over tool, contract, input, what the preview
 *    showed and the rule that asked is computed again at the door, and a difference asks anew.
 * T5 Risk comes from the contract alone. Who decided is recorded as what it was.
 */
export class Gate implements ToolHost {
  readonly #deps: GateDeps;
  readonly #book: CallBook;
  readonly #runner: Runner;
  readonly #undo: Undo;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    const facts = new CallFacts(deps.sha256, deps.salt);
    this.#runner = new Runner(deps, facts);
    this.#undo = new Undo(deps, facts, this.#runner);
    this.#book = new CallBook(deps, facts, (callId) => this.#runner.began(callId));
  }

  specs(agent: Agent): readonly ToolSpec[] {
    return this.#deps.specs(agent);
  }

  seal(tenant: string, callId: string, input: unknown): Promise<unknown> {
    return this.#deps.vault.seal(tenant, callId, input);
  }

  async activity(tenant: string, runId: string): Promise<readonly ActivityItem[]> {
    return activityOf(await this.#deps.ledger.receipts(tenant, { runId, limit: RECEIPTS_OF_RUN_MAX }));
  }

  async noteRun(tenant: string, fact: RunFact): Promise<void> {
    const receipt: NewReceipt = {
      type: `run.${fact.what}`,
      runId: fact.runId,
      actor: "gateway",
      surface: fact.surface,
      payload: { sessionId: fact.sessionId, ...fact.detail },
    };
    await this.#deps.ledger.write(tenant, { receipts: [receipt], changes: [] });
    if (fact.what === "finished") await this.#deps.onRunFinished?.(tenant);
  }

  async call(call: ToolCall, context: ToolCallContext): Promise<ToolOutcome> {
    try {
      const row =
        (await this.#deps.ledger.call(context.tenant, call.callId)) ?? (await this.#enter(call, context));
      context.entered();
      return await this.#goOn(row, context);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      // T2: what cannot be written down does not happen.
      this.#deps.log.error("a call could not be recorded", {
        call: call.callId,
        tool: call.toolId,
        reason: error.failure.reason,
      });
      throw error;
    }
  }

  /** Takes the effect of an ended call back, as a call of its own with receipts of its own. */
  undo(tenant: string, callId: string, context: ToolCallContext): Promise<ToolOutcome> {
    return this.#undo.make(tenant, callId, context);
  }

  /** From its first word to its first durable row. */
  async #enter(call: ToolCall, context: ToolCallContext): Promise<CallRow> {
    const { vault, table, verdictFor, approver } = this.#deps;
    const { tenant, sessionId } = context;
    const tool = table().get(call.toolId);
    if (!tool) return this.#book.refuse(call, context, undefined, unknownTool(call.toolId, table()));
    const parsed = tool.parseInput(await vault.open(tenant, call.callId, call.input));
    if (!parsed.ok)
      return this.#book.refuse(
        call,
        context,
        tool,
        `The input of ${call.toolId} is not valid: ${parsed.error}`,
      );
    const input = await vault.seal(tenant, call.callId, parsed.value);
    const row = this.#book.row(call, context, tool, input, tool.target(parsed.value));
    for (;;) {
      const verdict = await verdictFor(tenant, tool, parsed.value, sessionId);
      if (verdict.decision === "deny")
        return this.#book.deny(row, context, { kind: "policy", rule: verdict.rule }, verdict.reason);
      if (verdict.decision === "ask") {
        if (approver) return this.#book.ask(row, context, tool, parsed.value, verdict);
        return this.#book.deny(
          row,
          context,
          { kind: "none" },
          "This call needs the owner's approval, and no approver is configured.",
        );
      }
      const allowed = await this.#book.allow(row, context, verdict);
      // A grant that was revoked or used up in this very moment covers nothing any more: decided anew, without it.
      if (allowed) return allowed;
    }
  }

  /** T1: from wherever the row stands to its outcome. */
  async #goOn(first: CallRow, context: ToolCallContext): Promise<ToolOutcome> {
    const { ledger, approvals, vault } = this.#deps;
    const { tenant, signal } = context;
    let row = first;
    for (let step = 0; step < STEPS_MAX; step++) {
      if (row.outcome && row.state !== "started") {
        // It will never run any more, so its secrets need not be kept.
        await vault.drop(tenant, row.callId);
        return row.outcome;
      }
      if (row.state === "asked") {
        const decided = await this.#waitFor(row, context);
        if (decided === "left") return LEFT;
        if (decided === "stopped")
          await approvals.withdraw(tenant, row.approvalId ?? "", { id: "owner", surface: context.surface });
      } else if (row.state === "approved") {
        const again = await this.#recheck(row, context);
        if (again) row = again;
        else await this.#book.start(row, context);
      } else if (row.state === "started") {
        const outcome = await this.#runner.run(row, context);
        return outcome ?? LEFT;
      }
      if (signal.aborted && signal.reason === "shutdown") return LEFT;
      row = (await ledger.call(tenant, row.callId)) ?? row;
    }
    return outcomeOf("loop", "This call was asked about too often and was given up. It was not made.");
  }

  async #waitFor(row: CallRow, context: ToolCallContext): Promise<"decided" | "left" | "stopped"> {
    context.waiting(true);
    try {
      const approval = await this.#deps.approvals.wait(context.tenant, row.approvalId ?? "", context.signal);
      if (approval) return "decided";
      return context.signal.reason === "shutdown" ? "left" : "stopped";
    } finally {
      context.waiting(false);
    }
  }

  /** T4: undefined where what was approved is what would run; else the row that asks anew. */
  async #recheck(row: CallRow, context: ToolCallContext): Promise<CallRow | undefined> {
    const { ledger, table, vault, verdictFor } = this.#deps;
    const { tenant, sessionId } = context;
    const approval = await ledger.approval(tenant, row.approvalId ?? "");
    const tool = table().get(row.toolId);
    if (!approval || !tool) return this.#book.voided(row, context, "The tool is no longer there.");
    const input = await vault.open(tenant, row.callId, row.executedInput);
    const parsed = tool.parseInput(input);
    if (!parsed.ok) return this.#book.voided(row, context, `The input is no longer valid: ${parsed.error}`);
    const verdict = await verdictFor(tenant, tool, parsed.value, sessionId);
    if (verdict.decision === "deny") return this.#book.voided(row, context, verdict.reason);
    const preview = await look(tool, parsed.value, context.signal);
    if (preview.problem !== undefined) return this.#book.voided(row, context, preview.problem);
    if (isAsApproved(this.#deps.sha256, row, approval, tool, preview.preview)) return undefined;
    return this.#book.askAgain(row, context, tool, verdict, preview.preview);
  }
}

const LEFT: ToolOutcome = { status: "left", text: "" };
const STEPS_MAX = 20;
const RECEIPTS_OF_RUN_MAX = 10_000;

function unknownTool(toolId: string, table: ToolTable): string {
  const known = table.list().map((t) => t.contract.id);
  const area = known.filter((id) => id.split(".")[0] === toolId.split(".")[0]);
  const shown = (area.length > 0 ? area : known).slice(0, 20).join(", ");
  return `There is no tool "${toolId}". Nothing was done. ${shown === "" ? "There are no tools." : `There are: ${shown}.`}`;
}
