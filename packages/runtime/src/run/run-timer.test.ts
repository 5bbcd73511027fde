import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { RunTimer } from "./run-timer.ts";

test("time spent waiting does not count, and time spent working adds up", async () => {
  const clock = new ManualClock();
  let up = 0;
  const timer = new RunTimer(clock, 1_000, () => (up += 1));
  timer.start();
  await clock.advance(600);
  timer.pause();
  await clock.advance(1_000_000);
  expect(up).toBe(0);
  timer.start();
  await clock.advance(399);
  expect(up).toBe(0);
  await clock.advance(1);
  expect(up).toBe(1);
});

test("a timer that is paused for good never fires", async () => {
  const clock = new ManualClock();
  let up = 0;
  const timer = new RunTimer(clock, 10, () => (up += 1));
  timer.start();
  timer.start();
  timer.pause();
  timer.pause();
  await clock.advance(100);
  expect(up).toBe(0);
});
