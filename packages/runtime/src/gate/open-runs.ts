import { LIMITS } from "@elwood/core/base/limits";
import type { NewReceipt } from "@elwood/core/receipts/receipt";
import type { RunFact } from "../ports/ports.ts";
import type { Ledger } from "./ports.ts";

export function runReceipt(fact: RunFact): NewReceipt {
  const { runId, surface, sessionId } = fact;
  const base = { runId, actor: "gateway", surface };
  if (fact.what === "finished")
    return { ...base, type: "run.finished", payload: { sessionId, ...fact.detail } };
  const payload = { sessionId, ...fact.detail };
  return fact.what === "started"
    ? { ...base, type: "run.started", payload }
    : { ...base, type: "run.resumed", payload };
}

/**
 * Runs that have begun on record and have not ended there. Only so many run at once, so that
 * those a dead process left are among the newest; older ones are not looked for.
 */
export async function openRuns(ledger: Ledger, tenant: string): Promise<readonly string[]> {
  const facts = await ledger.receipts(tenant, {
    types: ["run.started", "run.resumed", "run.finished"],
    limit: LIMITS.pageSizeMax,
  });
  const ended = new Set(facts.filter(({ type }) => type === "run.finished").map(({ runId }) => runId));
  return [...new Set(facts.map(({ runId }) => runId))].filter((runId) => !ended.has(runId));
}
