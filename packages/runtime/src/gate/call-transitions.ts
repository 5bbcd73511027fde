import type { Approval } from "@elwood/core/policy/approval";
import type { Plan, PlannedCall } from "@elwood/core/tool/plan";
import { READ_LAYER, TRUSTED_RULE, type Verdict } from "@elwood/core/policy/policy";
import {
  CHANGED,
  hadChanged,
  refusingRule,
  type Decider,
  type NewReceipt,
} from "@elwood/core/receipts/receipt";
import type { Preview } from "@elwood/core/tool/tool";
import type { ToolCall, ToolCallContext } from "../ports/ports.ts";
import { errorOutcome } from "./call-outcome.ts";
import { grantScopes, makePreview, newApproval, type PreviewResult } from "./approvals.ts";
import { plannedOutcome, REHEARSED, REHEARSED_REASON } from "./planned-call.ts";
import { originOf, stopMark, type ReceiptFactory } from "./receipt-factory.ts";
import type { CallOutcome, CallRow, LedgerChange, RegisteredTool } from "../ports/gate-ports.ts";
import type { GateDeps } from "./gate-deps.ts";
import { LedgerRefused, mustWrite } from "./must-write.ts";

const TOOL_ID_CHARS_MAX = 100;

/** Why a call could begin. */
export interface Begun {
  readonly approval?: Approval;
  /** Nobody was asked because it can be undone. */
  readonly undoPromised?: boolean;
}

/** Where a tool reaches by its contract, for the receipt of a call that begins. */
export function reachOf(
  { toolSnapshot }: Pick<GateDeps, "toolSnapshot">,
  toolId: string,
  runId?: string,
): { readonly hosts?: readonly string[] } {
  const hosts = toolSnapshot(runId).get(toolId)?.contract.hosts;
  return hosts === undefined || hosts.length === 0 ? {} : { hosts };
}

/** The state transitions of a call: each method writes receipts and rows in one ledger unit. */
export class CallTransitions {
  readonly #deps: GateDeps;
  readonly #receiptFactory: ReceiptFactory;
  /** By run, its first receipt, where that is not written yet: the first write of its first call brings it along. */
  readonly #firstReceipts: Map<string, NewReceipt>;
  /** Called for each call that this process starts; answers how to take it back. */
  readonly #began: (callId: string, begun?: Begun) => () => void;

  constructor(
    deps: GateDeps,
    receiptFactory: ReceiptFactory,
    firstReceipts: Map<string, NewReceipt>,
    began: (callId: string, begun?: Begun) => () => void,
  ) {
    this.#deps = deps;
    this.#receiptFactory = receiptFactory;
    this.#firstReceipts = firstReceipts;
    this.#began = began;
  }

