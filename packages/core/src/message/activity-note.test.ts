import { expect, test } from "vitest";
import { activityNote, activityParts, NOTED_CALLS_MAX, type NotedCall } from "./activity-note.ts";

const call = (n: number, word = "done"): NotedCall => ({
  cite: `c${n}`,
  summary: `files.file.move → ${n}.txt: ${word}`,
  plain: word === "done",
});

test("calls are told by the numbers that can be cited, and the note is found again", () => {
  const note = activityNote([call(1), call(2, "failed")]);
  expect(note).toBe(
    "Also on record, from Elwood's receipts:\n[c1] files.file.move → 1.txt: done\n[c2] files.file.move → 2.txt: failed",
  );
  expect(activityParts(`Did it.\n\n${note}`)).toEqual({ output: "Did it.", activity: `\n\n${note}` });
  expect(activityParts("Did it.")).toEqual({ output: "Did it.", activity: "" });
  expect(activityNote([])).toBe("");
});

test("calls in a row of which the same is said share a line", () => {
  const page = (n: number): NotedCall => ({
    cite: `c${n}`,
    summary: "files.file.read → log: done",
    plain: true,
  });
  const note = activityNote([page(1), page(2), page(3), call(4), page(6), page(8)]);
  expect(note.split("\n").slice(1)).toEqual([
    "[c1] to [c3] files.file.read → log: done",
    "[c4] files.file.move → 4.txt: done",
    "[c6] files.file.read → log: done",
    "[c8] files.file.read → log: done",
  ]);
});

test("of very many calls the rest is told in one line, and none that failed is in it", () => {
  const many = Array.from({ length: 200 }, (_, i) => call(i + 1, i === 150 ? "failed" : "done"));
  const lines = activityNote(many).split("\n").slice(1);
  expect(lines).toHaveLength(NOTED_CALLS_MAX + 1);
  expect(lines.at(-2)).toBe("[c151] files.file.move → 151.txt: failed");
  expect(lines.at(-1)).toBe("… and 140 more, [c60] to [c200], all done");
});

test("many reads of one tool in a row share a line, and changes never do", () => {
  const one = (n: number, action: string, risk: string): NotedCall => ({
    cite: `c${n}`,
    toolId: `files.file.${action}`,
    risk,
    summary: `files.file.${action} → ${n}.txt: done`,
    plain: true,
  });
  const reads = [1, 2, 3, 4, 5].map((n) => one(n, "read", "read"));
  const moves = [6, 7, 8, 9].map((n) => one(n, "move", "write"));
  const few = [10, 11].map((n) => one(n, "read", "read"));
  expect(
    activityNote([...reads, ...moves, ...few])
      .split("\n")
      .slice(1),
  ).toEqual([
    "[c1] to [c5] files.file.read, 5 times: done",
    ...[6, 7, 8, 9].map((n) => `[c${n}] files.file.move → ${n}.txt: done`),
    "[c10] files.file.read → 10.txt: done",
    "[c11] files.file.read → 11.txt: done",
  ]);
});
