import { expect, test } from "vitest";
import { costText } from "../../parts/format.ts";
import { spentToday, stacks } from "./usage-page.ts";

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

test("days are as high as their part of a round figure, and models lie in the same order everywhere", () => {
  const { days, models, top } = stacks(
    {
      models: [spent("a", 2.5), spent("b", 2)],
      days: [
        { day: "2026-01-01", start: 0, models: [spent("b", 0.5), spent("a", 2.5)] },
        { day: "2026-01-02", start: 0, models: [] },
        { day: "2026-01-03", start: 0, models: [spent("b", 1)] },
      ],
    },
    "costUsd",
  );
  expect(models).toEqual(["a", "b"]);
  expect(top).toBe(4);
  expect(days.map(({ height }) => height)).toEqual([75, 0, 25]);
  expect(days[0]?.parts.map(({ series, share }) => [series, Math.round(share)])).toEqual([
    [0, 83],
    [1, 17],
  ]);
});

test.each([
  [0.0123, 0.02],
  [7, 8],
  [9_100, 10_000],
  [200, 200],
  [0, 0],
])("a dearest day of %d is drawn up to %d", (most, top) => {
  const usage = { models: [], days: [{ day: "2026-01-01", start: 0, models: [spent("a", most)] }] };
  expect(stacks(usage, "costUsd").top).toBeCloseTo(top, 10);
});

test("days without any use have no height, and nothing is divided by nothing", () => {
  const { days } = stacks({ models: [], days: [{ day: "2026-01-01", start: 0, models: [] }] }, "tokens");
  expect(days).toEqual([{ day: "2026-01-01", total: 0, height: 0, parts: [] }]);
});

test("what has no known price is told as unknown, never as nothing", () => {
  expect(costText({ costUsd: 0, laps: 2, unpriced: 2 })).toBe("unknown");
  expect(costText({ costUsd: 0.5, laps: 3, unpriced: 1 })).toBe("$0.50 + unknown");
  expect(costText({ costUsd: 0, laps: 0, unpriced: 0 })).toBe("$0.00");
  const today = { ...spent("own/model", 0), laps: 4, unpriced: 4 };
  const caps = { todayUsd: 0, dayCostUsd: 20, runCostUsd: 1, runTokens: 1 };
  const days = [
    { day: "2026-01-01", start: 0, models: [spent("a", 1)] },
    { day: "2026-01-02", start: 0, models: [today] },
  ];
  expect(costText(spentToday({ caps, days }))).toBe("unknown");
});
