import { expect, test } from "vitest";
import { stacks } from "./stacks.ts";

const spent = (model: string, costUsd: number) => ({
  model,
  costUsd,
  tokens: costUsd * 1_000,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  laps: 1,
  unpriced: 0,
});

test("the dearest day is as high as the chart, and models lie in the same order everywhere", () => {
  const { days, models } = stacks(
    {
      models: [spent("a", 3), spent("b", 2)],
      days: [
        { day: "2026-01-01", start: 0, models: [spent("b", 1), spent("a", 3)] },
        { day: "2026-01-02", start: 0, models: [] },
        { day: "2026-01-03", start: 0, models: [spent("b", 1)] },
      ],
    },
    "costUsd",
  );
  expect(models).toEqual(["a", "b"]);
  expect(days.map(({ height }) => height)).toEqual([100, 0, 25]);
  expect(days[0]?.parts).toEqual([
    { series: 0, share: 75 },
    { series: 1, share: 25 },
  ]);
});

test("days without any use have no height, and nothing is divided by nothing", () => {
  const { days } = stacks({ models: [], days: [{ day: "2026-01-01", start: 0, models: [] }] }, "tokens");
  expect(days).toEqual([{ day: "2026-01-01", total: 0, height: 0, parts: [] }]);
});
