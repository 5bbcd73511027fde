import { expect, test } from "vitest";
import { aroundChanges, diffLines } from "./line-diff.ts";

const lineDiff = (before: string, after: string) =>
  aroundChanges(diffLines(before, after)).map(({ mark, line }) => `${mark} ${line}`);

test("only what changes is marked, with three lines around it", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
  expect(lineDiff(before, after)).toEqual([
    "… 1 line the same",
    "  2",
    "  3",
    "  4",
    "- 5",
    "+ five",
    "  6",
    "  7",
    "  8",
  ]);
});

test("a new file is all additions, a deleted one all removals", () => {
  expect(lineDiff("", "a\nb\n")).toEqual(["+ a", "+ b"]);
  expect(lineDiff("a\nb", "")).toEqual(["- a", "- b"]);
});

test("moved and repeated lines are found", () => {
  expect(lineDiff("a\nb\nc", "b\nc\na")).toEqual(["- a", "  b", "  c", "+ a"]);
});

test("very long texts are shown whole instead of compared for ever", () => {
  const long = Array.from({ length: 3_000 }, (_, i) => String(i)).join("\n");
  expect(lineDiff(long, `${long}\nend`)).toHaveLength(6_001);
});
