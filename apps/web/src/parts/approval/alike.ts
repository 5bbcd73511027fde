import type { WireApproval } from "@elwood/core/protocol/approval-shapes";

/** Calls that are asked about together. */

/** Whether calls of this kind may be decided together: all of it can be shown, and none of it destroys anything. */
export function isJoinable({ kind, plan, confirm, showable, card, decided }: WireApproval): boolean {
  return (
    kind === "approval" &&
    decided.status === "pending" &&
    card.group !== undefined &&
    !plan &&
    confirm === undefined &&
    showable &&
    !card.destructive
  );
}

/** Those that wait for the same run and do the same kind of thing, itself among them. */
export function alikeOf(approval: WireApproval, all: readonly WireApproval[]): readonly WireApproval[] {
  if (!isJoinable(approval)) return [approval];
  const { runId, card } = approval;
  return all.filter(
    (each) => isJoinable(each) && each.runId === runId && each.card.group?.many === card.group?.many,
  );
}

/** "Write 3 files" */
export function groupTitle(approvals: readonly WireApproval[]): string {
  const { verb, one, many } = approvals[0]?.card.group ?? { verb: "Allow", one: "call", many: "calls" };
  return `${verb} ${approvals.length} ${approvals.length === 1 ? one : many}`;
}
