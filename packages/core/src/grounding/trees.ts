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
  /** For each inner node, which fact it asks for, and the value from which on it goes right. */
  readonly #facts: Uint8Array;
  readonly #cuts: Float64Array;
  readonly #leaves: Int8Array;
  readonly #values: Float64Array;
  /** In which object each fact was last found. */
  readonly #group: Uint8Array;

  constructor(packed: PackedTrees) {
    this.#packed = packed;
    const nodes = fromBase64(packed.nodes);
    this.#facts = nodes.filter((_, at) => at % 2 === 0);
    this.#cuts = Float64Array.from(
      this.#facts,
      (fact, node) => packed.cuts[fact]?.[nodes[node * 2 + 1]!] ?? Number.POSITIVE_INFINITY,
    );
    this.#leaves = new Int8Array(fromBase64(packed.leaves).buffer);
    this.#values = new Float64Array(packed.facts.length);
    this.#group = new Uint8Array(packed.facts.length);
    const leaves = 2 ** packed.depth;
    if (this.#leaves.length * (leaves - 1) !== this.#facts.length * leaves)
      throw new Error("The trees do not fit their depth. Train again.");
  }

  /** Facts by their names, in any number of objects; each that the trees ask for must be in one of them. */
  chance(groups: readonly Readonly<Record<string, number>>[]): number {
    const { facts: names, depth, scale, bias } = this.#packed;
    const values = this.#values;
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at]!;
      // The same facts come in the same objects each time.
      const value = groups[this.#group[at]!]?.[name] ?? this.#found(groups, at);
      if (value === undefined) throw new Error(`The trees ask for “${name}”. Train again.`);
      values[at] = value;
    }
    const inner = 2 ** depth - 1;
    const nodes = this.#facts;
    const cuts = this.#cuts;
    let sum = 0;
    for (let from = 0, leaf = 0; from < nodes.length; from += inner, leaf += inner + 1) {
      let node = 0;
      for (let level = 0; level < depth; level += 1)
        node = node * 2 + (values[nodes[from + node]!]! < cuts[from + node]! ? 1 : 2);
      sum += this.#leaves[leaf + node - inner]!;
    }
    return 1 / (1 + Math.exp(-(bias + sum * scale)));
  }

  #found(groups: readonly Readonly<Record<string, number>>[], at: number): number | undefined {
    const name = this.#packed.facts[at]!;
    const group = groups.findIndex((each) => Object.hasOwn(each, name));
    this.#group[at] = Math.max(0, group);
    return groups[group]?.[name];
  }
}
