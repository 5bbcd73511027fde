import { expect, test } from "vitest";
import { countsText, ordered, type ActivityItem } from "./evidence-order.ts";

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
