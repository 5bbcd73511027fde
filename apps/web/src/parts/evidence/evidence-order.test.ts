import { expect, test } from "vitest";
import {
  approvalWords,
  countsText,
  ordered,
  readsText,
  stateOf,
  type ActivityItem,
  whatWords,
} from "./evidence-order.ts";

const item = (callId: string, status: ActivityItem["status"], risk: ActivityItem["risk"]): ActivityItem => ({
  cite: "c1",
  callId,
  toolId: "files.file.read",
  status,
  when: 1,
  receiptRef: "rcp_1",
  risk,
  summary: "",
});

const activity = [
  item("read", "succeeded", "read"),
  item("write", "succeeded", "write"),
  item("denied", "denied", "write"),
  item("waiting", "pending", "destructive"),
];

test("what did not succeed comes first, then what changed something, then reads", () => {
  const { notDone, changes, reads } = ordered(activity);
  expect([notDone, changes, reads].map((each) => each.map(({ callId }) => callId))).toEqual([
    ["denied", "waiting"],
    ["write"],
    ["read"],
  ]);
});

test("a command that ended with another code than 0 is neither done nor failed, and comes first", () => {
  const ran = { ...item("ran", "succeeded", "write"), exitCode: 2 };
  expect(ordered([...activity, ran]).notDone.map(({ callId }) => callId)).toEqual([
    "denied",
    "waiting",
    "ran",
  ]);
  expect(countsText([ran])).toBe("1 ended with code 2");
});

test("the count says every state by its one word", () => {
  expect(countsText(activity)).toBe("2 done, 1 denied, 1 waiting for you");
});

const BY_OWNER = {
  required: true,
  decision: "approved",
  by: { kind: "owner", id: "owner", surface: "cli" },
} as const;
const moved = { ...item("move", "succeeded", "write"), toolId: "files.file.move", target: "a.txt to b.txt" };
const undo = { ...moved, callId: "undo", undoes: "move", approval: BY_OWNER };

test("what the owner undid is no further call of the run: it comes last, in words of its own, and is counted apart", () => {
  const all = [{ ...moved, approval: BY_OWNER, undone: true }, undo];
  const { notDone, changes, undos } = ordered(all);
  expect([notDone, changes, undos].map((each) => each.map(({ callId }) => callId))).toEqual([
    [],
    ["move"],
    ["undo"],
  ]);
  expect(countsText(all)).toBe("1 done, 1 undone by you");
  expect(all.map(whatWords)).toEqual(["Moved a.txt to b.txt (undone since)", "Undone: a.txt to b.txt"]);
  expect(all.map(approvalWords)).toEqual(["approved by you, terminal", "by you, terminal"]);
});

test("an undo that failed is an undo that failed, and nothing is called undone", () => {
  const failed = { ...undo, status: "failed" as const };
  expect(ordered([failed]).undos).toEqual([failed]);
  expect(whatWords(failed)).toBe("Undo of: a.txt to b.txt");
  expect(countsText([moved, failed])).toBe("1 done");
});

test("reads that only showed what a program would do are told apart, as under the reply", () => {
  const read = item("read", "succeeded", "read");
  const seen = { ...read, rehearsal: true as const };
  expect(readsText([read])).toBe("1 read");
  expect(readsText([read, seen, seen])).toBe("3 reads, 2 of them for a preview");
  expect(readsText([seen])).toBe("1 read for a preview");
});

test("what was allowed and had changed when it was to be made is told as changed, not as denied", () => {
  const by = { kind: "policy", rule: "gate.changed" } as const;
  const changed = {
    ...item("click", "denied", "write"),
    approval: { required: true, decision: "denied", by } as const,
  };
  expect(stateOf(changed)).toBe("changed");
  expect(countsText([changed, ...activity])).toContain("1 changed since it was allowed");
  expect(stateOf(activity[2]!)).toBe("denied");
});

test("a program that went well is what its calls did, not one more deed; one that failed is told itself", () => {
  const program = { ...item("program", "succeeded", "read"), toolId: "program.code.run" };
  const made = { ...item("made", "succeeded", "write"), parent: "program" };
  const looked = { ...item("looked", "succeeded", "read"), parent: "program", rehearsal: true as const };
  expect(countsText([program, made])).toBe("1 done");
  expect(ordered([program, made]).reads).toEqual([]);
  expect(ordered([program, looked]).reads.map(({ callId }) => callId)).toEqual(["program", "looked"]);
  const failed = { ...program, status: "failed" as const };
  expect(ordered([failed, made]).notDone.map(({ callId }) => callId)).toEqual(["program"]);
});
