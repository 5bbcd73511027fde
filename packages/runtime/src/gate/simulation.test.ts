import { simulate, type SimulationResult } from "@elwood/testkit/simulation";
import { expect, test } from "vitest";

const SEEDS = 200;
const given = process.env["ELWOOD_SIM_SEED"];
const seeds = given === undefined ? Array.from({ length: SEEDS }, (_, i) => i + 1) : [Number(given)];

/** Whatever the schedule: no effect twice, no approval lost, nothing left in the middle, every word true. */
test(`EL-14: in ${seeds.length} schedules of answers, stops, faults and crashes the world adds up`, async () => {
  const totals = { crashes: 0, faults: 0, calls: 0, effects: 0 };
  for (const seed of seeds) {
    const result = await simulate(seed);
    expect(result.problems, told(result)).toEqual([]);
    for (const what of ["crashes", "faults", "calls", "effects"] as const) totals[what] += result[what];
  }
  if (given !== undefined) return;
  // The schedules reach what they are for.
  expect(totals.crashes).toBeGreaterThan(seeds.length);
  expect(totals.faults).toBeGreaterThan(seeds.length / 2);
  expect(totals.effects).toBeGreaterThan(seeds.length);
});

test("the same seed gives the same schedule, event by event", async () => {
  expect(await simulate(7)).toEqual(await simulate(7));
});

function told({ seed, problems, story }: SimulationResult): string {
  return `seed ${seed} (ELWOOD_SIM_SEED=${seed}):\n${problems.join("\n")}\n\n${story.join("\n")}`;
}
