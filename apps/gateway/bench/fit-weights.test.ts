import { expect, test } from "vitest";
import { fitWeights, type FitQuestion } from "./fit-weights.ts";

const question = (gold: number, ...rows: readonly (readonly number[])[]): FitQuestion => ({
  rows: rows.map((row) => Float64Array.from(row)),
  gold: [gold],
});

test("what gold turns have more of than others weighs for them, what they have less of against, and noise little", () => {
  const questions = Array.from({ length: 40 }, (_, n) =>
    question(n % 3, ...[0, 1, 2].map((at) => [at === n % 3 ? 2 : 1, at === n % 3 ? 0 : 1, (n + at) % 2])),
  );
  const [forIt = 0, against = 0, noise = 0] = fitWeights(questions, 3);
  expect(forIt).toBeGreaterThan(1);
  expect(against).toBeLessThan(-1);
  expect(Math.abs(noise)).toBeLessThan(Math.min(forIt, -against) / 2);
});

test("the same questions give the same weights, and questions without gold none", () => {
  const questions = [question(0, [1, 0], [0, 1]), question(1, [0, 3], [2, 1])];
  expect(fitWeights(questions, 2)).toEqual(fitWeights(questions, 2));
  expect(fitWeights([{ rows: [Float64Array.of(1)], gold: [] }], 1)).toEqual([0]);
});
