import { activityOf, type ActivityItem } from "@elwood/core/activity";
import { LIMITS } from "@elwood/core/limits";
import type { Receipt } from "@elwood/core/receipt";
import { shownTarget } from "./call-facts.ts";
import type { Ledger } from "./ports.ts";

const RECEIPTS_OF_RUN_MAX = 10_000;

/** What a run's calls add up to, read from its receipts page by page; what they were about is in their rows. */
export async function runActivity(
  ledger: Pick<Ledger, "receipts" | "callsOfRun">,
  tenant: string,
  runId: string,
): Promise<readonly ActivityItem[]> {
  const receipts: Receipt[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; receipts.length < RECEIPTS_OF_RUN_MAX;) {
    const page = await ledger.receipts(tenant, { runId, limit: LIMITS.pageSizeMax, before });
    receipts.push(...page);
    const last = page.at(-1);
    if (!last || page.length < LIMITS.pageSizeMax) break;
    before = last.seq;
  }
  if (!receipts.some(({ callId }) => callId !== undefined)) return [];
  const targets = new Map<string, string>();
  for (const { callId, target } of await ledger.callsOfRun(tenant, runId))
    if (target !== undefined) targets.set(callId, shownTarget(target));
  return activityOf(receipts, targets);
}
