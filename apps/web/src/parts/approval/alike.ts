import { areAlike, groupTitle as titleOf, isJoinable as mayJoin } from "@elwood/core/card/alike";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";

/** Calls that are asked about together. */

export function isJoinable(approval: WireApproval): boolean {
  return approval.decided.status === "pending" && mayJoin(approval);
}

/** Those that wait for the same run and do the same kind of thing, itself among them. */
export function alikeOf(approval: WireApproval, all: readonly WireApproval[]): readonly WireApproval[] {
  if (!isJoinable(approval)) return [approval];
  return all.filter((each) => isJoinable(each) && areAlike(each, approval));
}

/** "Write 3 files" */
export function groupTitle(approvals: readonly WireApproval[]): string {
  return titleOf(approvals[0]?.card.group, approvals.length);
}
