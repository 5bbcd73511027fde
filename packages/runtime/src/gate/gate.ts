import { activityOf, type ActivityItem } from "@elwood/core/activity";
import type { Approval } from "@elwood/core/approval";
import { FailureError } from "@elwood/core/failure";
import type { ToolSpec } from "@elwood/core/model";
import type { Verdict } from "@elwood/core/policy";
import type { Decider, NewReceipt } from "@elwood/core/receipt";
import type { Preview } from "@elwood/core/tool";
import type { Agent, RunFact, ToolCall, ToolCallContext, ToolHost, ToolOutcome } from "../ports.ts";
import { outcomeOf } from "./approvals.ts";
import { approvalFor, isAsApproved, look } from "./asking.ts";
import { CallFacts, type CallOrigin } from "./call-facts.ts";
import type { GateDeps } from "./gate-deps.ts";
import { Runner } from "./runner.ts";
import type { CallOutcome, CallRow, LedgerChange, RegisteredTool, ToolTable } from "./ports.ts";

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
  readonly #facts: CallFacts;
  readonly #runner: Runner;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    this.#facts = new CallFacts(deps.sha256, deps.salt);
    this.#runner = new Runner(deps, this.#facts);
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
    return this.#runner.undo(tenant, callId, context);
  }

  /** From its first word to its first durable row. */
  async #enter(call: ToolCall, context: ToolCallContext): Promise<CallRow> {
    const { vault, table, verdictFor, approver } = this.#deps;
    const { tenant, sessionId } = context;
    const tool = table().get(call.toolId);
    if (!tool) return this.#refuse(call, context, undefined, unknownTool(call.toolId, table()));
    const parsed = tool.parseInput(await vault.open(tenant, call.callId, call.input));
    if (!parsed.ok)
      return this.#refuse(call, context, tool, `The input of ${call.toolId} is not valid: ${parsed.error}`);
    const input = await vault.seal(tenant, call.callId, parsed.value);
    const row = this.#row(call, context, tool, input, tool.target(parsed.value));
    for (;;) {
      const verdict = await verdictFor(tenant, tool, parsed.value, sessionId);
      if (verdict.decision === "deny")
        return this.#deny(row, context, { kind: "policy", rule: verdict.rule }, verdict.reason);
      if (verdict.decision === "ask") {
        if (approver) return this.#ask(row, context, tool, parsed.value, verdict);
        return this.#deny(
          row,
          context,
          { kind: "none" },
          "This call needs the owner's approval, and no approver is configured.",
        );
      }
      const allowed = await this.#allow(row, context, verdict);
      // A grant that was revoked or used up in this very moment covers nothing any more: decided anew, without it.
      if (allowed) return allowed;
    }
  }

  /** T1: from wherever the row stands to its outcome. */
  async #goOn(first: CallRow, context: ToolCallContext): Promise<ToolOutcome> {
    const { ledger, approvals } = this.#deps;
    const { tenant, signal } = context;
    let row = first;
    for (let step = 0; step < STEPS_MAX; step++) {
      if (row.outcome && row.state !== "started") return row.outcome;
      if (row.state === "asked") {
        const decided = await this.#waitFor(row, context);
        if (decided === "left") return LEFT;
        if (decided === "stopped")
          await approvals.withdraw(tenant, row.approvalId ?? "", { id: "owner", surface: context.surface });
      } else if (row.state === "approved") {
        const again = await this.#recheck(row, context);
        if (again) row = again;
        else await this.#start(row, context);
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
    if (!approval || !tool) return this.#void(row, context, "The tool is no longer there.");
    const input = await vault.open(tenant, row.callId, row.executedInput);
    const parsed = tool.parseInput(input);
    if (!parsed.ok) return this.#void(row, context, `The input is no longer valid: ${parsed.error}`);
    const verdict = await verdictFor(tenant, tool, parsed.value, sessionId);
    if (verdict.decision === "deny") return this.#void(row, context, verdict.reason);
    const preview = await look(tool, parsed.value, context.signal);
    if (preview.problem !== undefined) return this.#void(row, context, preview.problem);
    if (isAsApproved(this.#deps.sha256, row, approval, tool, preview.preview)) return undefined;
    return this.#askAgain(row, context, tool, verdict, preview.preview);
  }

  async #start(row: CallRow, context: ToolCallContext): Promise<void> {
    const receipt = this.#facts.receipt("tool.call.started", origin(context), row.callId, {
      toolId: row.toolId,
      approvalId: row.approvalId,
    });
    await this.#deps.ledger.write(context.tenant, {
      receipts: [receipt],
      changes: [
        {
          kind: "call.move",
          callId: row.callId,
          from: ["approved"],
          to: "started",
          at: this.#deps.clock.now(),
        },
      ],
    });
    this.#runner.began(row.callId);
  }

  #row(
    call: ToolCall,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    input: unknown,
    target?: string,
  ): CallRow {
    return {
      callId: call.callId,
      runId: context.runId,
      sessionId: context.sessionId,
      toolId: call.toolId,
      contractHash: tool?.contractHash ?? "",
      risk: tool?.contract.risk ?? "destructive",
      requestedInput: call.input,
      executedInput: input,
      idempotencyKey: `elwood-${call.callId}`,
      state: "requested",
      ...(target === undefined ? {} : { target }),
      createdAt: this.#deps.clock.now(),
    };
  }

  async #refuse(
    call: ToolCall,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    text: string,
  ): Promise<CallRow> {
    const row = this.#row(call, context, tool, call.input);
    const refused = this.#facts.receipt("tool.call.refused", origin(context), call.callId, {
      toolId: call.toolId,
      reason: this.#deps.redact(text).slice(0, 500),
    });
    return this.#write(row, "refused", context, [refused], [], outcomeOf("invalid", text));
  }

  async #deny(row: CallRow, context: ToolCallContext, decidedBy: Decider, reason: string): Promise<CallRow> {
    const denied = this.#facts.receipt("tool.call.denied", origin(context), row.callId, {
      toolId: row.toolId,
      decidedBy,
      reason,
    });
    return this.#write(
      row,
      "denied",
      context,
      [denied],
      [],
      outcomeOf("denied", `This call was not made: ${reason}`),
    );
  }

  async #allow(row: CallRow, context: ToolCallContext, verdict: Verdict): Promise<CallRow | undefined> {
    const { clock } = this.#deps;
    const { grantId, rule } = verdict;
    const receipts = [
      ...(grantId === undefined
        ? []
        : [this.#facts.receipt("grant.used", origin(context), row.callId, { toolId: row.toolId, grantId })]),
      this.#facts.receipt("tool.call.started", origin(context), row.callId, { toolId: row.toolId, rule }),
    ];
    const changes: LedgerChange[] =
      grantId === undefined ? [] : [{ kind: "grant.use", grantId, at: clock.now() }];
    this.#runner.began(row.callId);
    try {
      return await this.#write({ ...row, startedAt: clock.now() }, "started", context, receipts, changes);
    } catch (error) {
      if (error instanceof LedgerRefused && error.refused === "grant.use") return undefined;
      throw error;
    }
  }

  async #ask(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
    input: unknown,
    verdict: Verdict,
  ): Promise<CallRow> {
    const looked = await look(tool, input, context.signal);
    if (looked.problem !== undefined) {
      const refused = this.#facts.receipt("tool.call.refused", origin(context), row.callId, {
        toolId: row.toolId,
        reason: this.#deps.redact(looked.problem).slice(0, 500),
      });
      return this.#write(row, "refused", context, [refused], [], outcomeOf("invalid", looked.problem));
    }
    const approval = approvalFor(this.#deps, row, tool, verdict, looked.preview);
    const asked = this.#asked(row, context, approval);
    const written = await this.#write(
      { ...row, approvalId: approval.id },
      "asked",
      context,
      [asked],
      [{ kind: "approval.new", approval }],
    );
    this.#deps.approvals.requested(context.tenant, approval);
    return written;
  }

  async #askAgain(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
    verdict: Verdict,
    preview: Preview | undefined,
  ): Promise<CallRow> {
    const approval = approvalFor(this.#deps, row, tool, verdict, preview);
    await this.#deps.ledger.write(context.tenant, {
      receipts: [this.#asked(row, context, approval)],
      changes: [
        { kind: "approval.new", approval },
        {
          kind: "call.move",
          callId: row.callId,
          from: ["approved"],
          to: "asked",
          at: this.#deps.clock.now(),
          approvalId: approval.id,
        },
      ],
    });
    this.#deps.approvals.requested(context.tenant, approval);
    return { ...row, state: "asked", approvalId: approval.id };
  }

  /** What was approved can no longer be done. */
  async #void(row: CallRow, context: ToolCallContext, reason: string): Promise<CallRow> {
    const outcome = outcomeOf(
      "denied",
      `This call was approved, but could no longer be made: ${reason} It was not made.`,
    );
    const denied = this.#facts.receipt("tool.call.denied", origin(context), row.callId, {
      toolId: row.toolId,
      decidedBy: { kind: "policy", rule: "gate.changed" },
      reason,
    });
    await this.#deps.ledger.write(context.tenant, {
      receipts: [denied],
      changes: [
        {
          kind: "call.move",
          callId: row.callId,
          from: ["approved"],
          to: "denied",
          at: this.#deps.clock.now(),
          outcome,
        },
      ],
    });
    return { ...row, state: "denied", outcome };
  }

  #asked(row: CallRow, context: ToolCallContext, approval: Approval): NewReceipt {
    const { rule, reason } = approval.card;
    return this.#facts.receipt("tool.call.asked", origin(context), row.callId, {
      toolId: row.toolId,
      approvalId: approval.id,
      digest: approval.digest,
      rule,
      reason,
      expiresAt: approval.expiresAt,
    });
  }

  /** The first write of a call: its row, its `requested`, and whatever was decided at once. */
  async #write(
    row: CallRow,
    state: CallRow["state"],
    context: ToolCallContext,
    receipts: readonly NewReceipt[],
    changes: readonly LedgerChange[],
    outcome?: CallOutcome,
  ): Promise<CallRow> {
    const at = this.#deps.clock.now();
    const ended = outcome === undefined ? {} : { outcome, endedAt: at };
    const written: CallRow = { ...row, state, ...ended };
    const { receipt, change } = this.#facts.requested(origin(context), written);
    const unit = {
      receipts: [receipt, ...receipts],
      changes: [{ kind: "call.new" as const, call: written }, change, ...changes],
    };
    const result = await this.#deps.ledger.write(context.tenant, unit);
    if (result.ok) return written;
    throw new LedgerRefused(result.error.refused, row.callId);
  }
}

class LedgerRefused extends Error {
  readonly refused: LedgerChange["kind"];
  constructor(refused: LedgerChange["kind"], callId: string) {
    super(`the ledger refused ${refused} for call ${callId}`);
    this.refused = refused;
  }
}

const LEFT: ToolOutcome = { status: "left", text: "" };
const STEPS_MAX = 20;
const RECEIPTS_OF_RUN_MAX = 10_000;

function origin(context: ToolCallContext): CallOrigin {
  return { runId: context.runId, surface: context.surface, actor: "model" };
}

function unknownTool(toolId: string, table: ToolTable): string {
  const known = table.list().map((t) => t.contract.id);
  const area = known.filter((id) => id.split(".")[0] === toolId.split(".")[0]);
  const shown = (area.length > 0 ? area : known).slice(0, 20).join(", ");
  return `There is no tool "${toolId}". Nothing was done. ${shown === "" ? "There are no tools." : `There are: ${shown}.`}`;
}
