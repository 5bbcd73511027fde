import { ok } from "@elwood/core/base/result";
import type { CallRow } from "@elwood/runtime/ports/gate-ports";
import { tool } from "@elwood/testkit/gate-rig";
import { expect, test } from "vitest";
import { canUndo } from "./call-view.ts";

test("an undo is offered only while the tool is the one that made the call", () => {
  const row: CallRow = {
    callId: "c1",
    runId: "run",
    sessionId: "s",
    toolId: "test.thing.do",
    contractHash: "first",
    risk: "write",
    requestedInput: {},
    executedInput: {},
    idempotencyKey: "elwood-c1",
    state: "succeeded",
    outcome: { status: "ok", text: "", value: {} },
    createdAt: 0,
  };
  const answer = async () => ok({ value: {} });
  const tableWith = (contractHash: string) => {
    const only = tool(row.toolId, "write", answer, { contractHash, undo: answer });
    return { get: () => only, list: () => [only] };
  };
  expect(canUndo(row, [], tableWith("first"))).toBe(true);
  expect(canUndo(row, [], tableWith("second"))).toBe(false);
});
