import { expect, test } from "vitest";
import { lineThrough, lineTo, placeOf, versionsIn, type TreeRun } from "./run-tree.ts";

/** a → b → c; b2 beside b, continued by d; b3 beside both, and shown. */
const TREE: readonly TreeRun[] = [
  { runId: "a", parent: "", shown: true },
  { runId: "b", parent: "a", shown: false },
  { runId: "c", parent: "b", shown: false },
  { runId: "b2", parent: "a", shown: false },
  { runId: "d", parent: "b2", shown: false },
  { runId: "b3", parent: "a", shown: true },
];

test("a run is read with all that it continues, and shown with the newest that continues it", () => {
  expect([...lineTo(TREE, "c")].toReversed()).toEqual(["a", "b", "c"]);
  expect([...lineThrough(TREE, "b")].toSorted()).toEqual(["a", "b", "c"]);
  expect([...lineThrough(TREE, "b2")].toSorted()).toEqual(["a", "b2", "d"]);
  expect([...lineThrough(TREE, "a")].toSorted()).toEqual(["a", "b3"]);
  expect(lineTo(TREE, "nowhere").size).toBe(0);
});

test("a place has versions where several runs continue the same one", () => {
  expect(versionsIn(TREE)).toEqual([{ runId: "b3", of: ["b", "b2", "b3"] }]);
  expect(versionsIn([])).toEqual([]);
});

test("what a version led to belongs to the place of that version", () => {
  expect(placeOf(TREE, "b2")).toBe("b3");
  expect(placeOf(TREE, "d")).toBe("b3");
  expect(placeOf(TREE, "a")).toBeUndefined();
});

test("a tree that runs in a circle ends", () => {
  const circle = [
    { runId: "x", parent: "y", shown: true },
    { runId: "y", parent: "x", shown: true },
  ];
  expect(lineThrough(circle, "x").size).toBe(2);
});
