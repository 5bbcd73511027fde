import { expect, test } from "vitest";
import { textOfBytes } from "./packed-bytes.ts";
import { Trees, type PackedTrees } from "./trees.ts";

const packed = (...bytes: readonly number[]) => textOfBytes(Uint8Array.from(bytes));
/** Two trees of one split each: on `a` at 0.5, and on `b` at 2. */
const PACKED: PackedTrees = {
  facts: "a,b",
  cuts: "0.5;1 2",
  depth: 1,
  nodes: packed(0, 0, 1, 1),
  leaves: packed(256 - 20, 20, 256 - 10, 10),
  scale: 0.1,
  bias: 0,
};

test("each tree adds the leaf that the facts lead to", () => {
  const trees = new Trees(PACKED);
  const chance = (sum: number) => 1 / (1 + Math.exp(-sum));
  expect(trees.chance([{ a: 0, b: 0 }])).toBeCloseTo(chance(-3));
  expect(trees.chance([{ b: 1.9 }, { a: 0.5 }])).toBeCloseTo(chance(1));
  expect(trees.chance([{ a: 1 }, {}, { b: 2 }])).toBeCloseTo(chance(3));
});

test("asked whether a chance is reached, it says what the whole sum says", () => {
  const trees = new Trees(PACKED);
  for (const a of [0, 1])
    for (const b of [0, 3])
      for (const from of [0.01, 0.04, 0.26, 0.28, 0.5, 0.72, 0.74, 0.94, 0.96, 0.99])
        expect(trees.isAtLeast(from, [{ a, b }])).toBe(trees.chance([{ a, b }]) >= from);
});

test("a fact that the trees ask for and nobody computes is refused, as are trees of another shape", () => {
  expect(() => new Trees(PACKED).chance([{ a: 0 }])).toThrow("Train again");
  expect(() => new Trees({ ...PACKED, depth: 2 })).toThrow("Train again");
});
