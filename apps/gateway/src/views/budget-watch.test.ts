import { LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import { NO_USAGE } from "@elwood/core/message/message";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { BudgetWatch } from "./budget-watch.ts";
import { Budgets } from "./budgets.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Spending at ten dollars for a million tokens: the owner's day has $10, acme's day $1 and its month $4. */
function scene() {
  const clock = new ManualClock();
  const localTime = new LocalTime("UTC");
  const spent: { tenant: string; at: number; costUsd: number }[] = [];
  let looks = 0;
  const since = async (tenant: string, from: number) => {
    looks++;
    const own = spent.filter((each) => each.tenant === tenant && each.at >= from);
    return { costUsd: own.reduce((sum, each) => sum + each.costUsd, 0), unpriced: 0 };
  };
  const budgets = new Budgets({
    runs: { spentSince: since as never },
    spent: since,
    owner: "default",
    dayCostUsd: 10,
    tenants: { acme: { costCapUsd: { day: 1, month: 4 } } },
    localTime,
    clock,
  });
  const told: unknown[] = [];
  const reached: string[] = [];
  const note = (_text: string, { what, percent, tenant }: Record<string, unknown> = {}) =>
    void told.push(`${String(tenant)} ${String(what)} ${String(percent)}`);
  const watch = new BudgetWatch({
    budgets,
    prices: [{ match: "own/m", input: 10, output: 0 }],
    localTime,
    clock,
    log: { error: note, warn: note, info: note, debug: note },
    reached: (tenant) => reached.push(tenant),
  });
  const spend = async (tenant: string, costUsd: number) => {
    const ref = { provider: "own", model: "m" };
    watch.observe({
      kind: "model",
      tenant,
      runId: "run_1",
      operation: "chat",
      asked: ref,
      answered: ref,
      startedAt: clock.now(),
      endedAt: clock.now(),
      outcome: "done",
      usage: { ...NO_USAGE, inputTokens: costUsd * 100_000 },
    });
    // It is on record a moment after it was told.
    spent.push({ tenant, at: clock.now(), costUsd });
    await clock.advance(LIMITS.attentionQuietMs);
  };
  return { clock, budgets, watch, spend, told, reached, looks: () => looks };
}

test("AC-11: each mark of a budget is told once, in the log and to who shows what wants the owner, and again on the next day", async () => {
  const { clock, spend, told, reached, budgets } = scene();
  await spend("default", 4.9);
  expect(told).toEqual([]);
  await spend("default", 0.2);
  expect(told).toEqual(["default day 50"]);
  await spend("default", 1);
  await spend("default", 2);
  await spend("default", 1);
  await spend("default", 1);
  await spend("default", 1);
  expect(told).toEqual(["default day 50", "default day 80", "default day 100"]);
  expect(reached).toEqual(["default", "default", "default"]);
  expect((await budgets.of("default"))[0]?.alert?.id).toMatch(/^budget:\d+:100$/);
  await clock.advance(DAY_MS);
  await spend("default", 9);
  expect(told).toHaveLength(4);
  expect(told.at(-1)).toBe("default day 80");
});

test("a tenant's day and month are told each for itself, and a tenant without caps is told of nothing", async () => {
  const { spend, told, budgets } = scene();
  await spend("acme", 1);
  await spend("acme", 1);
  expect(told).toEqual(["acme day 100", "acme month 50"]);
  const ids = (await budgets.of("acme")).map(({ alert }) => alert?.id);
  expect(new Set(ids).size).toBe(2);
  await spend("other", 100);
  expect(told).toHaveLength(2);
});

test("what was spent is looked up only where a mark may have been reached", async () => {
  const { spend, looks } = scene();
  await spend("default", 1);
  expect(looks()).toBe(1);
  for (let i = 0; i < 30; i++) await spend("default", 0.1);
  expect(looks()).toBe(1);
  await spend("default", 1);
  expect(looks()).toBe(2);
});

test("what is used while it is looked up is looked up again", async () => {
  const { clock, spend, told } = scene();
  const before = spend("default", 1);
  const meanwhile = spend("default", 5);
  await Promise.all([before, meanwhile]);
  await clock.advance(LIMITS.attentionQuietMs);
  expect(told).toEqual(["default day 50"]);
  await spend("default", 2.5);
  expect(told).toEqual(["default day 50", "default day 80"]);
});

test("once stopped it looks no more", async () => {
  const { watch, spend, told } = scene();
  watch.stop();
  await spend("default", 10);
  expect(told).toEqual([]);
});
