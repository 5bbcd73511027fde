import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { expect, test } from "vitest";
import { PendingApprovals } from "./pending-approvals.ts";

test("a list that was on its way when somebody decided does not bring the question back", async () => {
  const lists: ((answer: unknown) => void)[] = [];
  const pendingApprovals = approvalsWith({
    "approvals.list": () => new Promise((answer) => void lists.push(answer)),
    "owner.answer": () => ({ ok: true, decided: DECIDED }),
  });
  const first = pendingApprovals.refresh();
  lists.pop()!({ approvals: [approval("a")] });
  await first;
  expect(pendingApprovals.pending.map((each) => each.approvalId)).toEqual(["a"]);
  const slow = pendingApprovals.refresh();
  await pendingApprovals.answer("a", "yes");
  lists.pop()!({ approvals: [approval("a"), approval("b")] });
  await slow;
  expect(pendingApprovals.pending.map((each) => each.approvalId)).toEqual(["b"]);
  expect(pendingApprovals.all.value.find((each) => each.approvalId === "a")?.decided).toEqual(DECIDED);
});

test("one that waits no longer is asked about, and shown as it was decided", async () => {
  const waiting = [approval("a")];
  const pendingApprovals = approvalsWith({
    "approvals.list": () => ({ approvals: waiting.splice(0) }),
    "approvals.get": () => ({ approval: { ...approval("a"), decided: DECIDED } }),
  });
  await pendingApprovals.refresh();
  await pendingApprovals.refresh();
  expect(pendingApprovals.pending).toEqual([]);
  expect(pendingApprovals.all.value[0]?.decided).toEqual(DECIDED);
});

const DECIDED = { status: "approved", at: 2, note: "yes" };

function approval(approvalId: string): WireApproval {
  const waits = { approvalId, kind: "question", createdAt: 1, decided: { status: "pending" } };
  // The room looks at nothing else.
  return waits as unknown as WireApproval;
}

function approvalsWith(answers: Readonly<Record<string, () => unknown>>): PendingApprovals {
  const link = {
    call: async (method: string) => answers[method]!(),
    onReady: () => () => undefined,
    onPush: () => () => undefined,
  };
  return new PendingApprovals(
    link as unknown as ConstructorParameters<typeof PendingApprovals>[0],
    () => undefined,
  );
}
