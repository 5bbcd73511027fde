import { expect, test } from "vitest";
import { fuseRanks } from "./fuse.ts";

test("what two rankings agree on goes before what one puts first", () => {
  const fused = fuseRanks([
    ["only here", "both", "c"],
    ["both", "d", "c"],
  ]);
  expect(fused.map(({ item }) => item)).toEqual(["both", "c", "only here", "d"]);
  expect(fused[0]?.score).toBeCloseTo(1 / 62 + 1 / 61, 12);
});

test("no ranking, or an empty one, gives nothing, and a thing listed twice counts once", () => {
  expect(fuseRanks([])).toEqual([]);
  expect(fuseRanks([["a", "a"], []])).toEqual([{ item: "a", score: 1 / 61 }]);
});
