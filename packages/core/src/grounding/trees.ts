import type { FactSheet } from "./fact-sheet.ts";
import { bytesOf } from "./packed-bytes.ts";

/** Trees as training writes them. */
export interface PackedTrees {
  /** Names of the facts, in the order in which they are numbered, with commas between. */
  readonly facts: string;
  /** For each fact, the values between which it may be split, rising, with spaces between; facts are parted by semicolons. */
  readonly cuts: string;
  readonly depth: number;
  /** Packed bytes: for each inner node, from the root down, the number of a fact and the number of a cut. */
  readonly nodes: string;
  /** Packed bytes: a signed one for each leaf. */
  readonly leaves: string;
  readonly scale: number;
  readonly bias: number;
}

/** What is left of a tree's leaves is kept as one bit each in a number. */
const DEPTH_MAX = 5;

/**
 * Boosted decision trees, all of one depth: each adds what its leaf says, and the sum is a chance.
 * They are not walked one after the other: each fact takes away the leaves that its value makes
 * unreachable, in all trees at once, and of what is left the first leaf is the one that a walk
 * would have found. Most facts are nothing in most sentences, and take nothing away.
 */
export class Trees {
  readonly #packed: PackedTrees;
  readonly #leaves: Int8Array;
  readonly #perTree: number;
  readonly #names: readonly string[];
  /** The cuts of all facts one after another, and where those of each one begin. */
  readonly #cuts: Float64Array;
  readonly #from: Uint16Array;
  /** The nodes of each cut one after another, and where those of each one begin: its tree, and the leaves to the right of it. */
  readonly #nodesFrom: Uint16Array;
  readonly #trees: Uint16Array;
  readonly #right: Int32Array;
  /** For each tree, which of its leaves can still be reached. */
  readonly #left: Int32Array;
  /** The same after the facts that all sentences of a reply share, and for which sheet that is so. */
  readonly #common: Int32Array;
  #commonFor: FactSheet | undefined;
  /** Where in a sheet each fact stands, and for which sheets that is so. */
  #places = new Uint16Array(0);
  #placedFor: readonly string[] = [];
  /** Facts that stand among the first so many of a sheet, and the others. */
  #shared = 0;
  #firstFacts = new Uint16Array(0);
  #otherFacts = new Uint16Array(0);

  constructor(packed: PackedTrees) {
    this.#packed = packed;
    const { depth } = packed;
    const perTree = 2 ** depth;
    const nodes = bytesOf(packed.nodes);
    this.#perTree = perTree;
    this.#leaves = new Int8Array(bytesOf(packed.leaves).buffer);
    if (depth > DEPTH_MAX || this.#leaves.length * (perTree - 1) * 2 !== nodes.length * perTree)
      throw new Error("The trees do not fit their depth. Train again.");
    const cuts = packed.cuts.split(";").map((values) => (values === "" ? [] : values.split(" ").map(Number)));
    this.#names = packed.facts.split(",");
    this.#cuts = Float64Array.from(cuts.flat());
    this.#from = new Uint16Array(cuts.length + 1);
    for (const [at, values] of cuts.entries()) this.#from[at + 1] = this.#from[at]! + values.length;
    this.#left = new Int32Array(this.#leaves.length / perTree);
    this.#common = new Int32Array(this.#left.length);
    const byCut: { readonly tree: number; readonly right: number }[][] = Array.from(this.#cuts, () => []);
    for (let node = 0; node < nodes.length / 2; node += 1) {
      const fact = nodes[node * 2]!;
      const cut = nodes[node * 2 + 1]!;
      // A cut that a fact does not have is never reached.
      if (cut >= (cuts[fact]?.length ?? 0)) continue;
      const tree = Math.floor(node / (perTree - 1));
      byCut[this.#from[fact]! + cut]!.push({ tree, right: ~leavesLeftOf(node % (perTree - 1), depth) });
    }
    this.#nodesFrom = new Uint16Array(byCut.length + 1);
    for (const [at, own] of byCut.entries()) this.#nodesFrom[at + 1] = this.#nodesFrom[at]! + own.length;
    this.#trees = Uint16Array.from(byCut.flat(), ({ tree }) => tree);
    this.#right = Int32Array.from(byCut.flat(), ({ right }) => right);
  }

  /**
   * What the leaves add up to, to be asked how high the chance is. Each fact that the trees ask for must
   * be in the sheet. The first `shared` facts of a sheet are gone through once, whatever follows them.
   */
  sumOf(facts: FactSheet, shared = 0): number {
    const left = this.#left;
    const leaves = this.#leaves;
    const perTree = this.#perTree;
    if (facts.names !== this.#placedFor || shared !== this.#shared) this.#place(facts.names, shared);
    if (shared === 0 || facts !== this.#commonFor) {
      this.#common.fill(-1);
      this.#goThrough(facts, this.#firstFacts, this.#common);
      this.#commonFor = facts;
    }
    left.set(this.#common);
    this.#goThrough(facts, this.#otherFacts, left);
    let sum = 0;
    for (let tree = 0, from = 0; tree < left.length; tree += 1, from += perTree) {
      const leaf = left[tree]!;
      // The place of the lowest bit.
      sum += leaves[from + 31 - Math.clz32(leaf & -leaf)]!;
    }
    return sum;
  }

  /** Whether the chance is this high, by what the leaves add up to. */
  isAtLeast(chance: number, sum: number): boolean {
    const { scale, bias } = this.#packed;
    return sum >= (Math.log(chance / (1 - chance)) - bias) / scale;
  }

  chance(sum: number): number {
    const { scale, bias } = this.#packed;
    return 1 / (1 + Math.exp(-(bias + sum * scale)));
  }

  /** From the cuts at or below its value a fact goes right. */
  #goThrough({ values }: FactSheet, some: Uint16Array, left: Int32Array): void {
    const places = this.#places;
    const cuts = this.#cuts;
    const factsFrom = this.#from;
    const nodesFrom = this.#nodesFrom;
    const trees = this.#trees;
    const right = this.#right;
    for (let one = 0; one < some.length; one += 1) {
      const fact = some[one]!;
      const value = values[places[fact]!]!;
      const from = factsFrom[fact]!;
      const to = factsFrom[fact + 1]!;
      let cut = from;
      while (cut < to && cuts[cut]! <= value) cut += 1;
      if (cut === from) continue;
      const end = nodesFrom[cut]!;
      for (let node = nodesFrom[from]!; node < end; node += 1) {
        const tree = trees[node]!;
        left[tree] = left[tree]! & right[node]!;
      }
    }
  }

  #place(names: readonly string[], shared: number): void {
    this.#places = Uint16Array.from(this.#names, (name) => {
      const at = names.indexOf(name);
      if (at < 0) throw new Error(`The trees ask for “${name}”. Train again.`);
      return at;
    });
    const all = Uint16Array.from(this.#places.keys());
    this.#firstFacts = all.filter((fact) => this.#places[fact]! < shared);
    this.#otherFacts = all.filter((fact) => this.#places[fact]! >= shared);
    this.#placedFor = names;
    this.#shared = shared;
    this.#commonFor = undefined;
  }
}

/** The leaves to the left of an inner node, one bit each; nodes are numbered from the root down. */
function leavesLeftOf(node: number, depth: number): number {
  const level = 31 - Math.clz32(node + 1);
  const size = 2 ** (depth - level - 1);
  const first = (node + 1 - 2 ** level) * size * 2;
  return (2 ** size - 1) << first;
}
