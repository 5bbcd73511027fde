import type { Decider } from "@elwood/core/receipts/receipt";
import type { ClosedRun, ToolCallContext, ToolOutcome } from "../ports/ports.ts";
import { PROGRAM_TOOL } from "../programs/program-tools.ts";
import { whoStopped } from "../run/stop-cause.ts";
import { stopperOf, type CallTransitions } from "./call-transitions.ts";
import { toToolOutcome } from "./call-outcome.ts";
import { dropSecrets } from "./drop-secrets.ts";
import type { GateDeps } from "./gate-deps.ts";
import type { CallRow } from "./ports.ts";
import type { Runner } from "./runner.ts";

interface Parts {
  readonly transitions: CallTransitions;
  readonly runner: Runner;
}

/**
 * Cleans up after a run: withdraws open questions and ends calls that are still `started`. Returns how
 * each call of the run ended.
 */
export async function closeRun(
  deps: GateDeps,
  parts: Parts,
  tenant: string,
  run: ClosedRun,
): Promise<ReadonlyMap<string, ToolOutcome>> {
  const context = contextOf(tenant, run);
  const decidedBy: Decider =
    run.by === "gateway" ? { kind: "policy", rule: "run.over" } : { kind: "owner", ...run.by };
  const outcomes = new Map<string, ToolOutcome>();
  for (const found of await deps.ledger.callsOfRun(tenant, run.runId)) {
    // An undo belongs to the owner, not to the run whose call it undoes.
    if (found.undoes !== undefined) continue;
    const outcome = await closeCall(deps, parts, found, context, decidedBy, RUN_OVER);
    if (outcome) outcomes.set(found.callId, outcome);
    if (found.toolId === PROGRAM_TOOL) await deps.programs?.drop(tenant, found.callId);
  }
  return outcomes;
}

/**
 * Cleans up after a program: its journal, and calls that it did not repeat because it took another
 * path or its dry run was interrupted.
 */
export async function closeProgram(
  deps: GateDeps,
  parts: Parts,
  callId: string,
  context: ToolCallContext,
): Promise<void> {
  const { tenant, runId, signal } = context;
  const decidedBy: Decider = whoStopped(signal.reason)
    ? stopperOf(context)
    : { kind: "policy", rule: "program.over" };
  for (const row of await deps.ledger.callsOfRun(tenant, runId)) {
    if (!row.callId.startsWith(`${callId}.`) || row.undoes !== undefined || row.outcome) continue;
    await closeCall(deps, parts, row, context, decidedBy, PROGRAM_OVER);
  }
  await deps.programs?.drop(tenant, callId);
}

async function closeCall(
  deps: GateDeps,
  { transitions, runner }: Parts,
  found: CallRow,
  context: ToolCallContext,
  decidedBy: Decider,
  why: string,
): Promise<ToolOutcome | undefined> {
  const { ledger, approvals } = deps;
  const { tenant } = context;
  let row = found;
  // A pending approval may be granted concurrently; then the approved call is closed too.
  for (let step = 0; step < STEPS_MAX; step++) {
    if (row.state === "asked") await approvals.withdraw(tenant, row.approvalId ?? "", decidedBy, why);
    else if (row.state === "approved") await transitions.voided(row, context, why, decidedBy);
    else if (row.state === "started") await runner.close(row, context, decidedBy);
    else {
      await dropSecrets(deps, tenant, row.callId);
      break;
    }
    row = (await ledger.call(tenant, row.callId)) ?? row;
  }
  return row.outcome && toToolOutcome(row, row.outcome);
}

const STEPS_MAX = 4;
export const RUN_OVER = "The run ended before this was done.";
const PROGRAM_OVER = "The program ended before this was done.";

/** A context for a call without listeners. */
export function contextOf(tenant: string, run: Omit<ClosedRun, "by">): ToolCallContext {
  const nothing = () => undefined;
  return {
    tenant,
    sessionId: run.sessionId,
    runId: run.runId,
    surface: run.surface,
    signal: new AbortController().signal,
    entered: nothing,
    progress: nothing,
    started: nothing,
    waiting: nothing,
  };
}
