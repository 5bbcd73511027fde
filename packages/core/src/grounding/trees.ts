import { fromBase64 } from "./piece-table.ts";

/** Trees as training writes them; texts are base64. */
export interface PackedTrees {
  /** Names of the facts, in the order in which they are numbered. */
  readonly facts: readonly string[];
  /** For each fact, the values between which it may be split, rising. */
  readonly cuts: readonly (readonly number[])[];
  readonly depth: number;
  /** For each inner node, from the root down: the number of a fact and the number of a cut. */
  readonly nodes: string;
  /** One signed byte for each leaf. */
  readonly leaves: string;
  readonly scale: number;
  readonly bias: number;
}

/** Boosted decision trees, all of one depth: each adds what its leaf says, and the sum is a chance. */
export class Trees {
  readonly #packed: PackedTrees;
  readonly #nodes: Uint8Array;
  readonly #leaves: Int8Array;

  constructor(packed: PackedTrees) {
    this.#packed = packed;
    this.#nodes = fromBase64(packed.nodes);
    this.#leaves = new Int8Array(fromBase64(packed.leaves).buffer);
    const leaves = 2 ** packed.depth;
    if (this.#leaves.length * 2 * (leaves - 1) !== this.#nodes.length * leaves)
      throw new Error("The trees do not fit their depth. Train again.");
  }

  /** Facts by their names; each that the trees ask for must be there. */
  chance(facts: Readonly<Record<string, number>>): number {
    const { facts: names, cuts, depth, scale, bias } = this.#packed;
    const values = names.map((name) => {
      const value = facts[name];
      if (value === undefined) throw new Error(`The trees ask for “${name}”. Train again.`);
      return value;
    });
    const inner = 2 ** depth - 1;
    let sum = 0;
    for (let from = 0, leaf = 0; from < this.#nodes.length; from += inner * 2, leaf += inner + 1) {
      let node = 0;
      for (let level = 0; level < depth; level += 1) {
        const fact = this.#nodes[from + node * 2]!;
        const cut = cuts[fact]?.[this.#nodes[from + node * 2 + 1]!] ?? Number.POSITIVE_INFINITY;
        node = node * 2 + (values[fact]! < cut ? 1 : 2);
      }
      sum += this.#leaves[leaf + node - inner]!;
    }
    return 1 / (1 + Math.exp(-(bias + sum * scale)));
  }
}
