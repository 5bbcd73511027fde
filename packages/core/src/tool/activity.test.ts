import { expect, test } from "vitest";
import { activityOf, sessionActivityOf, sortedActivity, wordOf } from "./activity.ts";
import type { StoredReceipt, ReceiptType } from "../receipts/receipt.ts";

const FULL: Partial<Record<ReceiptType, Record<string, unknown>>> = {
  "tool.call.requested": {
    risk: "write",
    contractHash: "contract",
    inputHash: "input",
    inputCommit: "input",
    idempotencyKey: "key",
  },
  "tool.call.unknown": { why: "crash" },
  "tool.call.settled": { by: "owner" },
};
let seq = 0;
function receipt(type: ReceiptType, callId: string, payload: Record<string, unknown> = {}): StoredReceipt {
  seq += 1;
  return {
    v: 1,
    tenant: "default",
    seq,
    id: `rcp_${seq}`,
    ts: seq * 10,
    runId: "run",
    callId,
    type,
    actor: "model",
    surface: "web",
    payload: { ...FULL[type], toolId: "files.file.write", target: `${callId}.txt`, ...payload },
    prevHash: "",
    hash: "",
  };
}

const by = { kind: "owner", id: "owner", surface: "web" };

test("OA-5: activity says of each call what its receipts say, and points at the last of them", () => {
  const facts = [
    receipt("tool.call.requested", "a"),
    receipt("tool.call.asked", "a"),
    receipt("tool.call.approved", "a", { decidedBy: by }),
    receipt("tool.call.started", "a"),
    receipt("tool.call.succeeded", "a", { count: 3 }),
    receipt("tool.call.requested", "b"),
    receipt("tool.call.asked", "b"),
    receipt("tool.call.denied", "b", { decidedBy: by }),
    receipt("tool.call.requested", "c"),
    receipt("tool.call.asked", "c"),
  ];
  const items = activityOf(facts);
  expect(items.map((i) => [i.cite, i.callId, i.status])).toEqual([
    ["c1", "a", "succeeded"],
    ["c2", "b", "denied"],
    ["c3", "c", "pending"],
  ]);
  expect(items[0]).toMatchObject({
    count: 3,
    receiptRef: facts[4]!.id,
    when: facts[4]!.ts,
    approval: { required: true, decision: "approved", by },
  });
  expect(activityOf([...facts].reverse())).toEqual(items);
});

test("a refused input is not news, but keeps its number so that citations do not shift", () => {
  const items = activityOf([
    receipt("tool.call.requested", "a"),
    receipt("tool.call.refused", "a"),
    receipt("tool.call.requested", "b"),
    receipt("tool.call.started", "b"),
    receipt("tool.call.failed", "b"),
  ]);
  expect(items.map((i) => [i.cite, i.status])).toEqual([["c2", "failed"]]);
});

test("a call has the number that its first receipt gives it; without one it is counted within its run", () => {
  const items = activityOf([
    receipt("tool.call.requested", "old"),
    receipt("tool.call.succeeded", "old"),
    receipt("tool.call.requested", "a", { number: 7 }),
    receipt("tool.call.refused", "a"),
    receipt("tool.call.requested", "b", { number: 8 }),
    receipt("tool.call.succeeded", "b"),
    receipt("tool.call.requested", "old too"),
  ]);
  expect(items.map((i) => [i.callId, i.cite])).toEqual([
    ["old", "c1"],
    ["b", "c8"],
    ["old too", "c2"],
  ]);
});

test("calls of a session come oldest first with their runs; those of other runs without a number are left out", () => {
  const of = (runId: string, ...facts: StoredReceipt[]) => facts.map((fact) => ({ ...fact, runId }));
  const facts = [
    ...of("before", receipt("tool.call.requested", "old"), receipt("tool.call.succeeded", "old")),
    ...of("run", receipt("tool.call.requested", "own, old")),
    ...of("first", receipt("tool.call.requested", "a", { number: 3 }), receipt("tool.call.failed", "a")),
    ...of("run", receipt("tool.call.requested", "b", { number: 4 }), receipt("tool.call.succeeded", "b")),
  ];
  const items = sessionActivityOf(facts.toReversed(), new Map([["b", "about b"]]), "run");
  expect(items.map((i) => [i.runId, i.callId, i.cite, i.status])).toEqual([
    ["run", "own, old", "c1", "pending"],
    ["first", "a", "c3", "failed"],
    ["run", "b", "c4", "succeeded"],
  ]);
});

test("expired, unknown and settled are told apart", () => {
  const of = (...types: [ReceiptType, Record<string, unknown>?][]) =>
    activityOf([
      receipt("tool.call.requested", "x"),
      ...types.map(([type, payload]) => receipt(type, "x", payload)),
    ])[0]!.status;
  expect(of(["tool.call.asked"], ["tool.call.expired"])).toBe("expired");
  expect(of(["tool.call.started"])).toBe("pending");
  expect(of(["tool.call.started"], ["tool.call.unknown"])).toBe("unknown");
  expect(
    of(["tool.call.started"], ["tool.call.unknown"], ["tool.call.settled", { outcome: "happened" }]),
  ).toBe("succeeded");
  expect(
    of(["tool.call.started"], ["tool.call.unknown"], ["tool.call.settled", { outcome: "did-not-happen" }]),
  ).toBe("failed");
});

