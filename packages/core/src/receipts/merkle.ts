import { putHex } from "../base/bytes.ts";
import type { Sha256 } from "./receipt.ts";

/**
 * The tree of RFC 6962 over the hashes of receipts. A leaf is H(0x00 ‖ data), a node
 * H(0x01 ‖ left ‖ right); the two prefixes keep a node from being passed off as a leaf.
 * Hashes are lower-case hex.
 *
 * A root of n leaves proves what each of them is (inclusion, about log₂ n hashes) and
 * that a later root grew out of it (consistency).
 */
export type Hash = string;

export function leafHash(data: Hash, sha256: Sha256): Hash {
  const bytes = new Uint8Array(1 + data.length / 2);
  putHex(bytes, 1, data);
  return sha256(bytes);
}

export function nodeHash(left: Hash, right: Hash, sha256: Sha256): Hash {
  const bytes = new Uint8Array(65);
  bytes[0] = 1;
  putHex(bytes, 1, left);
  putHex(bytes, 33, right);
  return sha256(bytes);
}

/**
 * The right edge of a tree: the roots of its full subtrees, largest first, one for each
 * bit of `size`. It is all that is needed to add leaves and to know the root.
 */
export interface Edge {
  readonly size: number;
  readonly nodes: readonly Hash[];
}

export const EMPTY_EDGE: Edge = { size: 0, nodes: [] };

export function grow(edge: Edge, leaf: Hash, sha256: Sha256): Edge {
  const nodes = [...edge.nodes];
  let added = leaf;
  for (let size = edge.size; size % 2 === 1; size = Math.floor(size / 2)) {
    added = nodeHash(nodes.pop()!, added, sha256);
  }
  return { size: edge.size + 1, nodes: [...nodes, added] };
}

export function edgeRoot(edge: Edge, sha256: Sha256): Hash {
  const last = edge.nodes.at(-1);
  if (last === undefined) return sha256("");
  return edge.nodes.slice(0, -1).reduceRight((root, node) => nodeHash(node, root, sha256), last);
}

/** As many nodes as the size has bits that are set, each a hash; false for what cannot be an edge. */
export function isEdge(edge: Edge): boolean {
  let bits = 0;
  for (let rest = edge.size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return (
    Number.isSafeInteger(edge.size) &&
    edge.nodes.length === bits &&
    edge.nodes.every((node) => /^[0-9a-f]{64}$/.test(node))
  );
}

export function merkleRoot(leaves: readonly Hash[], sha256: Sha256): Hash {
  return leaves.length === 0 ? sha256("") : subtreeRoot(leaves, 0, leaves.length, sha256);
}

/** The siblings on the way from leaf `index` up to the root of `leaves`. */
export function inclusionProof(leaves: readonly Hash[], index: number, sha256: Sha256): Hash[] {
  if (!(index >= 0 && index < leaves.length)) throw new RangeError("there is no such leaf");
  const path: Hash[] = [];
  let [from, to] = [0, leaves.length];
  while (to - from > 1) {
    const middle = from + split(to - from);
    if (index < middle) {
      path.push(subtreeRoot(leaves, middle, to, sha256));
      to = middle;
    } else {
      path.push(subtreeRoot(leaves, from, middle, sha256));
      from = middle;
    }
  }
  return path.reverse();
}

/** What shows that the tree of the first `size` leaves is the beginning of the tree of all. */
export function consistencyProof(leaves: readonly Hash[], size: number, sha256: Sha256): Hash[] {
  if (!(size >= 0 && size <= leaves.length)) throw new RangeError("there is no such tree");
  if (size === 0 || size === leaves.length) return [];
  const path: Hash[] = [];
  let [from, to] = [0, leaves.length];
  // Until the first tree is a full subtree of this one.
  while (to !== size) {
    const middle = from + split(to - from);
    if (size <= middle) {
      path.push(subtreeRoot(leaves, middle, to, sha256));
      to = middle;
    } else {
      path.push(subtreeRoot(leaves, from, middle, sha256));
      from = middle;
    }
  }
  // A first tree that stands at the left edge is known to who asks; any other part of it is not.
  if (from > 0) path.push(subtreeRoot(leaves, from, to, sha256));
  return path.reverse();
}

export function verifyInclusion(
  claim: {
    readonly leaf: Hash;
    readonly index: number;
    readonly size: number;
    readonly path: readonly Hash[];
    readonly root: Hash;
  },
  sha256: Sha256,
): boolean {
  if (!(claim.index >= 0 && claim.index < claim.size)) return false;
  let [here, last] = [claim.index, claim.size - 1];
  let root = claim.leaf;
  for (const sibling of claim.path) {
    if (last === 0) return false;
    if (here % 2 === 1 || here === last) {
      root = nodeHash(sibling, root, sha256);
      while (here % 2 === 0 && here !== 0) [here, last] = [half(here), half(last)];
    } else {
      root = nodeHash(root, sibling, sha256);
    }
    [here, last] = [half(here), half(last)];
  }
  return last === 0 && root === claim.root;
}

export function verifyConsistency(
  claim: {
    readonly first: { readonly size: number; readonly root: Hash };
    readonly second: { readonly size: number; readonly root: Hash };
    readonly path: readonly Hash[];
  },
  sha256: Sha256,
): boolean {
  const { first, second } = claim;
  if (!(first.size >= 0 && first.size <= second.size)) return false;
  if (first.size === second.size) return claim.path.length === 0 && first.root === second.root;
  if (first.size === 0) return claim.path.length === 0 && first.root === sha256("");
  let [here, last] = [first.size - 1, second.size - 1];
  while (here % 2 === 1) [here, last] = [half(here), half(last)];
  // A first tree with a power of two of leaves is itself the first step.
  const steps = here === 0 ? [first.root, ...claim.path] : [...claim.path];
  const start = steps.shift();
  if (start === undefined) return false;
  let [firstRoot, secondRoot] = [start, start];
  for (const step of steps) {
    if (last === 0) return false;
    if (here % 2 === 1 || here === last) {
      firstRoot = nodeHash(step, firstRoot, sha256);
      secondRoot = nodeHash(step, secondRoot, sha256);
      while (here % 2 === 0 && here !== 0) [here, last] = [half(here), half(last)];
    } else {
      secondRoot = nodeHash(secondRoot, step, sha256);
    }
    [here, last] = [half(here), half(last)];
  }
  return last === 0 && firstRoot === first.root && secondRoot === second.root;
}

function subtreeRoot(leaves: readonly Hash[], from: number, to: number, sha256: Sha256): Hash {
  if (to - from === 1) return leaves[from]!;
  const middle = from + split(to - from);
  return nodeHash(subtreeRoot(leaves, from, middle, sha256), subtreeRoot(leaves, middle, to, sha256), sha256);
}

/** The largest power of two below n. */
function split(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

function half(n: number): number {
  return Math.floor(n / 2);
}
