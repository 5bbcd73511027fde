import { FailureError } from "@elwood/core/base/failure";
import type { ToolCall, ToolCallContext } from "../ports/ports.ts";
import { stopperOf, type CallBook } from "./call-book.ts";
import { RUN_OVER } from "./close-run.ts";
import type { GateDeps } from "./gate-deps.ts";
import { NO_SUCH_SECRET, unknownTool } from "./gate-words.ts";
import type { CallRow, Vault } from "./ports.ts";
import { ASKED_TOO_OFTEN, planVerdict, type ProgramCalls } from "./program-calls.ts";

/** A call's way from its first word to its first durable row. */
export class Entrance {
  readonly #deps: GateDeps;
  readonly #book: CallBook;
  readonly #programs: ProgramCalls;

  constructor(deps: GateDeps, book: CallBook, programs: ProgramCalls) {
    this.#deps = deps;
    this.#book = book;
    this.#programs = programs;
  }

  /** undefined where the gateway is stopping, and nothing was written. */
  async enter(call: ToolCall, given: ToolCallContext): Promise<CallRow | undefined> {
    const { vault, table, verdictFor, approver } = this.#deps;
    const { tenant, sessionId, runId } = given;
    const book = this.#book;
    const tool = table(runId).get(call.toolId);
    if (!tool) return book.refuse(call, given, undefined, unknownTool(call.toolId, table(runId)));
    const opened = await openSealed(vault, tenant, call.callId, call.input);
    if (opened === undefined) return book.refuse(call, given, tool, NO_SUCH_SECRET);
    const parsed = tool.parseInput(opened.input);
    if (!parsed.ok) return book.refuse(call, given, tool, `${parsed.error}\nNothing was done.`);
    const vetted = await this.#programs.vet(tool, parsed.value, runId);
    if (vetted.problem !== undefined) return book.refuse(call, given, tool, vetted.problem);
    const context = { ...given, note: { ...given.note, ...vetted.note } };
    const input = await vault.seal(tenant, call.callId, parsed.value);
    const row = book.row(call, context, tool, input, await tool.target(parsed.value));
    for (let tries = 0; tries < STEPS_MAX; tries++) {
      if (isStopping(context.signal)) return undefined;
      if (context.signal.aborted) return book.deny(row, context, stopperOf(context), RUN_OVER);
      const decided = await verdictFor(tenant, tool, parsed.value, sessionId);
      const plan =
        approver && decided.decision === "allow" && vetted.checked
          ? await this.#programs.plan(vetted.checked, row, context)
          : undefined;
      // A stop in the middle of a rehearsal says nothing about what would have been seen.
      if (vetted.checked && context.signal.aborted) continue;
      const verdict = plan ? planVerdict(plan) : decided;
      if (verdict.decision === "deny")
        return book.deny(row, context, { kind: "policy", rule: verdict.rule }, verdict.reason);
      if (verdict.decision === "ask") {
        if (!approver) return book.deny(row, context, { kind: "none" }, NO_APPROVER);
        const planned = await this.#programs.planned(row, context, tool, parsed.value, verdict);
        if (planned) return book.approvedByPlan(row, context, planned);
        if (await this.#programs.askedTooOften(row, context))
          return book.deny(row, context, { kind: "policy", rule: "program.asks" }, ASKED_TOO_OFTEN);
        const asked = await book.ask(row, context, tool, parsed.value, verdict, plan);
        if (asked) return asked;
        continue;
      }
      const allowed = await book.allow(row, context, verdict);
      // A grant that was revoked or used up in this very moment covers nothing any more: decided anew, without it.
      if (allowed) return allowed;
    }
    return book.deny(
      row,
      context,
      { kind: "policy", rule: "gate.grant-gone" },
      "The permission it relied on was gone again and again.",
    );
  }
}

const STEPS_MAX = 20;
const NO_APPROVER = "This call needs the owner's approval, and no approver is configured.";

export function isStopping(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason === "shutdown";
}

/** undefined where the input names a secret that is not kept for this call: copied from another one, or made up. */
export async function openSealed(
  vault: Vault,
  tenant: string,
  callId: string,
  sealed: unknown,
): Promise<{ input: unknown } | undefined> {
  try {
    return { input: await vault.open(tenant, callId, sealed) };
  } catch (error) {
    if (error instanceof FailureError && error.failure.reason === "NOT_FOUND") return undefined;
    throw error;
  }
}
