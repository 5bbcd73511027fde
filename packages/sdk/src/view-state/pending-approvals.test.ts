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

test("of more than one list holds the next are asked for as these are decided, here or elsewhere", async () => {
  const waiting = Array.from({ length: 500 }, (_, i) => ({ ...approval(`a${i}`), createdAt: i }));
  const decide = () => ({ ...waiting.shift()!, decided: DECIDED });
  const pendingApprovals = approvalsWith({
    "approvals.list": () => ({ approvals: waiting.slice(0, 200) }),
    "approvals.get": () => ({ approval: decide() }),
    "owner.answer": () => ({ ok: true, decided: decide().decided }),
  });
  await pendingApprovals.refresh();
  expect(pendingApprovals.pending).toHaveLength(200);
  for (let next = waiting[0]; next; next = waiting[0]) {
    if (next.createdAt % 2 === 0) await pendingApprovals.answer(next.approvalId, "yes");
    else await pendingApprovals.fetch(next.approvalId);
    await Promise.resolve();
    expect(pendingApprovals.pending.length).toBeGreaterThanOrEqual(Math.min(waiting.length, 100));
  }
  expect(pendingApprovals.pending).toEqual([]);
});

test("those that were all decided elsewhere leave nobody with an empty list while others wait", async () => {
  const waiting = Array.from({ length: 300 }, (_, i) => ({ ...approval(`a${i}`), createdAt: i }));
  const pendingApprovals = approvalsWith({
    "approvals.list": () => ({ approvals: waiting.slice(0, 200) }),
    "approvals.get": () => ({ approval: { ...waiting.shift()!, decided: DECIDED } }),
  });
  await pendingApprovals.refresh();
  for (let i = 0; i < 200; i++) await pendingApprovals.fetch(`a${i}`);
  await expect.poll(() => pendingApprovals.pending.length).toBe(100);
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
