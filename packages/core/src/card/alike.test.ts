import { expect, test } from "vitest";
import { areAlike, groupTitle, type Askable } from "./alike.ts";
import { cardOf, type CardSource } from "./card.ts";

const call = (toolName: string, details: object, more: Partial<CardSource> = {}): Askable => {
  const source: CardSource = {
    approvalId: "apr_1",
    kind: "approval",
    callId: "call_1",
    runId: "run_1",
    sessionKey: "ses_1",
    toolName,
    summary: "",
    details,
    digest: "",
    risk: "write",
    rule: "said.critical",
    reason: "",
    sources: [],
    decisions: ["once"],
    showable: true,
    expiresAt: 1,
    ...more,
  };
  return { ...source, card: cardOf(source) };
};

test("calls of one run that do the same kind of thing are alike, unless one destroys or is not shown whole", () => {
  const move = call("files.file.move", { from: "a", to: "b" });
  const again = call("files.file.move", { from: "c", to: "d" });
  expect(areAlike(move, again)).toBe(true);
  expect(groupTitle(move.card.group, 5)).toBe("Move 5 files");
  for (const other of [
    call("files.file.write", { path: "a", content: "b" }),
    call("files.file.move", { from: "c", to: "d" }, { runId: "run_2" }),
    call("files.file.move", { from: "c", to: "d" }, { showable: false }),
    call("files.file.move", { from: "c", to: "d" }, { risk: "destructive" }),
    call("files.file.delete", { path: "a" }, { risk: "destructive" }),
  ])
    expect(areAlike(move, other)).toBe(false);
});
