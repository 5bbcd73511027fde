import { expect, test } from "vitest";
import { areAlike, groupTitle, groupWhy, type Askable } from "./alike.ts";
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
    rule: "authority.value",
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

test("several of a kind that ask for one reason, each about another value, say it once", () => {
  const why = (text: string) => ({ why: text, group: { verb: "Move", one: "file", many: "files" } });
  const named = (n: number, from: string) =>
    why(`Asking because you didn't name “${n}.jpg”; it came from ${from}.`);
  expect(groupWhy([named(1, "a list"), named(2, "a list")])).toBe(
    "Asking because you didn't name these files; they came from a list.",
  );
  // Where they came from is quoted too, and stays as it is.
  const listed = why("Asking because you didn't name this file; it came from the list of files in “photos”.");
  expect(groupWhy([listed, listed])).toBe(
    "Asking because you didn't name these files; they came from the list of files in “photos”.",
  );
  expect(groupWhy([why("You didn't ask for this."), why("You didn't ask for this.")])).toBe(
    "You didn't ask for this.",
  );
  const file = why("Asking because you didn't name this file.");
  expect(groupWhy([file])).toBe(file.why);
  expect(groupWhy([file, file])).toBe("Asking because you didn't name these files.");
  expect(groupWhy([named(1, "a list"), named(2, "a page")])).toBeUndefined();
});
