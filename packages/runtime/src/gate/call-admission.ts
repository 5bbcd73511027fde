import { FailureError } from "@elwood/core/base/failure";
import type { ToolCall, ToolCallContext } from "../ports/ports.ts";
import { stopperOf, type CallTransitions } from "./call-transitions.ts";
import { RUN_OVER } from "./close-run.ts";
import type { GateDeps } from "./gate-deps.ts";
import { NO_SUCH_SECRET, unknownTool } from "./gate-messages.ts";
import type { CallRow, Vault } from "./ports.ts";
import { ASKED_TOO_OFTEN, planVerdict, type ProgramCalls } from "./program-calls.ts";

/** Admits a new call: validates, decides, and writes its first durable row. */
export class CallAdmission {
  readonly #deps: GateDeps;
  readonly #transitions: CallTransitions;
  readonly #programs: ProgramCalls;

  constructor(deps: GateDeps, transitions: CallTransitions, programs: ProgramCalls) {
    this.#deps = deps;
    this.#transitions = transitions;
    this.#programs = programs;
  }

  /** Returns undefined if the gateway is stopping; then nothing was written. */
  async admitCall(call: ToolCall, given: ToolCallContext): Promise<CallRow | undefined> {
    const { vault, toolSnapshot, verdictFor, approver } = this.#deps;
    const { tenant, sessionId, runId } = given;
    const transitions = this.#transitions;
    const tool = toolSnapshot(runId).get(call.toolId);
    if (!tool)
      return transitions.refuse(call, given, undefined, unknownTool(call.toolId, toolSnapshot(runId)));
    const opened = await restoreSecrets(vault, tenant, call.callId, call.input);
    if (opened === undefined) return transitions.refuse(call, given, tool, NO_SUCH_SECRET);
    const parsed = tool.parseInput(opened.input);
    if (!parsed.ok) return transitions.refuse(call, given, tool, `${parsed.error}\nNothing was done.`);
    const vetted = await this.#programs.vet(tool, parsed.value, runId);
    if (vetted.problem !== undefined) return transitions.refuse(call, given, tool, vetted.problem);
    const context = { ...given, note: { ...given.note, ...vetted.note } };
    const input = await vault.storeSecrets(tenant, call.callId, parsed.value);
    const row = transitions.row(call, context, tool, input, await tool.target(parsed.value));
    for (let tries = 0; tries < STEPS_MAX; tries++) {
      if (isStopping(context.signal)) return undefined;
      if (context.signal.aborted) return transitions.deny(row, context, stopperOf(context), RUN_OVER);
      const decided = await verdictFor(tenant, tool, parsed.value, sessionId);
      const plan =
        approver && decided.decision === "allow" && vetted.checked
          ? await this.#programs.plan(vetted.checked, row, context)
          : undefined;
      // A dry run that was interrupted by a stop proves nothing.
      if (vetted.checked && context.signal.aborted) continue;
      const verdict = plan ? planVerdict(plan) : decided;
      if (verdict.decision === "deny")
        return transitions.deny(row, context, { kind: "policy", rule: verdict.rule }, verdict.reason);
      if (verdict.decision === "ask") {
        if (!approver) return transitions.deny(row, context, { kind: "none" }, NO_APPROVER);
        const planned = await this.#programs.planned(row, context, tool, parsed.value, verdict);
        if (planned) return transitions.approvedByPlan(row, context, planned);
        if (await this.#programs.askedTooOften(row, context))
          return transitions.deny(row, context, { kind: "policy", rule: "program.asks" }, ASKED_TOO_OFTEN);
        const asked = await transitions.ask(row, context, tool, parsed.value, verdict, plan);
        if (asked) return asked;
        continue;
      }
      const allowed = await transitions.allow(row, context, verdict);
      // The grant was revoked or used up in the meantime: decide again without it.
      if (allowed) return allowed;
    }
    return transitions.deny(
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

/** Returns undefined if the input names a secret that is not stored for this call. */
export async function restoreSecrets(
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
