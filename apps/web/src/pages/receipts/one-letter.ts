import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { FetchedLog } from "./verify-log.ts";

/** A copy of a log in which one letter is another, and where that is. */
export interface OneLetter {
  readonly log: FetchedLog;
  readonly seq: number;
  readonly before: string;
  readonly after: string;
}

/**
 * What somebody would try who wants to hide something: one letter of a receipt changed, in a copy.
 * Of calls the newest one is taken, since that is the one its reader remembers.
 */
export function withOneLetterChanged(log: FetchedLog): OneLetter | undefined {
  const told = log.receipts.filter((each): each is StoredReceipt => "payload" in each);
  const of = (type: string) => told.findLast((each) => each.type === type);
  const receipt = of("tool.call.succeeded") ?? of("tool.call.requested") ?? told.at(-1);
  if (!receipt) return undefined;
  const before = receipt.type;
  const at = before.length - 1;
  const after = `${before.slice(0, at)}${before[at] === "x" ? "y" : "x"}`;
  const receipts = log.receipts.map((each) => (each === receipt ? { ...receipt, type: after } : each));
  return { log: { ...log, receipts }, seq: receipt.seq, before, after };
}
