import { html, type TemplateResult } from "lit";
import { callBadge } from "../../../parts/small.ts";
import { say } from "../../../words/en/chat.ts";

/** Data from the gateway, ready to render. */
export interface PanelData {
  view(): TemplateResult;
  /** Whether it changes on its own and must be refetched soon. */
  readonly goesOn?: boolean;
}

export function receiptLink(receiptId: string): TemplateResult {
  return html`<a href="/receipts/${encodeURIComponent(receiptId)}">${say.receipt}</a>`;
}

/** Receipts call everything pending that has no end; only some of it waits for the owner. */
export function activityBadge(status: string, asks: boolean, exitCode?: number): TemplateResult {
  return callBadge(status === "pending" && !asks ? "started" : status, exitCode);
}
