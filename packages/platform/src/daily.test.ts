import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { daily } from "./daily.ts";

const DAY_MS = 86_400_000;

test("chores are done at the start and every day, and one that fails keeps no other from being done", async () => {
  const clock = new ManualClock();
  const done: string[] = [];
  const told: string[] = [];
  const quiet = () => undefined;
  const log = { error: quiet, warn: (message: string) => void told.push(message), info: quiet, debug: quiet };
  const chores = {
    breaks: async () => {
      throw new Error("disk");
    },
    works: async () => void done.push("swept"),
  };
  const stop = new AbortController();
  const working = daily({ clock, log }, chores, stop.signal);
  await clock.untilAsleep((ms) => ms === DAY_MS);
  expect(done).toHaveLength(1);
  await clock.advance(DAY_MS);
  await clock.untilAsleep((ms) => ms === DAY_MS);
  expect(done).toHaveLength(2);
  expect(told).toHaveLength(2);
  stop.abort();
  await working;
});