  /** Returns the started row, or undefined if another process moved it first. */
  async start(
    row: CallRow,
    context: ToolCallContext,
    approval: Approval | undefined,
  ): Promise<CallRow | undefined> {
    const { callId, toolId, approvalId } = row;
    const at = this.#deps.clock.now();
    const receipt = this.#receiptFactory.receipt("tool.call.started", originOf(context), callId, {
      toolId,
      approvalId,
      ...reachOf(this.#deps, toolId, context.runId),
    });
    const move: LedgerChange = { kind: "call.move", callId, from: ["approved"], to: "started", at };
    const written = await this.#deps.ledger.write(context.tenant, { receipts: [receipt], changes: [move] });
    // Whoever moved it first runs it.
    if (!written.ok) return undefined;
    this.#began(row.callId, approval && { approval });
    return { ...row, state: "started", startedAt: at };
  }

  row(
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
      ...(target === undefined ? {} : { target: this.#deps.redact(target) }),
      createdAt: this.#deps.clock.now(),
    };
  }

  async refuse(
    call: ToolCall,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    problem: string,
  ): Promise<CallRow> {
    // For an unknown tool the name is whatever the model wrote.
    const toolId = tool
      ? call.toolId
      : this.#deps.redact(call.toolId).slice(0, TOOL_ID_CHARS_MAX).toWellFormed();
    const row = this.row({ ...call, toolId }, context, tool, call.input);
    const text = this.#deps.redact(problem);
    const refused = this.#receiptFactory.receipt("tool.call.refused", originOf(context), call.callId, {
      toolId,
      reason: text.slice(0, 500),
    });
    return this.#write(row, "refused", context, [refused], [], errorOutcome("invalid", text));
  }

  async deny(row: CallRow, context: ToolCallContext, decidedBy: Decider, why: string): Promise<CallRow> {
    const reason = this.#deps.redact(why);
    const denied = this.#receiptFactory.receipt("tool.call.denied", originOf(context), row.callId, {
      toolId: row.toolId,
      decidedBy,
      reason,
      ...stopMark(decidedBy),
    });
    return this.#write(
      row,
      "denied",
      context,
      [denied],
      [],
      errorOutcome(
        "denied",
        `${refusingRule(decidedBy) === undefined ? "This call was not made:" : BLOCKED} ${reason}`,
      ),
    );
  }

  /** A call of a rehearsal: what it would do is kept, and it is not made. */
  listed(
    row: CallRow,
    context: ToolCallContext,
    planned: readonly PlannedCall[],
    gaps?: string,
  ): Promise<CallRow> {
    const rehearsed = { ...context, note: { ...context.note, rehearsal: "true" } };
    const denied = this.#receiptFactory.receipt("tool.call.denied", originOf(rehearsed), row.callId, {
      toolId: row.toolId,
      decidedBy: REHEARSED,
      reason: REHEARSED_REASON,
    });
    return this.#write(row, "denied", rehearsed, [denied], [], plannedOutcome(planned, gaps));
  }

  async allow(row: CallRow, context: ToolCallContext, verdict: Verdict): Promise<CallRow | undefined> {
    const { clock } = this.#deps;
    const { grantId, rule } = verdict;
    const { toolId, callId } = row;
    // This call only reads, although its tool can do more.
    const harmless = verdict.layer === READ_LAYER && row.risk !== "read" ? { harmless: true as const } : {};
    const origin = originOf(context);
    const receipts = [
      ...(grantId === undefined
        ? []
        : [this.#receiptFactory.receipt("grant.used", origin, callId, { toolId, grantId })]),
      this.#receiptFactory.receipt("tool.call.started", origin, callId, {
        toolId,
        rule,
        ...harmless,
        ...reachOf(this.#deps, toolId, context.runId),
      }),
    ];
    const changes: LedgerChange[] =
      grantId === undefined ? [] : [{ kind: "grant.use", grantId, runId: row.runId, at: clock.now() }];
    const takeBack = this.#began(row.callId, { undoPromised: rule === TRUSTED_RULE });
    try {
      const started = { ...row, startedAt: clock.now(), ...(grantId === undefined ? {} : { grantId }) };
      return await this.#write(started, "started", context, receipts, changes);
    } catch (error) {
      // Nothing of it was written: a row of this call that is there is another process's, which began it.
      if (error instanceof LedgerRefused) takeBack();
      if (error instanceof LedgerRefused && error.refused === "grant.use") return undefined;
      throw error;
    }
  }

  /** Returns undefined if the run was stopped meanwhile; then nobody is asked and nothing is written. */
  async ask(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
    input: unknown,
    verdict: Verdict,
    plan?: Plan,
  ): Promise<CallRow | undefined> {
    const previewed: PreviewResult = plan ?? (await makePreview(tool, input, context, this.#deps.clock));
    if (context.signal.aborted) return undefined;
    if (previewed.problem !== undefined) return this.refuseAtPreview(row, context, previewed.problem);
    const approval = await this.#approval(row, context, tool, verdict, previewed.preview, plan);
    const written = await this.#write(
      { ...row, approvalId: approval.id },
      "asked",
      context,
      [this.#asked(row, context, approval)],
      [{ kind: "approval.new", approval }],
    );
    this.#deps.approvals.requested(context.tenant, approval);
    return written;
  }

  /** It could not be made as things stand, which its preview found out. */
  refuseAtPreview(row: CallRow, context: ToolCallContext, found: string): Promise<CallRow> {
    const problem = this.#deps.redact(found);
    const refused = this.#receiptFactory.receipt("tool.call.refused", originOf(context), row.callId, {
      toolId: row.toolId,
      reason: problem.slice(0, 500),
      atPreview: true,
    });
    return this.#write(row, "refused", context, [refused], [], errorOutcome("invalid", problem));
  }

  /** The call was allowed with its program's plan, so the plan's approval covers it. */
  approvedByPlan(row: CallRow, context: ToolCallContext, plan: Approval): Promise<CallRow> {
    const { decidedBy } = plan;
    const approved = this.#receiptFactory.receipt("tool.call.approved", originOf(context), row.callId, {
      toolId: row.toolId,
      approvalId: plan.id,
      decidedBy,
      plan: true,
    });
    return this.#write({ ...row, approvalId: plan.id }, "approved", context, [approved], []);
  }

  async askAgain(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
    verdict: Verdict,
    preview: Preview | undefined,
  ): Promise<CallRow> {
    const approval = await this.#approval(row, context, tool, verdict, preview);
    const written = await this.#deps.ledger.write(context.tenant, {
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
    if (!written.ok) return this.#movedMeanwhile(row, context, written.error.refused);
    this.#deps.approvals.requested(context.tenant, approval);
    return { ...row, state: "asked", approvalId: approval.id };
  }

  /** Denies an approved call that can no longer run. */
  async voided(
    row: CallRow,
    context: ToolCallContext,
    why: string,
    decidedBy: Decider = CHANGED,
  ): Promise<CallRow> {
    const reason = this.#deps.redact(why);
    const outcome = errorOutcome(
      hadChanged(decidedBy) ? "changed" : "denied",
      `This call was approved, but could no longer be made: ${reason} It was not made.`,
    );
    const denied = this.#receiptFactory.receipt("tool.call.denied", originOf(context), row.callId, {
      toolId: row.toolId,
      decidedBy,
      reason,
      ...stopMark(decidedBy),
    });
    const written = await this.#deps.ledger.write(context.tenant, {
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
    if (!written.ok) return this.#movedMeanwhile(row, context, written.error.refused);
    return { ...row, state: "denied", outcome };
  }

  async #approval(
    row: CallRow,
    { surface, job, asker }: ToolCallContext,
    tool: RegisteredTool,
    verdict: Verdict,
    preview: Preview | undefined,
    plan?: Plan,
  ): Promise<Approval> {
    const bindings = await grantScopes(tool, row.executedInput, verdict, this.#deps.clock);
    const scopes = bindings.map(({ scope, words }) => ({ scope, words: this.#deps.redact(words) }));
    return newApproval(
      { ...this.#deps, surface, ...(job ? { job } : {}), ...(asker === undefined ? {} : { asker }) },
      row,
      tool,
      verdict,
      preview,
      scopes,
      plan,
    );
  }

  #asked(row: CallRow, context: ToolCallContext, approval: Approval): NewReceipt {
    const { rule, reason } = approval.card;
    return this.#receiptFactory.receipt("tool.call.asked", originOf(context), row.callId, {
      toolId: row.toolId,
      approvalId: approval.id,
      digest: approval.digest,
      rule,
      reason,
      expiresAt: approval.expiresAt,
    });
  }

  /** The first write of a call: its row, its `requested` receipt, and the immediate decision. */
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
    const { receipt, change } = this.#receiptFactory.requested(originOf(context), written);
    const first = this.#firstReceipts.get(context.runId);
    const unit = {
      receipts: [...(first ? [first] : []), receipt, ...receipts],
      changes: [{ kind: "call.new" as const, call: written }, change, ...changes],
    };
    // Another call of the run may be written at the same moment, and comes behind this one.
    this.#firstReceipts.delete(context.runId);
    try {
      await mustWrite(this.#deps.ledger, context.tenant, `call ${row.callId}`, unit);
    } catch (error) {
      // Refused, nothing of it was written; of any other failure nobody knows.
      if (first && error instanceof LedgerRefused) this.#firstReceipts.set(context.runId, first);
      throw error;
    }
    return written;
  }

  /** Another moved the call first: what counts is the row as it is now. */
  async #movedMeanwhile(
    { callId }: CallRow,
    { tenant }: ToolCallContext,
    refused: LedgerChange["kind"],
  ): Promise<CallRow> {
    const row = await this.#deps.ledger.call(tenant, callId);
    if (!row) throw new LedgerRefused(refused, `call ${callId}`);
    return row;
  }
}

const BLOCKED = "Blocked by a rule; the owner was not asked, and the call was not made:";
