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
  /** What the trees from each one on add at least, and at most. */
  readonly #least: Int32Array;
  readonly #most: Int32Array;
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
    [this.#least, this.#most] = boundsOf(this.#leaves, leaves);
  }

  /**
   * Whether the chance is this high. Facts come by their names, in any number of objects; each that
   * the trees ask for must be in one of them. The trees that follow are not asked where they cannot
   * change the answer.
   */
  isAtLeast(chance: number, groups: readonly Readonly<Record<string, number>>[]): boolean {
    const { scale, bias } = this.#packed;
    const needed = (Math.log(chance / (1 - chance)) - bias) / scale;
    return this.#sum(groups, needed) >= needed;
  }

  chance(groups: readonly Readonly<Record<string, number>>[]): number {
    const { scale, bias } = this.#packed;
    return 1 / (1 + Math.exp(-(bias + this.#sum(groups) * scale)));
  }

  /** With `needed`, the sum is only sure to be on the right side of it. */
  #sum(groups: readonly Readonly<Record<string, number>>[], needed?: number): number {
    const values = this.#valuesOf(groups);
    const { depth } = this.#packed;
    const inner = 2 ** depth - 1;
    const nodes = this.#facts;
    const cuts = this.#cuts;
    const leaves = this.#leaves;
    const trees = leaves.length / (inner + 1);
    let sum = 0;
    for (let tree = 0; tree < trees; tree += 1) {
      if (needed !== undefined && (sum + this.#least[tree]! >= needed || sum + this.#most[tree]! < needed))
        break;
      const from = tree * inner;
      let node = 0;
      for (let level = 0; level < depth; level += 1)
        node = node * 2 + (values[nodes[from + node]!]! < cuts[from + node]! ? 1 : 2);
      sum += leaves[tree + from + node - inner]!;
    }
    return sum;
  }

  #valuesOf(groups: readonly Readonly<Record<string, number>>[]): Float64Array {
    const { facts: names } = this.#packed;
    const values = this.#values;
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at]!;
      // The same facts come in the same objects each time.
      const value = groups[this.#group[at]!]?.[name] ?? this.#found(groups, at);
      if (value === undefined) throw new Error(`The trees ask for “${name}”. Train again.`);
      values[at] = value;
    }
    return values;
  }

  #found(groups: readonly Readonly<Record<string, number>>[], at: number): number | undefined {
    const name = this.#packed.facts[at]!;
    const group = groups.findIndex((each) => Object.hasOwn(each, name));
    this.#group[at] = Math.max(0, group);
    return groups[group]?.[name];
  }
}

function boundsOf(leaves: Int8Array, perTree: number): [Int32Array, Int32Array] {
  const trees = leaves.length / perTree;
  const least = new Int32Array(trees + 1);
  const most = new Int32Array(trees + 1);
  for (let tree = trees - 1; tree >= 0; tree -= 1) {
    const own = leaves.subarray(tree * perTree, (tree + 1) * perTree);
    least[tree] = least[tree + 1]! + Math.min(...own);
    most[tree] = most[tree + 1]! + Math.max(...own);
  }
  return [least, most];
}
