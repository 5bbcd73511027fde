import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  consistencyProof,
  edgeRoot,
  EMPTY_EDGE,
  grow,
  inclusionProof,
  isEdge,
  leafHash,
  merkleRoot,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
  type Edge,
} from "./merkle.ts";
import type { Sha256 } from "./receipt.ts";

const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex");
const SIZE_MAX = 65;
const leaves = Array.from({ length: SIZE_MAX }, (_, i) => leafHash(sha256(`receipt ${i}`), sha256));
const rootOf = (size: number) => merkleRoot(leaves.slice(0, size), sha256);
const roots = Array.from({ length: SIZE_MAX + 1 }, (_, size) => rootOf(size));

/** Leaves and roots that implementations of RFC 6962 check themselves against. */
const VECTORS: readonly (readonly [leaf: string, root: string])[] = [
  ["", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"],
  ["00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
  ["10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"],
  ["2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"],
  ["3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"],
  ["40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"],
  ["5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"],
  ["606162636465666768696a6b6c6d6e6f", "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"],
];

test("roots are those of RFC 6962", () => {
  const hashed = VECTORS.map(([leaf]) => leafHash(leaf, sha256));
  for (const [i, [, root]] of VECTORS.entries()) {
    expect(merkleRoot(hashed.slice(0, i + 1), sha256)).toBe(root);
  }
  expect(merkleRoot([], sha256)).toBe(sha256(""));
});

test("an edge that grows leaf by leaf has the root of the whole tree at every size", () => {
  let edge: Edge = EMPTY_EDGE;
  expect(edgeRoot(edge, sha256)).toBe(sha256(""));
  for (const [i, leaf] of leaves.entries()) {
    edge = grow(edge, leaf, sha256);
    expect(edge.size).toBe(i + 1);
    expect(isEdge(edge)).toBe(true);
    expect(edgeRoot(edge, sha256)).toBe(roots[i + 1]);
  }
});

test("what cannot be an edge is told from one", () => {
  const node = "a".repeat(64);
  for (const edge of [
    { size: 3, nodes: [node] },
    { size: 4, nodes: [node, node] },
    { size: 1, nodes: ["A".repeat(64)] },
    { size: 1.5, nodes: [node] },
    { size: 0, nodes: [node] },
  ])
    expect(isEdge(edge), JSON.stringify(edge)).toBe(false);
  expect(isEdge({ size: 3, nodes: [node, node] })).toBe(true);
});

test("a node is never taken for a leaf", () => {
  const [left, right] = [leaves[0]!, leaves[1]!];
  expect(nodeHash(left, right, sha256)).not.toBe(leafHash(left + right, sha256));
});

/** Every way in which one hash of a proof can be wrong, and a hash too many or too few. */
function forgeries(path: readonly string[]): string[][] {
  const other = sha256("forged");
  return [
    ...path.map((_, i) => path.with(i, other)),
    ...path.map((_, i) => path.toSpliced(i, 1)),
    [...path, other],
    [other, ...path],
  ];
}

describe("proofs, for every size from 1 to 65", () => {
  test("2,145 inclusion proofs hold, and no forged one does", () => {
    let [held, forged, passed] = [0, 0, 0];
    for (let size = 1; size <= SIZE_MAX; size++) {
      const tree = leaves.slice(0, size);
      for (let index = 0; index < size; index++) {
        const path = inclusionProof(tree, index, sha256);
        const claim = { leaf: tree[index]!, index, size, path, root: roots[size]! };
        if (verifyInclusion(claim, sha256)) held += 1;
        const lies = [
          ...forgeries(path).map((each) => ({ ...claim, path: each })),
          { ...claim, leaf: sha256("another leaf") },
          { ...claim, root: sha256("another root") },
          { ...claim, index: size },
          { ...claim, index: -1 },
          // With one leaf there is no other place to claim.
          ...(size > 1 ? [{ ...claim, index: (index + 1) % size }] : []),
        ];
        forged += lies.length;
        passed += lies.filter((lie) => verifyInclusion(lie, sha256)).length;
      }
    }
    expect({ held, passed }).toEqual({ held: 2_145, passed: 0 });
    expect(forged).toBeGreaterThan(20_000);
  });

  test("2,145 consistency proofs hold, and no forged one does", () => {
    let [held, forged, passed] = [0, 0, 0];
    for (let size = 1; size <= SIZE_MAX; size++) {
      const tree = leaves.slice(0, size);
      for (let before = 1; before <= size; before++) {
        const path = consistencyProof(tree, before, sha256);
        const first = { size: before, root: roots[before]! };
        const second = { size, root: roots[size]! };
        if (verifyConsistency({ first, second, path }, sha256)) held += 1;
        const lies = [
          ...forgeries(path).map((each) => ({ first, second, path: each })),
          { first: { ...first, root: sha256("x") }, second, path },
          { first, second: { ...second, root: sha256("x") }, path },
          { first: second, second: { ...first, size: before - 1 }, path },
        ];
        forged += lies.length;
        passed += lies.filter((lie) => verifyConsistency(lie, sha256)).length;
      }
    }
    expect({ held, passed }).toEqual({ held: 2_145, passed: 0 });
    expect(forged).toBeGreaterThan(20_000);
  });

  test("a tree with one leaf changed is consistent with no root from before the change", () => {
    for (const changed of [0, 7, 31]) {
      const tree = leaves.with(changed, sha256("rewritten"));
      const second = { size: SIZE_MAX, root: merkleRoot(tree, sha256) };
      for (let size = changed + 1; size <= SIZE_MAX; size++) {
        const path = consistencyProof(tree, size, sha256);
        expect(verifyConsistency({ first: { size, root: roots[size]! }, second, path }, sha256)).toBe(false);
      }
    }
  });
});

test("the empty tree is the beginning of every tree", () => {
  const second = { size: 5, root: roots[5]! };
  expect(consistencyProof(leaves.slice(0, 5), 0, sha256)).toEqual([]);
  expect(verifyConsistency({ first: { size: 0, root: sha256("") }, second, path: [] }, sha256)).toBe(true);
  expect(verifyConsistency({ first: { size: 0, root: sha256("x") }, second, path: [] }, sha256)).toBe(false);
});

test("a proof of what is not there cannot be made", () => {
  expect(() => inclusionProof(leaves, SIZE_MAX, sha256)).toThrow(RangeError);
  expect(() => inclusionProof([], 0, sha256)).toThrow(RangeError);
  expect(() => consistencyProof(leaves, SIZE_MAX + 1, sha256)).toThrow(RangeError);
});
