import { expect, test } from "vitest";
import { FactSheet } from "./fact-sheet.ts";
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

/** Facts in this order. */
function sheet(facts: Readonly<Record<string, number>>): FactSheet {
  const out = new FactSheet([]);
  for (const [name, value] of Object.entries(facts)) out.put(name, value);
  return out;
}

test("each tree adds the leaf that the facts lead to, in whatever order they come", () => {
  const trees = new Trees(PACKED);
  const chance = (sum: number) => 1 / (1 + Math.exp(-sum));
  expect(trees.chance(trees.sumOf(sheet({ a: 0, b: 0 })))).toBeCloseTo(chance(-3));
  expect(trees.chance(trees.sumOf(sheet({ b: 1.9, a: 0.5 })))).toBeCloseTo(chance(1));
  expect(trees.chance(trees.sumOf(sheet({ a: 1, c: 7, b: 2 })))).toBeCloseTo(chance(3));
});

test("asked whether a chance is reached, it says what the whole sum says", () => {
  const trees = new Trees(PACKED);
  for (const a of [0, 1])
    for (const b of [0, 3]) {
      const sum = trees.sumOf(sheet({ a, b }));
      for (const from of [0.01, 0.04, 0.26, 0.28, 0.5, 0.72, 0.74, 0.94, 0.96, 0.99])
        expect(trees.isAtLeast(from, sum)).toBe(trees.chance(sum) >= from);
    }
});

test("what the trees say is what walking each of them from its root to a leaf says", () => {
  let state = 7;
  const random = (below: number) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 1;
    return (state >>> 8) % below;
  };
  for (const depth of [1, 2, 3, 4, 5]) {
    const inner = 2 ** depth - 1;
    const trees = 9;
    const cuts = [[0.5], [1, 2, 3], [], [-1, 0, 4]];
    const nodes = Array.from({ length: trees * inner }, () => [random(4), random(4)] as const);
    const leaves = Array.from({ length: trees * (inner + 1) }, () => random(256));
    const grown = new Trees({
      facts: "a,b,c,d",
      cuts: cuts.map((each) => each.join(" ")).join(";"),
      depth,
      nodes: packed(...nodes.flat()),
      leaves: packed(...leaves),
      scale: 1,
      bias: 0,
    });
    for (let round = 0; round < 50; round += 1) {
      const values = [random(2), random(5), random(3), random(7) - 2];
      let sum = 0;
      for (let tree = 0; tree < trees; tree += 1) {
        let node = 0;
        for (let level = 0; level < depth; level += 1) {
          const [fact, cut] = nodes[tree * inner + node]!;
          node = node * 2 + 1 + ((cuts[fact]![cut] ?? Infinity) <= values[fact]! ? 1 : 0);
        }
        sum += (leaves[tree * (inner + 1) + node - inner]! << 24) >> 24;
      }
      const [a, b, c, d] = values as [number, number, number, number];
      expect(grown.sumOf(sheet({ a, b, c, d }))).toBe(sum);
    }
  }
});

test("a fact that the trees ask for and nobody computes is refused, as are trees of another shape", () => {
  expect(() => new Trees(PACKED).sumOf(sheet({ a: 0 }))).toThrow("Train again");
  expect(() => new Trees({ ...PACKED, depth: 2 })).toThrow("Train again");
  expect(() => new Trees({ ...PACKED, depth: 6 })).toThrow("Train again");
});

test("facts that all sentences share are gone through once for a sheet, and for the next one again", () => {
  const trees = new Trees(PACKED);
  const alone = new Trees(PACKED);
  const names: string[] = [];
  for (const a of [0, 1, 0]) {
    const facts = new FactSheet(names);
    facts.put("a", a);
    for (const b of [0, 3, 1]) {
      facts.backTo(1);
      facts.put("b", b);
      expect(trees.sumOf(facts, 1)).toBe(alone.sumOf(sheet({ a, b })));
    }
  }
  // Asked without any that are shared, it goes by the sheet as it is.
  const facts = sheet({ a: 1, b: 0 });
  trees.sumOf(facts);
  facts.backTo(0);
  facts.put("a", 0);
  facts.put("b", 3);
  expect(trees.sumOf(facts)).toBe(alone.sumOf(sheet({ a: 0, b: 3 })));
});
