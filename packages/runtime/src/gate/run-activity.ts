import { activityOf, type ActivityItem } from "@elwood/core/activity";
import { LIMITS } from "@elwood/core/limits";
import { commitment, type Receipt, type Sha256 } from "@elwood/core/receipt";
import { shownTarget } from "./call-facts.ts";
import type { Ledger } from "./ports.ts";

type ActivityLedger = Pick<Ledger, "receipts" | "callsOfRun" | "body">;

const RECEIPTS_OF_RUN_MAX = 10_000;

/** What a run's calls add up to, read from its receipts page by page. */
export async function runActivity(
  ledger: ActivityLedger,
  tenant: string,
  runId: string,
  sha256: Sha256,
): Promise<readonly ActivityItem[]> {
  const receipts: Receipt[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; receipts.length < RECEIPTS_OF_RUN_MAX;) {
    const page = await ledger.receipts(tenant, { runId, limit: LIMITS.pageSizeMax, before });
    receipts.push(...page);
    const last = page.at(-1);
    if (!last || page.length < LIMITS.pageSizeMax) break;
    before = last.seq;
  }
  return activityOf(receipts, await provenTargets(ledger, tenant, runId, receipts, sha256));
}

/** What calls were about stands in their rows, and counts only where it is what their receipts commit to. */
async function provenTargets(
  ledger: ActivityLedger,
  tenant: string,
  runId: string,
  receipts: readonly Receipt[],
  sha256: Sha256,
): Promise<ReadonlyMap<string, string>> {
  const proven = new Map<string, string>();
  const committed = new Map<string, Receipt>();
  for (const receipt of receipts)
    if (receipt.callId !== undefined && typeof receipt.payload["targetCommit"] === "string")
      committed.set(receipt.callId, receipt);
  if (committed.size === 0) return proven;
  for (const { callId, target } of await ledger.callsOfRun(tenant, runId)) {
    const payload = committed.get(callId)?.payload;
    if (target === undefined || !payload) continue;
    const body = await ledger.body(tenant, String(payload["inputCommit"]));
    const shown = shownTarget(target);
    if (body && commitment(body.salt, shown, sha256) === payload["targetCommit"]) proven.set(callId, shown);
  }
  return proven;
}
