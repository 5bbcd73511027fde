import { cronProblem, namesHours } from "@elwood/core/schedule/cron-expression";
import { expect, test } from "vitest";
import { reference, wallsOf } from "../../test/jobs/cron-reference.ts";
import { cronTimes } from "./cron-times.ts";

const EXPRESSIONS = [
  "30 2 * * *",
  "15,45 2 * * *",
  "0 2,3 * * *",
  "0 0 * * *",
  "*/20 1-3 * * *",
  "0 */2 * * *",
  "*/30 * * * *",
  "17 * * * *",
  "0 9 * * 1-5",
  "0 9 31 * *",
  "0 9 L * *",
  "45 23 * * 0",
  "5 0 1,15 * 5",
];

// Berlin and New York change at 2 and 1 o'clock, Lord Howe by half an hour, Santiago at midnight.
test.each([
  ["Europe/Berlin", "2026-03-20T00:00Z", "2026-04-03T00:00Z"],
  ["Europe/Berlin", "2026-10-20T00:00Z", "2026-11-03T00:00Z"],
  ["America/New_York", "2026-03-05T00:00Z", "2026-03-12T00:00Z"],
  ["America/New_York", "2026-10-29T00:00Z", "2026-11-05T00:00Z"],
  ["Australia/Lord_Howe", "2026-04-01T00:00Z", "2026-04-08T00:00Z"],
  ["America/Santiago", "2026-09-02T00:00Z", "2026-09-09T00:00Z"],
])(
  "in %s from %s on, every time of every expression is that of an independent reckoning",
  async (zone, start, end) => {
    const [from, to] = [Date.parse(start), Date.parse(end)];
    const walls = wallsOf(zone, from, to);
    const times = cronTimes();
    for (const expression of EXPRESSIONS) {
      const found: number[] = [];
      for (let last = from; ;) {
        const [next] = await times.next(expression, zone, last, 1);
        if (next === undefined || next > to) break;
        found.push((last = next));
      }
      const shown = (list: readonly number[]) => list.map((time) => new Date(time).toISOString());
      expect(shown(found), expression).toEqual(shown(reference(expression, walls, from)));
      expect(await times.next(expression, zone, from, found.length + 1)).toEqual([
        ...found,
        expect.any(Number),
      ]);
    }
  },
);

test("29 February comes every four years, the 31st only where there is one, and 30 February never", async () => {
  const times = cronTimes();
  const from = Date.UTC(2026, 0, 1);
  const days = async (expression: string, count: number) =>
    (await times.next(expression, "UTC", from, count)).map((time) =>
      new Date(time).toISOString().slice(0, 10),
    );
  expect(await days("0 9 29 2 *", 2)).toEqual(["2028-02-29", "2032-02-29"]);
  expect(await days("0 9 31 * *", 4)).toEqual(["2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"]);
  expect(await days("0 9 L 2 *", 3)).toEqual(["2026-02-28", "2027-02-28", "2028-02-29"]);
  expect(await days("0 9 30 2 *", 1)).toEqual([]);
});

test("what is accepted as an expression has times", async () => {
  const accepted = [
    ...EXPRESSIONS,
    "@hourly",
    "@daily",
    "@weekly",
    "@monthly",
    "@yearly",
    "0 9 * feb-apr mon,WED",
    "1-59/2 0 * * 7",
  ];
  for (const expression of accepted) {
    expect(cronProblem(expression), expression).toBeUndefined();
    expect((await cronTimes().next(expression, "Europe/Berlin", 0, 2)).length, expression).toBe(2);
    expect(typeof namesHours(expression)).toBe("boolean");
  }
});
