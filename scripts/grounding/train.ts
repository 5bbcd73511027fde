import {
  addOpening,
  addRequest,
  addSentence,
  addSurroundings,
  KIND_GROUPS,
} from "@elwood/core/grounding/claim-features";
import { ACTS, type Weights } from "@elwood/core/grounding/claim-model";
import {
  bucketOf,
  LEVELS,
  signOf,
  SLOTS_PER_BUCKET,
  type PackedTable,
} from "@elwood/core/grounding/piece-table";
import { textOfBytes } from "@elwood/core/grounding/packed-bytes";
import { PieceList } from "@elwood/core/grounding/piece-list";
import { inPlace, readDraft } from "@elwood/core/grounding/sentences";
import type { Row } from "./rows.ts";

/** Pieces and how much each counts. */
interface Features {
  readonly at: Uint32Array;
  readonly weight: Float64Array;
}

export interface Example {
  readonly claim: Features;
  readonly words: Features;
  readonly claims: boolean;
  readonly acts: ReadonlySet<string>;
  readonly outcomes: ReadonlySet<string>;
  /** It has spans, and they say which kind of action each is. */
  readonly told: boolean;
}

export interface TrainOptions {
  readonly epochs: number;
  /** Enough to see which pieces matter. */
  readonly choosingEpochs: number;
  readonly rate: number;
  readonly decay: number;
  readonly seed: number;
  /** A piece that fewer sentences hold teaches nothing that would hold elsewhere. */
  readonly seenMin: number;
}

export const DEFAULTS: TrainOptions = {
  epochs: 12,
  choosingEpochs: 5,
  rate: 0.5,
  decay: 1e-4,
  seed: 7,
  seenMin: 2,
};

/** Each sentence of a row with what its labels say of it. */
export function examplesOf(row: Row): Example[] {
  const draft = readDraft(row.reply);
  const placed = inPlace(draft, row.user);
  const list = new PieceList();
  const asked = addRequest(list, row.user);
  const request = flat(list, 0, list.groups);
  const spans = (row.spans ?? []).flatMap((span) => {
    const start = row.reply.indexOf(span.text);
    return start < 0 || span.act === "none" ? [] : [{ ...span, start, end: start + span.text.length }];
  });
  return draft.sentences.map((sentence, index) => {
    const told = spans.filter((span) => {
      const shared = Math.min(span.end, sentence.end) - Math.max(span.start, sentence.start);
      return shared >= 4 || shared >= Math.min(span.text.length, sentence.text.length) * 0.5;
    });
    const outcomes = new Set(told.flatMap((span) => (span.outcome ?? "done").split("+")));
    const place = placed[index]!;
    list.clear();
    addSentence(list, place, asked);
    addSurroundings(list, place, asked);
    addOpening(list, place.opening, asked);
    return {
      claim: joined(flat(list, 0, KIND_GROUPS - 1), flat(list, KIND_GROUPS, list.groups), request),
      words: flat(list, 0, KIND_GROUPS),
      claims: [...outcomes].some((outcome) => outcome !== "notdone"),
      acts: new Set(told.flatMap((span) => (span.act ?? "").split("+"))),
      outcomes,
      told: told.some(({ act }) => act !== undefined && act !== ""),
    };
  });
}

function flat(list: PieceList, from: number, to: number): Features {
  const at: number[] = [];
  const weight: number[] = [];
  for (let group = from; group < to; group += 1)
    for (let index = list.from[group]!; index < list.to[group]!; index += 1) {
      at.push(list.pieces[index]!);
      weight.push(list.weight[group]!);
    }
  return { at: Uint32Array.from(at), weight: Float64Array.from(weight) };
}

function joined(...all: readonly Features[]): Features {
  return {
    at: Uint32Array.from(all.flatMap(({ at }) => [...at])),
    weight: Float64Array.from(all.flatMap(({ weight }) => [...weight])),
  };
}

/** How many pieces there is room for, in buckets of eight. */
const ROOM = { claims: 8_192, unsuccessful: 1_536, kinds: 640 } as const;

/** Stochastic gradient descent with Adagrad; the same rows and seed give the same weights. */
export function train(examples: readonly Example[], options: TrainOptions = DEFAULTS): Weights {
  const told = examples.filter((example) => example.told);
  // What kind of action it is matters where there is one; of the other sentences a part is enough.
  // A claim of which nobody said what kind it is teaches nothing about kinds.
  const without = examples.filter((example, index) => !example.told && !example.claims && index % 3 === 0);
  const mixed = [...told, ...without];
  const has = ({ outcomes }: Example, ...any: readonly string[]) => any.some((one) => outcomes.has(one));
  const isUnsuccessful = (each: Example) =>
    has(each, "failed", "denied", "waiting", "expired", "unknown", "notdone");
  const whereTold = (each: Example) => (each.told ? 1 : 0.2);
  const unsuccessful: Question = {
    of: told,
    is: isUnsuccessful,
    // A sentence that tells of both teaches little about either.
    weight: (each) => (isUnsuccessful(each) ? (has(each, "done", "later") ? 0.5 : 1) : 1),
  };
  const kinds: Question[] = [
    { of: told, is: (each) => has(each, "later"), weight: () => 1 },
    { of: told, is: (each) => has(each, "denied", "waiting", "expired"), weight: () => 1 },
    ...ACTS.map((act) => ({ of: mixed, is: (each: Example) => each.acts.has(act), weight: whereTold })),
  ];
  return {
    claims: packed(
      [{ of: examples, is: (each) => each.claims, weight: () => 1 }],
      ({ claim }) => claim,
      ROOM.claims,
      options,
    ),
    unsuccessful: packed([unsuccessful], ({ words }) => words, ROOM.unsuccessful, options),
    kinds: packed(kinds, ({ words }) => words, ROOM.kinds, options),
  };
}

