import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { html, nothing, type TemplateResult } from "lit";
import type { AppContext } from "../../app/context.ts";
import { alikeOf } from "../../parts/approval/alike.ts";
import type { ShownCall } from "@elwood/sdk/view-state/reply-parts";
import "../../parts/evidence/evidence.ts";

/** Cards that other parts of the page draw, at their place in a turn. Each is loaded with the first that needs it. */

/** Something that waits for the owner, or waited. Several of a kind stand together, where the first of them does. */
export function approvalSlot(app: AppContext, approval: WireApproval | undefined): unknown {
  if (!approval) return nothing;
  need(import("../../parts/approval/approval-dialog.ts"));
  const alike = alikeOf(approval, app.waiting.pending);
  if (alike.length > 1) {
    if (alike[0] !== approval) return nothing;
    need(import("../../parts/approval/approval-group.ts"));
    return html`<elwood-approval-group .app=${app} .approvals=${alike}></elwood-approval-group>`;
  }
  return html`<elwood-approval-dialog .app=${app} .approval=${approval}></elwood-approval-dialog>`;
}

/** The calls of a run, folded. */
export function callsSlot(
  app: AppContext,
  runId: string | undefined,
  calls: readonly ShownCall[],
): TemplateResult {
  need(import("../../parts/calls/call-group.ts"));
  // A call that waits for the owner has not begun, whatever was heard of it last.
  const waits = new Set(app.waiting.holding.map(({ callId }) => callId));
  const shown = calls.map((call) => (waits.has(call.callId) ? { ...call, status: "asked" } : call));
  return html`<elwood-call-group .app=${app} .runId=${runId} .calls=${shown}></elwood-call-group>`;
}

/** What was done for a reply, from the gateway's record; never the model's words. */
export function evidenceSlot(
  app: AppContext,
  runId: string | undefined,
  evidence: string | undefined,
  facts: readonly string[],
): unknown {
  if (runId === undefined || evidence === undefined) return nothing;
  if (evidence === "")
    return facts.length === 0 ? nothing : html`<p class="reply-facts hint">${facts.join(" · ")}</p>`;
  return html`<elwood-evidence
    .app=${app}
    .runId=${runId}
    .line=${evidence}
    .facts=${facts}
  ></elwood-evidence>`;
}

/** What cannot be fetched while the gateway is away is asked for again when the turn is drawn next. */
function need(part: Promise<unknown>): void {
  part.catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
  });
}
