import { expect, test } from "vitest";
import { byCall, type Row } from "./by-call.ts";

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
  const requested = {
    ...row(2, "tool.call.requested", "call_1", { toolId: "files.file.write" }),
    about: "a.txt",
  };
  const rows = [
    row(5, "run.finished"),
    row(4, "tool.call.succeeded", "call_1"),
    row(3, "run.started"),
    requested,
  ];
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
