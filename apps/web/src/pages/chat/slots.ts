import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { CALL_WORDS } from "@elwood/core/state-words";
import { html, nothing, type TemplateResult } from "lit";
import type { AppContext } from "../../app/context.ts";
import { stateBadge } from "../../parts/small.ts";
import type { ShownCall } from "./reply-parts.ts";

/** Cards that other parts of the page draw, at their place in a turn. Each is loaded with the first that needs it. */

/** Something that waits for the owner, or waited. */
export function approvalSlot(app: AppContext, approval: WireApproval | undefined): unknown {
  if (!approval) return nothing;
  void import("../../parts/approval/approval-dialog.ts");
  return html`<elwood-approval-dialog .app=${app} .approval=${approval}></elwood-approval-dialog>`;
}

export function callsSlot(
  _app: AppContext,
  _runId: string | undefined,
  calls: readonly ShownCall[],
): TemplateResult {
  return html`<ul class="call-lines">
    ${calls.map(
      ({ tool, status, message }) =>
        html`<li>
          <code>${tool}</code>
          <span class="call-words"
            >${status === "running" ? (message ?? "running") : stateBadge(CALL_WORDS, status)}</span
          >
        </li>`,
    )}
  </ul>`;
}

/** What was done for a reply, from the gateway's record; never the model's words. */
export function evidenceSlot(
  _app: AppContext,
  _runId: string | undefined,
  evidence: string | undefined,
  facts: readonly string[],
): unknown {
  if (evidence === undefined && facts.length === 0) return nothing;
  return html`<p class="evidence" data-from="gateway">
    ${
      evidence === undefined ? nothing : html`<span><span class="line-from">Evidence</span>${evidence}</span>`
    }
    ${facts.length === 0 ? nothing : html`<span class="evidence-facts">${facts.join(" · ")}</span>`}
  </p>`;
}
