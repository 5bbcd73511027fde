import type { Approval } from "@elwood/core/approval";
import type { NewReceipt } from "@elwood/core/receipt";
import type { ToolCallContext, ToolOutcome } from "../ports.ts";
import { outcomeOf } from "./approvals.ts";
import { originOf } from "./call-book.ts";
import { doubtFor, ownersWords, questionFor } from "./asking.ts";
import type { CallFacts } from "./call-facts.ts";
import { execute, type Ending } from "./execute.ts";
import type { GateDeps } from "./gate-deps.ts";
import { takeOutput } from "./output.ts";
import type { CallOutcome, CallRow, LedgerChange, RegisteredTool } from "./ports.ts";

/** Runs calls whose `started` is durable, and finds out what became of those that a crash cut short. */
export class Runner {
  readonly #deps: GateDeps;
  readonly #facts: CallFacts;
  /** Calls that this very process started; any other `started` row is in doubt. */
  readonly #ours = new Set<string>();

  constructor(deps: GateDeps, facts: CallFacts) {
    this.#deps = deps;
    this.#facts = facts;
  }

  began(callId: string): void {
    this.#ours.add(callId);
  }

  /** undefined where the gateway is stopping and the call goes on at the next start. */
  async run(row: CallRow, context: ToolCallContext): Promise<ToolOutcome | undefined> {
    const tool = this.#deps.table().get(row.toolId);
    if (!tool)
      return this.end(row, context, undefined, {
        kind: "no-answer",
        why: "broke",
        detail: "the tool is no longer there",
      });
    if (tool.contract.id.startsWith("owner.")) return this.#askOwner(row, context, tool);
    if (!this.#ours.has(row.callId)) {
      const settled = await this.#settle(row, context, tool);
      if (settled) return settled;
    }
    context.started();
    const input = await this.#deps.vault.open(context.tenant, row.callId, row.executedInput);
    const parsed = tool.parseInput(input);
    const ending: Ending = parsed.ok
      ? await execute(tool, (handler) => tool.handle(parsed.value, handler), this.options(row, context))
      : { kind: "failed", code: "invalid", message: parsed.error };
    return this.end(row, context, tool, ending);
  }

