import {
  activityOf,
  sessionActivityOf,
  type ActivityItem,
  type SessionActivityItem,
} from "@elwood/core/tool/activity";
import { planTarget } from "@elwood/core/tool/plan";
import { LIMITS } from "@elwood/core/base/limits";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import { commitment, type Receipt, type Sha256, type StoredReceipt } from "@elwood/core/receipts/receipt";
import { PROGRAM_TOOL } from "./program-tools.ts";
import { shownTarget } from "./receipt-factory.ts";
import type { CallRow, Ledger } from "../ports/gate-ports.ts";
import type { SessionActivityQuery } from "../ports/ports.ts";

const RECEIPTS_OF_RUN_MAX = 10_000;
/** So many calls of a session are told together, the newest. */
export const SESSION_CALLS_MAX = 500;

/** What a run's calls add up to, read from its receipts page by page. */
export async function runActivity(
  ledger: Pick<Ledger, "receipts" | "callsOfRun" | "salts" | "approval">,
  tenant: string,
  runId: string,
  sha256: Sha256,
): Promise<readonly ActivityItem[]> {
  const receipts: StoredReceipt[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; receipts.length < RECEIPTS_OF_RUN_MAX;) {
    const page = await ledger.receipts(tenant, { runId, limit: LIMITS.pageSizeMax, before });
    receipts.push(...page);
    const last = page.at(-1);
    if (!last || page.length < LIMITS.pageSizeMax) break;
    before = last.seq;
  }
  const rows = receipts.some(commitsToTarget) ? await ledger.callsOfRun(tenant, runId) : [];
  const targets = await provenTargets(ledger, tenant, rows, receipts, sha256);
  return activityOf(receipts, new Map([...targets, ...(await plannedTargets(ledger, tenant, receipts))]));
}

/** What the calls of a session add up to, up to those of a run: three questions to the ledger, however long it is. */
export async function sessionActivity(
  ledger: Pick<Ledger, "callsOfSession" | "hasUndos" | "receiptsOfCalls" | "salts" | "approval">,
  tenant: string,
  sessionId: string,
  { runId, limit = SESSION_CALLS_MAX, ifUndone = false }: SessionActivityQuery,
  sha256: Sha256,
): Promise<readonly SessionActivityItem[]> {
  if (ifUndone && !(await ledger.hasUndos(tenant, sessionId))) return [];
  const calls = await ledger.callsOfSession(tenant, sessionId, {
    through: runId,
    limit: Math.min(limit, SESSION_CALLS_MAX),
  });
  if (calls.length === 0 || (ifUndone && !calls.some(({ undoes }) => undoes !== undefined))) return [];
  const receipts = await ledger.receiptsOfCalls(
    tenant,
    calls.map(({ callId }) => callId),
  );
  const proven = await provenTargets(ledger, tenant, calls, receipts, sha256);
  const targets = new Map([...proven, ...(await plannedTargets(ledger, tenant, receipts))]);
  return sessionActivityOf(receipts, targets, runId);
}

/** Programs that asked with a list of calls and did not run are about the calls on it: none of them is on record by itself. */
async function plannedTargets(
  ledger: Pick<Ledger, "approval">,
  tenant: string,
  receipts: readonly StoredReceipt[],
): Promise<ReadonlyMap<string, string>> {
  const started = new Set(
    receipts.flatMap(({ type, callId }) => (type === "tool.call.started" ? [callId] : [])),
  );
  const planned = new Map<string, string>();
  for (const receipt of receipts) {
    const { callId } = receipt;
    if (callId === undefined || started.has(callId) || !isReceipt(receipt, "tool.call.asked")) continue;
    const { toolId, approvalId } = receipt.payload;
    if (toolId !== PROGRAM_TOOL) continue;
    const plan = (await ledger.approval(tenant, approvalId))?.card.plan;
    if (plan) planned.set(callId, shownTarget(planTarget(plan)));
  }
  return planned;
}

/** What calls were about stands in their rows, and counts only where it is what their receipts commit to. */
async function provenTargets(
  ledger: Pick<Ledger, "salts">,
  tenant: string,
  rows: readonly Pick<CallRow, "callId" | "target">[],
  receipts: readonly StoredReceipt[],
  sha256: Sha256,
): Promise<ReadonlyMap<string, string>> {
  const proven = new Map<string, string>();
  // Of an edited call the last commitment is to what it was edited to.
  const committed = new Map(
    receipts
      .filter(commitsToTarget)
      .sort((a, b) => a.seq - b.seq)
      .map(({ callId, payload }) => [callId, payload]),
  );
  if (committed.size === 0) return proven;
  const bodies = [...committed.values()].map(({ inputCommit = "" }) => inputCommit);
  const salts = await ledger.salts(tenant, bodies);
  for (const { callId, target } of rows) {
    const payload = committed.get(callId);
    if (target === undefined || !payload) continue;
    const salt = salts.get(payload.inputCommit ?? "");
    const shown = shownTarget(target);
    if (salt !== undefined && commitment(salt, shown, sha256) === payload.targetCommit)
      proven.set(callId, shown);
  }
  return proven;
}

function commitsToTarget(
  receipt: StoredReceipt,
): receipt is Receipt<"tool.call.requested"> | Receipt<"tool.call.approved"> {
  return (
    (isReceipt(receipt, "tool.call.requested") || isReceipt(receipt, "tool.call.approved")) &&
    receipt.payload.targetCommit !== undefined
  );
}