/** A yes-or-no question to some of the sentences. */
interface Question {
  readonly of: readonly Example[];
  readonly is: (each: Example) => boolean;
  readonly weight: (each: Example) => number;
}

/** Trained briefly on all pieces, then again on those there is room for. */
function packed(
  questions: readonly Question[],
  featuresOf: (each: Example) => Features,
  buckets: number,
  options: TrainOptions,
): PackedTable {
  const examples = [...new Set(questions.flatMap((question) => question.of))];
  const seen = new Map<number, number>();
  for (const example of examples)
    for (const piece of featuresOf(example).at) seen.set(piece, (seen.get(piece) ?? 0) + 1);
  const all = [...seen].filter(([, times]) => times >= options.seenMin).map(([piece]) => piece);
  const first = fitAll(questions, examples, featuresOf, all, { ...options, epochs: options.choosingEpochs });
  const size = new Map(
    all.map((piece, at) => {
      const largest = Math.max(...first.map(({ weights }) => Math.abs(weights[at]!)));
      return [piece, largest * Math.sqrt(seen.get(piece) ?? 0)];
    }),
  );
  const slotOf = new Map<number, number>();
  const signs = new Uint8Array(buckets * SLOTS_PER_BUCKET);
  for (const piece of all.toSorted((a, b) => size.get(b)! - size.get(a)!)) {
    const sign = signOf(piece);
    const from = bucketOf(piece, buckets) * SLOTS_PER_BUCKET;
    const slots = signs.subarray(from, from + SLOTS_PER_BUCKET);
    const free = slots.indexOf(0);
    // Where another piece with this sign is kept already, the two could not be told apart.
    if (free < 0 || slots.includes(sign)) continue;
    slots[free] = sign;
    slotOf.set(piece, from + free);
  }
  const kept = [...slotOf.keys()];
  const last = fitAll(questions, examples, featuresOf, kept, options);
  const bytes = new Uint8Array((signs.length * questions.length) / 2);
  const scales = last.map(({ weights }, answer) => {
    const scale = Number(scaleOf([...weights]).toFixed(4));
    for (const [index, piece] of kept.entries()) {
      const at = slotOf.get(piece)! * questions.length + answer;
      bytes[at >> 1]! |= nearestLevel(weights[index]! / scale) << ((at & 1) << 2);
    }
    return scale;
  });
  return {
    buckets,
    signs: textOfBytes(signs),
    weights: textOfBytes(bytes),
    scales,
    biases: last.map(({ bias }) => Number(bias.toFixed(4))),
  };
}

/** Each question for itself, on the same pieces. */
function fitAll(
  questions: readonly Question[],
  examples: readonly Example[],
  featuresOf: (each: Example) => Features,
  pieces: readonly number[],
  options: TrainOptions,
) {
  const indexOf = new Map(pieces.map((piece, index) => [piece, index]));
  const placed = new Map(
    examples.map((example) => {
      const { at, weight } = featuresOf(example);
      const kept = Int32Array.from(at, (piece) => indexOf.get(piece) ?? -1);
      return [
        example,
        {
          at: kept.filter((index) => index >= 0),
          values: weight.filter((_, i) => kept[i]! >= 0),
        },
      ];
    }),
  );
  return questions.map(({ of, is, weight }) => {
    const targets = of.map((example): Target => ({
      ...placed.get(example)!,
      is: is(example),
      weight: weight(example),
    }));
    return fit(targets, pieces.length, options);
  });
}

interface Target {
  readonly at: Int32Array;
  readonly values: Float64Array;
  readonly is: boolean;
  readonly weight: number;
}

function fit(
  targets: readonly Target[],
  size: number,
  { epochs, rate, decay, seed }: TrainOptions,
): { readonly weights: Float32Array; readonly bias: number } {
  const random = seeded(seed);
  const weights = new Float32Array(size);
  const sums = new Float32Array(size).fill(1e-2);
  const order = targets.map((_, index) => index);
  let bias = -1;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(order, random);
    const now = rate * (1 - (0.8 * epoch) / epochs);
    for (const index of order) {
      const { at, values, is, weight } = targets[index]!;
      let sum = bias;
      for (let i = 0; i < at.length; i += 1) sum += weights[at[i]!]! * values[i]!;
      const error = (1 / (1 + Math.exp(-sum)) - (is ? 1 : 0)) * weight;
      bias -= now * 0.05 * error;
      for (let i = 0; i < at.length; i += 1) {
        const one = at[i]!;
        const slope = error * values[i]! + decay * weights[one]!;
        sums[one]! += slope * slope;
        weights[one]! -= (now * slope) / Math.sqrt(sums[one]!);
      }
    }
  }
  return { weights, bias };
}

/** The few weights that lie far out are cut, which costs less than coarse steps for all. */
function scaleOf(weights: readonly number[]): number {
  const sizes = weights.map(Math.abs).toSorted((a, b) => a - b);
  return Math.max(1e-3, sizes[Math.floor((sizes.length - 1) * 0.995)] ?? 1);
}

/** Level 0 is left for slots that keep nothing. */
function nearestLevel(weight: number): number {
  let best = 8;
  for (let level = 1; level < LEVELS.length; level += 1)
    if (Math.abs(LEVELS[level]! - weight) < Math.abs(LEVELS[best]! - weight)) best = level;
  return best;
}

function shuffle(order: number[], random: () => number): void {
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
}

/** mulberry32 */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
