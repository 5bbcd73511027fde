import { LIMITS } from "@elwood/core/base/limits";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { describe, expect, test } from "vitest";
import { StreamGuard } from "./stream-guard.ts";

const limits = { firstEventMs: 100, idleMs: 40, totalMs: 500 };

function guarded(outer = new AbortController()) {
  const clock = new ManualClock({ start: 0 });
  return { clock, outer, guard: new StreamGuard(clock, limits, outer.signal) };
}

describe("StreamGuard", () => {
  test("gives the first sign its own, longer time", async () => {
    const { clock, guard } = guarded();
    await clock.advance(99);
    expect(guard.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(guard.expired).toBe("first-event");
    expect(guard.signal.aborted).toBe(true);
  });

  test("after the first sign silence counts from the last one", async () => {
    const { clock, guard } = guarded();
    await clock.advance(10);
    guard.touch();
    await clock.advance(30);
    guard.touch();
    await clock.advance(39);
    expect(guard.expired).toBeUndefined();
    await clock.advance(1);
    expect(guard.expired).toBe("idle");
  });

  test("an answer that never ends is ended", async () => {
    const { clock, guard } = guarded();
    for (let i = 0; i < 60 && !guard.expired; i++) {
      guard.touch();
      await clock.advance(10);
    }
    expect(guard.expired).toBe("total");
    expect(clock.now()).toBe(500);
  });

  test("passes the caller's stop on at once, and calls it nobody's fault", async () => {
    const { clock, outer, guard } = guarded();
    outer.abort();
    expect(guard.signal.aborted).toBe(true);
    await clock.advance(1_000);
    expect(guard.expired).toBeUndefined();
  });

  test("a caller who had stopped before is heard", () => {
    const stopped = new AbortController();
    stopped.abort();
    expect(guarded(stopped).guard.signal.aborted).toBe(true);
  });

  test("a complete answer leaves a moment for the stream to close", async () => {
    const clock = new ManualClock({ start: 0 });
    const guard = new StreamGuard(
      clock,
      { firstEventMs: 90_000, idleMs: 90_000, totalMs: 900_000 },
      new AbortController().signal,
    );
    guard.touch();
    guard.drain();
    await clock.advance(LIMITS.modelDrainMs - 1);
    guard.drain();
    expect(guard.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(guard.expired).toBe("drain");
  });

  test("leaves no timer behind", async () => {
    const { clock, guard } = guarded();
    guard.touch();
    guard.stop();
    await clock.advance(0);
    expect(clock.sleeping).toBe(0);
    await clock.advance(1_000);
    expect(guard.expired).toBeUndefined();
  });

  test("many signs set no timers", async () => {
    const { clock, guard } = guarded();
    for (let i = 0; i < 1_000; i++) guard.touch();
    expect(clock.sleeps.length).toBeLessThan(4);
    guard.stop();
  });
});
