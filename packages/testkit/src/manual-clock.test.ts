import { describe, expect, test } from "vitest";
import { ManualClock, nextEventLoopTurn } from "./manual-clock.ts";

describe("ManualClock", () => {
  test("time stands still until it is advanced", async () => {
    const clock = new ManualClock({ start: 1_000 });
    expect(clock.now()).toBe(1_000);
    await clock.advance(250);
    expect(clock.now()).toBe(1_250);
  });

  test("sleepers wake in order of their due time, each at its own moment", async () => {
    const clock = new ManualClock({ start: 0 });
    const woke: string[] = [];
    const note = async (name: string, ms: number) => {
      await clock.sleep(ms);
      woke.push(`${name}@${clock.now()}`);
    };
    const all = Promise.all([note("late", 30), note("early", 10), note("never", 100)]);
    await clock.advance(50);
    expect(woke).toEqual(["early@10", "late@30"]);
    expect(clock.now()).toBe(50);
    await clock.advance(50);
    await all;
    expect(woke.at(-1)).toBe("never@100");
  });

  test("a loop that falls asleep again on waking is carried through one advance", async () => {
    const clock = new ManualClock({ start: 0 });
    let ticks = 0;
    const stop = new AbortController();
    const loop = (async () => {
      while (!stop.signal.aborted) {
        await clock.sleep(10, stop.signal);
        if (!stop.signal.aborted) ticks += 1;
      }
    })();
    await clock.advance(55);
    expect(ticks).toBe(5);
    stop.abort();
    await loop;
    expect(clock.now()).toBe(55);
  });

  test("a signal wakes its sleeper at once and does not move time", async () => {
    const clock = new ManualClock({ start: 0 });
    const stop = new AbortController();
    const sleeping = clock.sleep(1_000, stop.signal);
    expect(clock.sleeping).toBe(1);
    stop.abort();
    await sleeping;
    expect(clock.now()).toBe(0);
    expect(clock.sleeping).toBe(0);
    await clock.sleep(1_000, stop.signal);
  });

  test("in auto mode sleeps jump time at once and are recorded", async () => {
    const clock = new ManualClock({ start: 0, autoAdvance: true });
    await clock.sleep(100);
    await clock.sleep(200);
    expect(clock.now()).toBe(300);
    expect(clock.sleeps).toEqual([
      { at: 0, ms: 100 },
      { at: 100, ms: 200 },
    ]);
  });

  test("auto mode can pick: short pauses pass, long ones stay asleep", async () => {
    const clock = new ManualClock({ start: 0, autoAdvance: (ms) => ms < 1_000 });
    await clock.sleep(10);
    let woke = false;
    const long = clock.sleep(5_000).then(() => (woke = true));
    await nextEventLoopTurn();
    expect(woke).toBe(false);
    await clock.advance(5_000);
    await long;
    expect(woke).toBe(true);
  });

  test("untilAsleep waits for somebody to fall asleep", async () => {
    const clock = new ManualClock({ start: 0 });
    const seen = clock.untilAsleep((ms) => ms === 7);
    void clock.sleep(3);
    const fitting = clock.sleep(7);
    await seen;
    await clock.advance(7);
    await fitting;
  });

  test("set moves time backwards without waking anyone", async () => {
    const clock = new ManualClock({ start: 1_000 });
    void clock.sleep(10);
    clock.set(500);
    expect(clock.now()).toBe(500);
    expect(clock.sleeping).toBe(1);
  });
});
