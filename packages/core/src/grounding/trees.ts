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

/** Boosted decision trees, all of one depth: each adds what its leaf says, and the sum is a chance. */
export class Trees {
  readonly #packed: PackedTrees;
  /** For each inner node, which fact it asks for in the high byte, and in the low one up to which cut of it it goes left. */
  readonly #nodes: Uint16Array;
  readonly #leaves: Int8Array;
  /** What the trees from each one on add at least, and at most. */
  readonly #least: Int32Array;
  readonly #most: Int32Array;
  /** The cuts of all facts one after another, and where those of each one begin. */
  readonly #cuts: Float64Array;
  readonly #from: Uint16Array;
  readonly #names: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;
  /** For each fact, how many of its cuts lie at or below its value. */
  readonly #values: Uint8Array;

  constructor(packed: PackedTrees) {
    this.#packed = packed;
    const nodes = bytesOf(packed.nodes);
    // A cut that a fact does not have is never reached.
    this.#nodes = Uint16Array.from(
      { length: nodes.length / 2 },
      (_, node) => (nodes[node * 2]! << 8) | nodes[node * 2 + 1]!,
    );
    this.#leaves = new Int8Array(bytesOf(packed.leaves).buffer);
    const cuts = packed.cuts.split(";").map((values) => (values === "" ? [] : values.split(" ").map(Number)));
    this.#names = packed.facts.split(",");
    this.#cuts = Float64Array.from(cuts.flat());
    this.#from = new Uint16Array(cuts.length + 1);
    for (const [at, values] of cuts.entries()) this.#from[at + 1] = this.#from[at]! + values.length;
    this.#numbers = new Map(this.#names.map((name, at) => [name, at]));
    this.#values = new Uint8Array(this.#names.length);
    const leaves = 2 ** packed.depth;
    if (this.#leaves.length * (leaves - 1) !== this.#nodes.length * leaves)
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
    this.#readValues(groups);
    const values = this.#values;
    const { depth } = this.#packed;
    const inner = 2 ** depth - 1;
    const nodes = this.#nodes;
    const leaves = this.#leaves;
    const trees = leaves.length / (inner + 1);
    let sum = 0;
    let tree = 0;
    // Two at a time: the processor follows one while it waits for what the other asks.
    for (; tree + 1 < trees; tree += 2) {
      if (needed !== undefined && (sum + this.#least[tree]! >= needed || sum + this.#most[tree]! < needed))
        return sum;
      const from = tree * inner;
      const next = from + inner;
      let one = 0;
      let two = 0;
      for (let level = 0; level < depth; level += 1) {
        const a = nodes[from + one]!;
        const b = nodes[next + two]!;
        // 1 to the left, 2 to the right, without a jump that nobody could foresee.
        one = one * 2 + 1 + (((a & 0xff) - values[a >> 8]!) >>> 31);
        two = two * 2 + 1 + (((b & 0xff) - values[b >> 8]!) >>> 31);
      }
      sum += leaves[tree + from + one - inner]! + leaves[tree + 1 + next + two - inner]!;
    }
    if (tree < trees) {
      const from = tree * inner;
      let node = 0;
      for (let level = 0; level < depth; level += 1) {
        const a = nodes[from + node]!;
        node = node * 2 + 1 + (((a & 0xff) - values[a >> 8]!) >>> 31);
      }
      sum += leaves[tree + from + node - inner]!;
    }
    return sum;
  }

  #readValues(groups: readonly Readonly<Record<string, number>>[]): void {
    const names = this.#names;
    let found = 0;
    for (const group of groups)
      for (const name in group) {
        // They come in the order in which they came in training, so that few are looked up.
        const at = names[found] === name ? found : this.#numbers.get(name);
        if (at === undefined) continue;
        this.#read(at, group[name]!);
        found += 1;
      }
    if (found < names.length) {
      const missing = names.find((name) => !groups.some((group) => Object.hasOwn(group, name)));
      throw new Error(`The trees ask for “${missing}”. Train again.`);
    }
  }

  #read(fact: number, value: number): void {
    const cuts = this.#cuts;
    const from = this.#from[fact]!;
    const to = this.#from[fact + 1]!;
    let at = from;
    while (at < to && cuts[at]! <= value) at += 1;
    this.#values[fact] = at - from;
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
