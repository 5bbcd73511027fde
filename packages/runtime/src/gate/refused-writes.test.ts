import { err, ok } from "@elwood/core/base/result";
import { ASK, OWNER, refusingLedger, rig, T, tool } from "@elwood/testkit/gate-rig";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLedger } from "@elwood/testkit/memory-ledger";
import { expect, test } from "vitest";
import type { ApprovalEvent } from "./approvals.ts";

type Rig = Awaited<ReturnType<typeof rig>>;

function announced(r: Rig): string[] {
  const ids: string[] = [];
  r.approvals.onEvent(({ kind, approval }: ApprovalEvent) => {
    if (kind === "requested") ids.push(approval.id);
  });
  return ids;
}

const closing = { runId: "run", sessionId: "s", surface: "test", by: "gateway" } as const;

test("a call that is ended while it is looked at again is not announced as a second question", async () => {
  const r = await rig({ verdict: ASK });
  let looks = 0;
  r.tools.set(
    "test.note.write",
    tool("test.note.write", "write", async (input) => (r.effects.push(input), ok({ value: {} })), {
      preview: async () => {
        looks += 1;
        if (looks === 2) await r.gate.closeRun(T, closing);
        return { sentence: "Write it", before: `as it is at look ${looks}`, after: "new" };
      },
    }),
  );
  const requested = announced(r);
  const outcome = r.call("c1", "test.note.write");
  const id = await r.pending();
  await r.approvals.answer(T, id, OWNER, { decision: "once" });
  expect(await outcome).toMatchObject({
    status: "error",
    text: expect.stringContaining("The run ended before this was done."),
  });
  expect(requested).toEqual([id]);
  expect(await r.ledger.approvals(T, { status: "pending", limit: 1 })).toEqual([]);
  expect(r.effects).toEqual([]);
});

test("a question whose row is refused is not announced, and nobody waits for its answer", async () => {
  const ledger = memoryLedger({ clock: new ManualClock() });
  const r = await rig({ ledger: refusingLedger(ledger, ({ kind }) => kind === "approval.new") });
  r.tools.set(
    "owner.question.ask",
    tool("owner.question.ask", "read", async () => err({ code: "never", message: "", retryable: false })),
  );
  const requested = announced(r);
  await expect(r.call("c1", "owner.question.ask", { question: "Which day?" })).rejects.toThrow(
    "the ledger refused approval.new for call c1",
  );
  expect(requested).toEqual([]);
});

test("a question of a call that was ended meanwhile has the outcome that was recorded", async () => {
  const inner = memoryLedger({ clock: new ManualClock() });
  const r = await rig({
    ledger: {
      ...inner,
      async write(tenant, unit) {
        const asks = unit.changes.some(({ kind }) => kind === "approval.new");
        if (asks) await r.gate.closeRun(T, closing);
        return inner.write(tenant, unit);
      },
    },
  });
  r.tools.set(
    "owner.question.ask",
    tool("owner.question.ask", "read", async () => err({ code: "never", message: "", retryable: false })),
  );
  const requested = announced(r);
  expect(await r.call("c1", "owner.question.ask", { question: "Which day?" })).toMatchObject({
    status: "error",
    text: expect.stringContaining("The run ended before the owner answered."),
  });
  expect(requested).toEqual([]);
});
