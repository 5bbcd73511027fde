import { ManualClock, nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { TimedOut, withDeadline, withinTime, withTimeout } from "./deadline.ts";

const never = () => Promise.withResolvers<string>().promise;

test("work that settles in time gives its own result or error, and the timer is let go", async () => {
  const clock = new ManualClock({ start: 0 });
  const late = () => "late";
  expect(await withDeadline(clock, 100, Promise.resolve("done"), late)).toBe("done");
  await expect(withDeadline(clock, 100, Promise.reject(new Error("mine")), late)).rejects.toThrow("mine");
  let asked = false;
  await withDeadline(clock, 100, Promise.resolve(), () => (asked = true));
  await clock.advance(1_000);
  expect(asked).toBe(false);
});

test("when time is up, what is late returns or throws counts, and a later error is dropped", async () => {
  const clock = new ManualClock({ start: 0 });
  const slow = Promise.withResolvers<string>();
  const returned = withDeadline(clock, 100, slow.promise, () => "late");
  const thrown = withDeadline(clock, 100, never(), () => {
    throw new Error("too late");
  });
  const heard = expect(thrown).rejects.toThrow("too late");
  await clock.advance(100);
  expect(await returned).toBe("late");
  await heard;
  slow.reject(new Error("nobody hears this"));
});

test("a signal that fires first ends the wait with its reason", async () => {
  const clock = new ManualClock({ start: 0 });
  const stop = new AbortController();
  const waiting = withDeadline(clock, 100, never(), () => "late", stop.signal);
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(withDeadline(clock, 100, never(), () => "late", stop.signal)).rejects.toThrow("stopped");
});

test("a time limit tells the work that it is over", async () => {
  const clock = new ManualClock({ start: 0 });
  let given: AbortSignal | undefined;
  const limited = withTimeout(clock, 2_000, (signal) => {
    given = signal;
    return never();
  });
  const heard = expect(limited).rejects.toThrow(new TimedOut("no answer within 2 seconds"));
  await nextEventLoopTurn();
  await clock.advance(2_000);
  await heard;
  expect(given?.reason).toBe("timeout");
});

test("work that cannot be told to stop has the same time limit", async () => {
  const clock = new ManualClock({ start: 0 });
  expect(await withinTime(clock, 2_000, async () => "at once")).toBe("at once");
  await expect(withinTime(clock, 2_000, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  const limited = withinTime(clock, 2_000, never);
  const heard = expect(limited).rejects.toThrow(new TimedOut("no answer within 2 seconds"));
  await nextEventLoopTurn();
  await clock.advance(2_000);
  await heard;
});
