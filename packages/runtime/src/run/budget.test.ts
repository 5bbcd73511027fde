import { RUN_LIMITS } from "@elwood/core/base/limits";
import { NO_USAGE } from "@elwood/core/message/message";
import { expect, test } from "vitest";
import { Budget } from "./budget.ts";

const usage = (outputTokens: number) => ({ ...NO_USAGE, outputTokens });

test("a run ends politely after its last allowed lap", () => {
  const budget = new Budget({ ...RUN_LIMITS, laps: 2 }, 0);
  expect(budget.beginLap()).toBeUndefined();
  expect(budget.beginLap()).toBeUndefined();
  expect(budget.beginLap()).toMatchObject({
    reason: "LAPS_LIMIT",
    message: expect.stringContaining("limits.laps"),
  });
});

test("tokens, the run's cost and the day's cost each end a run by name", () => {
  const tokens = new Budget({ ...RUN_LIMITS, tokens: 100 }, 0);
  tokens.endLap(usage(100), 0);
  expect(tokens.beginLap()?.reason).toBe("TOKENS_LIMIT");
  const cost = new Budget({ ...RUN_LIMITS, costUsd: 1 }, 0);
  cost.endLap(usage(1), 1.01);
  expect(cost.beginLap()?.reason).toBe("RUN_COST_LIMIT");
  expect(new Budget({ ...RUN_LIMITS, dayCostUsd: 5 }, 5).beginLap()?.reason).toBe("DAY_COST_LIMIT");
});

test("the same call again and again is stopped, other calls are not", () => {
  const budget = new Budget({ ...RUN_LIMITS, identicalCalls: 3 }, 0);
  for (let i = 0; i < 3; i++) expect(budget.beginCall("same")).toBeUndefined();
  expect(budget.beginCall("other")).toBeUndefined();
  expect(budget.beginCall("same")?.reason).toBe("REPEAT_LIMIT");
});

test("a lap without a known price makes the run's cost unknown, not small", () => {
  const budget = new Budget(RUN_LIMITS, 0);
  budget.endLap(usage(1), 0.5);
  expect(budget.costUsd).toBe(0.5);
  budget.endLap(usage(1), undefined);
  expect(budget.costUsd).toBeUndefined();
});
