import { expect, test } from "vitest";
import { budgetAlert } from "./budget-alert.ts";

test("a budget is told of at 50, 80 and 100 %, and never without a limit", () => {
  const at = (usd: number) => budgetAlert(usd, 20)?.percent;
  expect([0, 9.99, 10, 15.99, 16, 19.99, 20, 40].map(at)).toEqual([
    undefined,
    undefined,
    50,
    50,
    80,
    80,
    100,
    100,
  ]);
  expect(budgetAlert(5, 0)).toBeUndefined();
  expect(budgetAlert(20, 20)?.shown).toMatchObject({ severity: "error" });
});
