import { expect, test } from "vitest";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";
import { usage, type UsageKind } from "./usage-command.ts";

const spent = {
  costUsd: 0.5,
  tokens: 1_700,
  inputTokens: 1_000,
  outputTokens: 200,
  cacheReadTokens: 500,
  cacheWriteTokens: 0,
  laps: 2,
  unpriced: 0,
};
const unknown = { ...spent, costUsd: 0, laps: 1, unpriced: 1 };

const summary = {
  since: 0,
  timeZone: "UTC",
  days: [
    { day: "2026-11-15", start: 0, models: [] },
    {
      day: "2026-11-16",
      start: 1,
      models: [
        { model: "anthropic/a", ...spent },
        { model: "own/b", ...unknown },
      ],
    },
  ],
  models: [
    { model: "anthropic/a", ...spent },
    { model: "own/b", ...unknown },
  ],
  sessions: [{ sessionKey: "ses_1", title: '=HYPERLINK("x"), a', runs: 1, ...spent }],
  actions: [{ action: "trn:elwood:default:action/llm/ask@v1", ...spent }],
  profiles: [{ profile: "anthropic:work", ...spent }, unknown],
  tenants: [
    { tenant: "acme", ...spent },
    { tenant: "default", ...unknown },
  ],
  total: { ...spent, laps: 3, unpriced: 1 },
  caps: { todayUsd: 0.5, dayCostUsd: 20, runCostUsd: 2, runTokens: 1_000_000 },
};

async function shown(by: UsageKind, form: "table" | "csv" | "json") {
  const { client, calls } = await testGateway({ "usage.summary": () => summary });
  const io = testIo();
  await usage(io, client, { by, days: 7, form });
  expect(calls).toEqual([{ method: "usage.summary", params: { days: 7 } }]);
  return io.out();
}

test("AC-11: usage by model shows tokens, cached ones and cost, and an unknown price as unknown", async () => {
  const text = await shown("model", "table");
  expect(text).toMatch(/anthropic\/a +2 +1,000 +500 +200 +\$0\.5000/);
  expect(text).toMatch(/own\/b .* unknown\n/);
  expect(text).toMatch(/total .*\$0\.5000 \+ 1 unknown/);
  expect(text).toContain("Today: $0.50 of $20.00.");
});

test("AC-11: usage says which part of the day's limit is used from half of it on", async () => {
  const caps = { ...summary.caps, todayUsd: 16 };
  const { client } = await testGateway({ "usage.summary": () => ({ ...summary, caps }) });
  const io = testIo();
  await usage(io, client, { by: "day", days: 7, form: "table" });
  expect(io.out()).toContain("\n80 % of the limit for a day is used ($16.00 of $20.00 for today). Estimates");
});

test("AC-11: usage as CSV has one line for each day with use, and no cell that a spreadsheet would run", async () => {
  expect((await shown("day", "csv")).split("\r\n")).toEqual([
    "day,questions,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,total_tokens,cost_usd,questions_of_unknown_price",
    "2026-11-16,3,2000,400,1000,0,3400,0.500000,1",
    "",
  ]);
  expect(await shown("session", "csv")).toContain(`"'=HYPERLINK(""x""), a",2,`);
  expect(await shown("model", "csv")).toContain("own/b,1,1000,200,500,0,1700,,1");
});

test("AC-11: usage by action, by the account that paid, and by tenant", async () => {
  expect(await shown("action", "csv")).toContain(
    "trn:elwood:default:action/llm/ask@v1,2,1000,200,500,0,1700,",
  );
  const profiles = await shown("profile", "table");
  expect(profiles).toMatch(/anthropic:work +2 /);
  expect(profiles).toMatch(/no profile +1 .*unknown\n/);
  const tenants = await shown("tenant", "table");
  expect(tenants).toMatch(/acme +2 /);
  expect(tenants).toMatch(/total +3 /);
});
