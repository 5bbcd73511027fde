import type { Decider } from "@elwood/core/receipt";
import type { ClosedRun, ToolCallContext, ToolOutcome } from "../ports.ts";
import type { CallBook } from "./call-book.ts";
import { dropSecrets } from "./drop-secrets.ts";
import type { GateDeps } from "./gate-deps.ts";
import type { CallRow } from "./ports.ts";
import type { Runner } from "./runner.ts";

/**
 * Ends what a run that is over leaves behind: no question waits for an answer that nobody
 * would act on, and no call stays `started`. Answers how each call of the run came out.
 */
export async function closeRun(
  deps: GateDeps,
  parts: { readonly book: CallBook; readonly runner: Runner },
  tenant: string,
  run: ClosedRun,
): Promise<ReadonlyMap<string, ToolOutcome>> {
  const { ledger, approvals } = deps;
  const context = contextOf(tenant, run);
  const decidedBy: Decider =
    run.by === "gateway" ? { kind: "policy", rule: "run.over" } : { kind: "owner", ...run.by };
  const outcomes = new Map<string, ToolOutcome>();
  for (const found of await ledger.callsOfRun(tenant, run.runId)) {
    // Undoing belongs to the owner, not to the run whose call it takes back.
    if (found.undoes !== undefined) continue;
    const outcome = await close(found);
    if (outcome) outcomes.set(found.callId, outcome);
  }
  return outcomes;

  async function close(found: CallRow): Promise<ToolOutcome | undefined> {
    let row = found;
    // Asked at most becomes approved by an answer in this very moment, and that is closed too.
    for (let step = 0; step < STEPS_MAX; step++) {
      if (row.state === "asked") await approvals.withdraw(tenant, row.approvalId ?? "", decidedBy, RUN_OVER);
      else if (row.state === "approved") await parts.book.voided(row, context, RUN_OVER, decidedBy);
      else if (row.state === "started") await parts.runner.close(row, context, decidedBy);
      else {
        await dropSecrets(deps, tenant, row.callId);
        return row.outcome;
      }
      row = (await ledger.call(tenant, row.callId)) ?? row;
    }
    return row.outcome;
  }
}

const STEPS_MAX = 4;
export const RUN_OVER = "The run ended before this was done.";

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
