import type { Approval } from "@elwood/core/policy/approval";
import { writtenGlyphs } from "@elwood/core/base/glyphs";
import { showLine } from "@elwood/core/base/show";
import type { CallSummary } from "@elwood/core/card/outcome";
import { toWireApproval, type WireApproval } from "@elwood/core/protocol/approval-shapes";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { Ledger, ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import type { SessionStore } from "@elwood/runtime/ports/ports";
import { callStatusOf, isUndoableBy } from "./call-view.ts";

export interface ApprovalViewDeps {
  readonly ledger: Pick<Ledger, "call" | "receipts">;
  readonly toolSnapshot: () => ToolSnapshot;
  readonly sessions: Pick<SessionStore, "get">;
}

/** An approval as it travels, with the name of its conversation, and once it was allowed, what became of its call. */
export async function approvalView(
  deps: ApprovalViewDeps,
  tenant: string,
  approval: Approval,
): Promise<WireApproval> {
  const allowed = approval.card.kind === "approval" && approval.status === "approved";
  const [call, session] = await Promise.all([
    allowed ? callStand(deps, tenant, approval) : undefined,
    deps.sessions.get(tenant, approval.sessionId),
  ]);
  const wire = toWireApproval(approval, call);
  return session === undefined || session.title === ""
    ? wire
    : { ...wire, sessionTitle: writtenGlyphs(showLine(session.title)) };
}

async function callStand(
  { ledger, toolSnapshot }: ApprovalViewDeps,
  tenant: string,
  { callId, card }: Approval,
): Promise<CallSummary | undefined> {
  const [row, receipts] = await Promise.all([
    ledger.call(tenant, callId),
    ledger.receipts(tenant, { callId, types: ENDS, limit: ENDS.length * 2 }),
  ]);
  if (!row) return undefined;
  const undone = receipts.find(({ type }) => type === "tool.call.undone");
  const exitCode = receipts.find((each) => isReceipt(each, "tool.call.succeeded"))?.payload.exitCode;
  const status = callStatusOf(row, receipts);
  const canUndo =
    status === "succeeded" &&
    undone === undefined &&
    row.outcome?.value !== undefined &&
    card.preview?.undoable !== false &&
    isUndoableBy(toolSnapshot().get(row.toolId), row);
  return {
    status,
    canUndo,
    ...(exitCode ? { exitCode } : {}),
    ...(undone ? { undoneAt: undone.ts } : {}),
  };
}

const ENDS = [
  "tool.call.succeeded",
  "tool.call.failed",
  "tool.call.unknown",
  "tool.call.settled",
  "tool.call.undone",
] as const;