  /** What a handler of this call is run with. */
  options(row: CallRow, context: ToolCallContext) {
    return {
      clock: this.#deps.clock,
      signal: context.signal,
      callId: row.callId,
      sessionId: row.sessionId,
      idempotencyKey: row.idempotencyKey,
      progress: (message: string) =>
        context.progress(this.#deps.redact(message).slice(0, PROGRESS_CHARS_MAX)),
    };
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
      const asked: Approval = { ...questionFor(this.#deps, row, tool), id };
      await ledger.write(tenant, {
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
      const message = answered
        ? "The owner did not answer in time."
        : "The run was stopped before the owner answered.";
      return this.end(row, context, tool, {
        kind: "failed",
        code: answered ? "expired" : "stopped",
        message,
      });
    } finally {
      context.waiting(false);
    }
  }

  /** A call that was started by a process that is gone. undefined: it may be run again, and is. */
  async #settle(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
  ): Promise<ToolOutcome | undefined> {
    const { contract } = tool;
    const origin = originOf(context);
    if (contract.risk === "read" || contract.idempotent) {
      this.began(row.callId);
      const settled = this.#facts.receipt("tool.call.settled", origin, row.callId, {
        toolId: row.toolId,
        by: "idempotent",
        outcome: "run-again",
      });
      await this.#deps.ledger.write(context.tenant, { receipts: [settled], changes: [] });
      return undefined;
    }
    const found = await this.#reconcile(row, tool, context.tenant);
    if (found === "unknown") return this.#unknown(row, context);
    const happened = found === "happened";
    const text = happened
      ? "Elwood stopped while this call ran. It was checked afterwards: it took effect."
      : "Elwood stopped while this call ran. It was checked afterwards: it did not take effect.";
    const outcome: CallOutcome = {
      status: happened ? "ok" : "error",
      text,
      code: happened ? "settled" : "failed",
    };
    return this.#record(row, context, happened ? "succeeded" : "failed", outcome, [
      this.#facts.receipt("tool.call.unknown", origin, row.callId, { toolId: row.toolId, why: "crash" }),
      this.#facts.receipt("tool.call.settled", origin, row.callId, {
        toolId: row.toolId,
        by: "reconcile",
        outcome: found,
      }),
      this.#facts.receipt(happened ? "tool.call.succeeded" : "tool.call.failed", origin, row.callId, {
        toolId: row.toolId,
        settled: true,
      }),
    ]);
  }

  async #reconcile(
    row: CallRow,
    tool: RegisteredTool,
    tenant: string,
  ): Promise<"happened" | "did-not-happen" | "unknown"> {
    if (!tool.reconcile) return "unknown";
    try {
      return await tool.reconcile(
        await this.#deps.vault.open(tenant, row.callId, row.executedInput),
        row.idempotencyKey,
      );
    } catch (error) {
      this.#deps.log.warn("could not find out what became of a call", {
        call: row.callId,
        tool: row.toolId,
        error,
      });
      return "unknown";
    }
  }

  /** Nobody can tell but the owner: the model goes on with "unknown", and the owner is asked. */
  async #unknown(row: CallRow, context: ToolCallContext): Promise<ToolOutcome> {
    const { approvals } = this.#deps;
    const question = doubtFor(this.#deps, row);
    const outcome = outcomeOf(
      "unknown",
      "Elwood stopped while this call was running. It is unknown whether it took effect. It was not made again, and the owner is asked. Do not repeat it.",
    );
    const result = await this.#record(
      row,
      context,
      "unknown",
      outcome,
      [
        this.#facts.receipt("tool.call.unknown", originOf(context), row.callId, {
          toolId: row.toolId,
          why: "crash",
        }),
      ],
      [{ kind: "approval.new", approval: question }],
    );
    approvals.requested(context.tenant, question);
    return result;
  }

  /** Records how a handler ended, with whatever else is to be said in the same breath. */
  async end(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool | undefined,
    ending: Ending,
    more: readonly NewReceipt[] = [],
  ): Promise<ToolOutcome> {
    const origin = originOf(context);
    const base = { toolId: row.toolId };
    if (ending.kind === "succeeded") {
      const { outcome, value, outputInvalid } = await takeOutput(
        this.#deps,
        context.tenant,
        tool,
        ending.result,
      );
      const body = this.#facts.body(value);
      const receipt = this.#facts.receipt("tool.call.succeeded", origin, row.callId, {
        ...base,
        outputCommit: body.commit,
        ...(outputInvalid ? { outputInvalid } : {}),
        ...(ending.result.exitCode === undefined ? {} : { exitCode: ending.result.exitCode }),
        ...(ending.result.truncated ? { truncated: true } : {}),
      });
      return this.#record(
        row,
        context,
        "succeeded",
        outcome,
        [receipt, ...more],
        [{ kind: "body.put", body }],
      );
    }
    if (ending.kind === "failed") {
      const text = this.#deps.redact(ending.message);
      const receipt = this.#facts.receipt("tool.call.failed", origin, row.callId, {
        ...base,
        code: ending.code,
        reason: text.slice(0, REASON_CHARS_MAX),
      });
      return this.#record(row, context, "failed", outcomeOf(ending.code, text), [receipt, ...more]);
    }
    const detail = this.#deps.redact(ending.detail).slice(0, REASON_CHARS_MAX);
    // Reading, or doing the same thing once more, leaves nothing in doubt.
    const harmless = tool !== undefined && (tool.contract.risk === "read" || tool.contract.idempotent);
    const type = harmless ? "tool.call.failed" : "tool.call.unknown";
    const receipt = this.#facts.receipt(type, origin, row.callId, {
      ...base,
      why: ending.why,
      reason: detail,
    });
    const text = harmless
      ? `${row.toolId} gave no answer (${detail}). Nothing was changed.`
      : `${row.toolId} was started but gave no answer (${detail}). It is unknown whether it took effect. Do not repeat it; say so to the owner.`;
    return this.#record(row, context, harmless ? "failed" : "unknown", outcomeOf(ending.why, text), [
      receipt,
      ...more,
    ]);
  }

  async #record(
    row: CallRow,
    context: ToolCallContext,
    to: CallRow["state"],
    ended: CallOutcome,
    receipts: readonly NewReceipt[],
    changes: readonly LedgerChange[] = [],
  ): Promise<ToolOutcome> {
    const { ledger, clock, vault } = this.#deps;
    const words = row.approvalId && ownersWords(await ledger.approval(context.tenant, row.approvalId));
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
    if (!written.ok) return (await ledger.call(context.tenant, row.callId))?.outcome ?? outcome;
    await vault.drop(context.tenant, row.callId);
    return outcome;
  }
}

const PROGRESS_CHARS_MAX = 2_000;
const REASON_CHARS_MAX = 500;
