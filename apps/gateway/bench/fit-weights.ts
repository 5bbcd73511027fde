/** One question as fitting sees it: for each turn that may be shown its features in a row, and which turns are gold. */
export interface FitQuestion {
  readonly rows: readonly Float64Array[];
  readonly gold: readonly number[];
}

const STEPS = 300;
const RATE = 0.05;
const KEPT_MEAN = 0.9;
const KEPT_SPREAD = 0.99;
const TINY = 1e-6;

/**
 * Weights under which the gold turns come first, begun at nothing, so that no choice that was made with all questions
 * in view goes into them. The score of a turn is a vote for it (softmax); what is made small is the surprise
 * at where the gold is (Adam, each feature in units of its own spread). The same questions give the same weights.
 */
export function fitWeights(questions: readonly FitQuestion[], width: number): number[] {
  const asked = questions.filter(({ gold }) => gold.length > 0);
  if (asked.length === 0) return Array.from({ length: width }, () => 0);
  const scale = spreads(asked, width);
  const weights = new Float64Array(width);
  const mean = new Float64Array(width);
  const spread = new Float64Array(width);
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = new Float64Array(width);
    for (const question of asked) addGradient(question, weights, gradient);
    for (let at = 0; at < width; at += 1) {
      const slope = gradient[at]! / asked.length / scale[at]!;
      mean[at] = KEPT_MEAN * mean[at]! + (1 - KEPT_MEAN) * slope;
      spread[at] = KEPT_SPREAD * spread[at]! + (1 - KEPT_SPREAD) * slope * slope;
      const towards = mean[at]! / (1 - KEPT_MEAN ** step);
      const size = Math.sqrt(spread[at]! / (1 - KEPT_SPREAD ** step)) + TINY;
      const rate = RATE * (1 - step / (STEPS + 1));
      weights[at]! += (rate * towards) / size / scale[at]!;
    }
  }
  return [...weights];
}

function addGradient({ rows, gold }: FitQuestion, weights: Float64Array, gradient: Float64Array): void {
  const scores = rows.map((row) => {
    let sum = 0;
    for (let at = 0; at < weights.length; at += 1) sum += weights[at]! * row[at]!;
    return sum;
  });
  const top = Math.max(...scores);
  const votes = scores.map((score) => Math.exp(score - top));
  const all = votes.reduce((sum, vote) => sum + vote, 0);
  const pull = votes.map((vote) => -vote / all);
  for (const index of gold) pull[index]! += 1 / gold.length;
  for (const [index, row] of rows.entries())
    for (let at = 0; at < gradient.length; at += 1) gradient[at]! += pull[index]! * row[at]!;
}

function spreads(questions: readonly FitQuestion[], width: number): Float64Array {
  const squares = new Float64Array(width);
  let count = 0;
  for (const { rows } of questions)
    for (const row of rows) {
      count += 1;
      for (let at = 0; at < width; at += 1) squares[at]! += row[at]! * row[at]!;
    }
  return squares.map((sum) => Math.sqrt(sum / Math.max(1, count)) || 1);
}
