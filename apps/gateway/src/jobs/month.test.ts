import { LIMITS } from "@elwood/core/base/limits";
import type { Occurrence } from "@elwood/core/schedule/job";
import { seededRandom } from "@elwood/testkit/fixed-ids";
import { JobScene } from "@elwood/testkit/job-scene";
import { TENANT } from "@elwood/testkit/simulation-process";
import { expect, test } from "vitest";
import { reference, wallsOf } from "../../test/jobs/cron-reference.ts";
import { cronTimes } from "./cron-times.ts";

/** From before New York puts its clocks ahead (8 March) to after Sydney puts them back (5 April 2026). */
const START = Date.parse("2026-03-07T00:00:00Z");
const END = Date.parse("2026-04-07T00:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SLEEP_MAX = 48 * HOUR;

const JOBS: readonly (readonly [name: string, cron: string, zone: string])[] = [
  ["berlin gap", "30 2 * * *", "Europe/Berlin"],
  ["berlin work", "0 9 * * 1-5", "Europe/Berlin"],
  ["new york gap", "15,45 2 * * *", "America/New_York"],
  ["new york last day", "0 18 L * *", "America/New_York"],
  ["sydney twice", "30 2 * * *", "Australia/Sydney"],
  ["sydney 31st", "0 7 31 * *", "Australia/Sydney"],
];

async function scheduled(catchUp: "skip" | "once"): Promise<JobScene> {
  const scene = await JobScene.open({ start: START, timeZone: "Europe/Berlin", cron: cronTimes() });
  for (const [name, cron, timeZone] of JOBS)
    await scene.service.create({ kind: "task", name, message: name, cron, timeZone, catchUp }, "owner");
  return scene;
}

/** What became of all due times of a job. */
async function historyOf(scene: JobScene, name: string): Promise<readonly Occurrence[]> {
  const { id } = await scene.service.get(name);
  return (await scene.jobs.history(TENANT, { jobId: id, limit: 200 })).toReversed();
}

const expected = new Map(
  JOBS.map(([name, cron, zone]) => [name, reference(cron, wallsOf(zone, START, END + SLEEP_MAX), START)]),
);

test("a month across three changes of the clocks: every due time that an independent reckoning finds runs once, on time", async () => {
  const scene = await scheduled("skip");
  for (;;) {
    const next = await scene.jobs.nextFire(TENANT);
    if (next === undefined || next > END) break;
    await scene.at(next);
  }
  for (const [name, times] of expected) {
    const history = await historyOf(scene, name);
    expect(
      history.map(({ dueAt }) => dueAt),
      name,
    ).toEqual(times.filter((time) => time <= END));
    expect(
      new Set(history.map(({ status, trigger, at, dueAt }) => `${status} ${trigger} ${at - dueAt}`)),
      name,
    ).toEqual(new Set(["done schedule 0"]));
  }
  expect([...expected.values()].flat().length).toBeGreaterThan(140);
});

test.each([1])(
  "the same month with crashes, sleep and a clock that is set back and ahead: nothing is lost, and nothing runs twice (seed %i)",
  async (seed) => {
    const scene = await scheduled("once");
    const chance = seededRandom(seed * 7_919);
    for (let n = 0; n < 5; n++) chance();
    let now = START;
    while (now < END) {
      const next = (await scene.jobs.nextFire(TENANT)) ?? END;
      const luck = chance();
      // Asleep or off for up to two days; otherwise there in time.
      now = luck < 0.15 ? next + Math.floor(chance() * SLEEP_MAX) : Math.max(now + 1, next);
      if (luck > 0.92) {
        scene.kill();
        await scene.boot();
      } else if (luck > 0.87) await scene.at(Math.max(START, now - 24 * HOUR));
      await scene.at(now);
    }
    const { runs } = await scene.world.stores.runs.list(TENANT, { limit: 200 });
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["done"]));
    for (const [name, times] of expected) {
      const history = await historyOf(scene, name);
      const due = history.map(({ dueAt }) => dueAt);
      expect(new Set(due).size, `${name} has no time twice`).toBe(due.length);
      for (const { status, dueAt, at, count = 1 } of history) {
        expect(times, name).toContain(dueAt);
        expect(["done", "missed"], name).toContain(status);
        if (status === "missed") expect(at - dueAt, name).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(LIMITS.jobMissedMax);
      }
      // Every due time up to the last one is accounted for: run, or counted among those that were missed.
      const last = Math.max(...due);
      const accounted = history.reduce((sum, { count = 1 }) => sum + count, 0);
      expect(accounted, name).toBe(times.filter((time) => time <= last).length);
    }
  },
);
