import { expect, test } from "vitest";
import { byCall, withTexts, type Row } from "./by-call.ts";

const row = (seq: number, type: string, callId?: string, payload = {}): Row => ({
  v: 1,
  tenant: "default",
  seq,
  id: `rcp_${seq}`,
  runId: "run_1",
  type,
  ts: seq,
  actor: "model",
  surface: "web",
  payload,
  prevHash: "",
  hash: "",
  ...(callId === undefined ? {} : { callId }),
});

test("a call is one line, with how it stands, what it was and how many receipts it has; all else stays as it is", () => {
  const rows = withTexts(
    [
      row(5, "run.finished"),
      row(4, "tool.call.succeeded", "call_1"),
      row(3, "run.started"),
      row(2, "tool.call.requested", "call_1", { toolId: "files.file.write" }),
    ],
    { rcp_2: "a.txt" },
  );
  expect(
    byCall(rows).map(({ seq, type, about, others, payload }) => [
      seq,
      type,
      about,
      others,
      payload["toolId"],
    ]),
  ).toEqual([
    [5, "run.finished", undefined, undefined, undefined],
    [4, "tool.call.succeeded", "a.txt", 1, "files.file.write"],
    [3, "run.started", undefined, undefined, undefined],
  ]);
});

test("why a call asks is not what it is about; what was allowed in place of what was asked for is", () => {
  const rows = withTexts(
    [
      row(4, "tool.call.succeeded", "call_1"),
      row(3, "tool.call.approved", "call_1"),
      row(2, "tool.call.asked", "call_1"),
      row(1, "tool.call.requested", "call_1"),
    ],
    { rcp_1: "a.txt", rcp_2: "Deleting always asks.", rcp_3: "b.txt" },
  );
  expect(rows.map(({ about }) => about)).toEqual(["b.txt", "b.txt", "b.txt", "b.txt"]);
  expect(rows.map(({ reason }) => reason)).toEqual([
    undefined,
    undefined,
    "Deleting always asks.",
    undefined,
  ]);
});

test("the rules that the log begins with are no line: nobody has changed anything", () => {
  const rows = [row(3, "policy.changed"), row(2, "auth.refused"), row(1, "policy.changed")];
  expect(byCall(rows).map(({ seq }) => seq)).toEqual([3, 2]);
});
