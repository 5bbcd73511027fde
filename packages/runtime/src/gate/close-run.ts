import type { Decider } from "@elwood/core/receipts/receipt";
import type { ClosedRun, ToolCallContext, ToolOutcome } from "../ports/ports.ts";
import { PROGRAM_TOOL } from "../programs/program-tools.ts";
import { whoStopped } from "../run/stop-cause.ts";
import { stopperOf, type CallBook } from "./call-book.ts";
import { toldOf } from "./call-outcome.ts";
import { dropSecrets } from "./drop-secrets.ts";
import type { GateDeps } from "./gate-deps.ts";
import type { CallRow } from "./ports.ts";
import type { Runner } from "./runner.ts";

interface Parts {
  readonly book: CallBook;
  readonly runner: Runner;
}

/**
 * Ends what a run that is over leaves behind: no question waits for an answer that nobody
 * would act on, and no call stays `started`. Answers how each call of the run came out.
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
    // Undoing belongs to the owner, not to the run whose call it takes back.
    if (found.undoes !== undefined) continue;
    const outcome = await closeCall(deps, parts, found, context, decidedBy, RUN_OVER);
    if (outcome) outcomes.set(found.callId, outcome);
    if (found.toolId === PROGRAM_TOOL) await deps.programs?.drop(tenant, found.callId);
  }
  return outcomes;
}

/**
 * Ends what a program that is over leaves behind: its journal, and calls that it did not
 * come to again, because it took another way or its rehearsal was cut short.
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
  { book, runner }: Parts,
  found: CallRow,
  context: ToolCallContext,
  decidedBy: Decider,
  why: string,
): Promise<ToolOutcome | undefined> {
  const { ledger, approvals } = deps;
  const { tenant } = context;
  let row = found;
  // Asked at most becomes approved by an answer in this very moment, and that is closed too.
  for (let step = 0; step < STEPS_MAX; step++) {
    if (row.state === "asked") await approvals.withdraw(tenant, row.approvalId ?? "", decidedBy, why);
    else if (row.state === "approved") await book.voided(row, context, why, decidedBy);
    else if (row.state === "started") await runner.close(row, context, decidedBy);
    else {
      await dropSecrets(deps, tenant, row.callId);
      break;
    }
    row = (await ledger.call(tenant, row.callId)) ?? row;
  }
  return row.outcome && toldOf(row, row.outcome);
}

const STEPS_MAX = 4;
export const RUN_OVER = "The run ended before this was done.";
const PROGRAM_OVER = "The program ended before this was done.";

/** For a call that nobody listens to any more. */
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
