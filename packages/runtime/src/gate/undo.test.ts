import { failure, FailureError } from "@elwood/core/base/failure";
import { ok } from "@elwood/core/base/result";
import { OWNER, refusingLedger, rig, T, tool } from "@elwood/testkit/gate-rig";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLedger } from "@elwood/testkit/memory-ledger";
import { expect, test } from "vitest";
import type { Ledger } from "../ports/gate-ports.ts";

/** A call that succeeded and can be undone; its effects are "did" and "undid". */
async function done(ledger: Ledger) {
  const r = await rig({ ledger });
  r.tools.set(
    "test.undoable.do",
    tool("test.undoable.do", "write", async () => (r.effects.push("did"), ok({ value: { id: 7 } })), {
      undo: async () => (r.effects.push("undid"), ok({ value: {} })),
    }),
  );
  await r.call("c1", "test.undoable.do");
  return r;
}

test("an undo whose start cannot be recorded does not run", async () => {
  const ledger = memoryLedger({ clock: new ManualClock() });
  const r = await done(
    refusingLedger(ledger, (change) => change.kind === "call.new" && change.call.undoes !== undefined),
  );
  await expect(r.gate.undo(T, "c1", r.context(), OWNER)).rejects.toMatchObject({
    failure: { reason: "CONFLICT", message: expect.stringContaining("Nothing was undone.") },
  });
  expect(r.effects).toEqual(["did"]);
});

test("an undo whose outcome is refused is not reported as a success", async () => {
  const ledger = memoryLedger({ clock: new ManualClock() });
  const r = await done(
    refusingLedger(ledger, (change) => change.kind === "call.move" && change.callId !== "c1"),
  );
  const outcome = await r.gate.undo(T, "c1", r.context(), OWNER);
  expect(r.effects).toEqual(["did", "undid"]);
  expect(outcome).toMatchObject({ status: "error", code: "unrecorded" });
  expect(outcome.text).toContain("could not be recorded");
  expect(await r.types()).not.toContain("tool.call.undone");
});

test("an undo whose outcome the disk does not take says what was done, and is not repeated", async () => {
  const inner = memoryLedger({ clock: new ManualClock() });
  const ledger: Ledger = {
    ...inner,
    async write(tenant, unit) {
      if (unit.receipts.some(({ type }) => type === "tool.call.undone"))
        throw new FailureError(failure("STORAGE_FULL", "The disk is full."));
      return inner.write(tenant, unit);
    },
  };
  const r = await done(ledger);
  await expect(r.gate.undo(T, "c1", r.context(), OWNER)).rejects.toMatchObject({
    failure: {
      reason: "STORAGE_FULL",
      retryable: false,
      message: expect.stringMatching(/undid the effect of call c1, but .* could not be recorded/),
    },
  });
  await expect(r.gate.undo(T, "c1", r.context(), OWNER)).rejects.toThrow("unknown whether an earlier try");
  expect(r.effects).toEqual(["did", "undid"]);
});