test("what did not succeed comes first, on the line and in the list", () => {
  const items = activityOf([
    receipt("tool.call.requested", "a", { risk: "read", toolId: "files.file.read" }),
    receipt("tool.call.succeeded", "a"),
    receipt("tool.call.requested", "b"),
    receipt("tool.call.failed", "b"),
  ]);
  expect(sortedActivity(items).map((i) => i.callId)).toEqual(["b", "a"]);
});

test("a program that ran is told by its calls; one that was kept from running counts as what it would have done", () => {
  const program = { toolId: "program.code.run" };
  const of = (callId: string, risk: string, ...more: ReceiptType[]) =>
    activityOf([
      receipt("tool.call.requested", callId, { ...program, risk }),
      ...more.map((type) => receipt(type, callId, { ...program, decidedBy: { kind: "expiry" } })),
    ]).map((item) => item.risk);
  expect(of("ran", "destructive", "tool.call.started", "tool.call.failed")).toEqual(["read"]);
  expect(of("planned", "destructive", "tool.call.asked", "tool.call.denied")).toEqual(["destructive"]);
  expect(of("alone", "read", "tool.call.asked", "tool.call.denied")).toEqual(["write"]);
});

test("the code with which a command ended is told where it is not 0, to the model in the same words", () => {
  const ran = (callId: string, exitCode: number) => [
    receipt("tool.call.requested", callId),
    receipt("tool.call.succeeded", callId, { exitCode }),
  ];
  const items = activityOf([...ran("good", 0), ...ran("bad", 2)]);
  expect(items.map((item) => [item.status, item.exitCode])).toEqual([
    ["succeeded", undefined],
    ["succeeded", 2],
  ]);
  expect(items.map(wordOf)).toEqual(["done", "ended with code 2"]);
  expect(sortedActivity(items).map((item) => item.callId)).toEqual(["bad", "good"]);
});

test("a call that had changed after it was allowed is told as that, not as denied", () => {
  const [item] = activityOf([
    receipt("tool.call.requested", "click"),
    receipt("tool.call.asked", "click"),
    receipt("tool.call.approved", "click", { decidedBy: by }),
    receipt("tool.call.denied", "click", { decidedBy: { kind: "policy", rule: "gate.changed" } }),
  ]);
  expect(item?.summary).toMatch(/: changed since it was allowed$/);
  expect(item).not.toHaveProperty("blockedBy");
});

test("a denial is noted where the owner wrote why; a stop of the run is no such note", () => {
  const [plain, noted, stopped, policy] = activityOf([
    ...["plain", "noted", "stopped", "policy"].flatMap((callId) => [
      receipt("tool.call.requested", callId),
      receipt("tool.call.asked", callId),
    ]),
    receipt("tool.call.denied", "plain", { decidedBy: by }),
    receipt("tool.call.denied", "noted", { decidedBy: by, note: "another day" }),
    receipt("tool.call.denied", "stopped", { decidedBy: by, note: "The run ended.", stopped: true }),
    receipt("tool.call.denied", "policy", {
      decidedBy: { kind: "policy", rule: "run.over" },
      note: "The run ended.",
    }),
  ]);
  expect(plain).not.toHaveProperty("approval.noted");
  expect(noted).toHaveProperty("approval.noted", true);
  expect(noted).not.toHaveProperty("stopped");
  expect(stopped).not.toHaveProperty("approval.noted");
  expect(stopped).toHaveProperty("stopped", true);
  expect(policy).not.toHaveProperty("approval.noted");
  // The end of a run is no rule against the call.
  expect(policy).not.toHaveProperty("blockedBy");
  expect(policy).not.toHaveProperty("stopped");
});

test("a call that was stopped and turns out to have happened is not told as stopped", () => {
  const facts = [
    receipt("tool.call.requested", "x"),
    receipt("tool.call.started", "x"),
    receipt("tool.call.unknown", "x", { why: "stopped", stopped: true }),
  ];
  expect(activityOf(facts)[0]).toMatchObject({ status: "unknown", stopped: true });
  const settled = activityOf([...facts, receipt("tool.call.settled", "x", { outcome: "happened" })])[0];
  expect(settled).toMatchObject({ status: "succeeded" });
  expect(settled).not.toHaveProperty("stopped");
});

test("a read of a rehearsal is marked", () => {
  const items = activityOf([
    receipt("tool.call.requested", "p.r1", { parent: "p", rehearsal: "true" }),
    receipt("tool.call.requested", "p.1", { parent: "p" }),
  ]);
  expect(items.map((item) => item.rehearsal)).toEqual([true, undefined]);
});
