import { html, type TemplateResult } from "lit";
import { callBadge } from "../../../parts/small.ts";

/** What the gateway told, ready to be drawn. */
export interface Told {
  view(): TemplateResult;
  /** It changes by itself, and is asked for again soon. */
  readonly goesOn?: boolean;
}

export function receiptLink(receiptId: string): TemplateResult {
  return html`<a href="/receipts/${encodeURIComponent(receiptId)}">receipt</a>`;
}

/** Receipts call everything pending that has no end; only some of it waits for the owner. */
export function toldBadge(status: string, asks: boolean, exitCode?: number): TemplateResult {
  return callBadge(status === "pending" && !asks ? "started" : status, exitCode);
}
