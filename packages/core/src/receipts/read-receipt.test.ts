import { expect, test } from "vitest";
import { activityOf } from "../tool/activity.ts";
import { isReceipt, readReceipt, readReceipts } from "./read-receipt.ts";
import type { StoredReceipt } from "./receipt.ts";

function stored(type: string, payload: Record<string, unknown>, more: Partial<StoredReceipt> = {}) {
  return {
    v: 1 as const,
    tenant: "default",
    seq: 1,
    id: "rcp_1",
    ts: 10,
    runId: "run",
    callId: "call",
    type,
    actor: "model",
    surface: "web",
    payload,
    prevHash: "",
    hash: "",
    ...more,
  };
}

const requested = {
  toolId: "files.file.write",
  risk: "write",
  contractHash: "contract",
  inputHash: "commit",
  inputCommit: "commit",
  idempotencyKey: "key",
};

test("a stored receipt is read as what its type says, and stays the same object", () => {
  const receipt = stored("tool.call.requested", requested);
  expect(readReceipt(receipt)).toBe(receipt);
  expect(isReceipt(receipt, "tool.call.requested")).toBe(true);
  expect(isReceipt(receipt, "tool.call.started")).toBe(false);
});

test("an older receipt that lacks a newer field is read, and so is one with a field that nobody knows", () => {
  expect(readReceipt(stored("tool.call.requested", { ...requested, target: "a.txt" }))).toBeDefined();
  expect(readReceipt(stored("tool.call.started", { toolId: "a.b.c", later: [1] }))).toBeDefined();
});

test.each([
  ["an unknown type", stored("tool.call.teleported", { toolId: "a.b.c" })],
  ["a name that every object has", stored("constructor", {})],
  ["a field that is missing", stored("tool.call.requested", { toolId: "a.b.c" })],
  ["a field of another kind", stored("tool.call.succeeded", { toolId: "a.b.c", exitCode: "1" })],
  ["an unknown risk", stored("tool.call.requested", { ...requested, risk: "harmless" })],
  ["a decider without a name", stored("tool.call.denied", { toolId: "a.b.c", decidedBy: { kind: "owner" } })],
  ["a list with something else in it", stored("grant.created", { toolId: "a.b.c", hosts: ["a", 1] })],
  ["another version", { ...stored("tool.call.requested", requested), v: 2 as never }],
])("%s is no typed receipt, and no error", (_what, receipt) => {
  expect(readReceipt(receipt)).toBeUndefined();
  expect(readReceipts([receipt, stored("tool.call.requested", requested)])).toHaveLength(1);
});

test("a call whose receipts have another shape is still told, as the worst it may have been", () => {
  const [item] = activityOf([
    stored("tool.call.requested", { tool: "files.file.write", number: 7 }),
    stored("tool.call.denied", { by: "somebody" }, { seq: 2, id: "rcp_2" }),
  ]);
  expect(item).toMatchObject({ cite: "c7", toolId: "unknown", risk: "destructive", status: "denied" });
});
