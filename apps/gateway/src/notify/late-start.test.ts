import { expect, test, vi } from "vitest";
import { LateStart } from "./late-start.ts";

test("what is asked for a thousand times is started once, and its end is listened for once", () => {
  const running = new Promise<void>(() => undefined);
  // Each listener is kept until the end.
  const listened = vi.spyOn(running, "then");
  let starts = 0;
  const late = new LateStart(
    () => {
      starts += 1;
      return running;
    },
    () => undefined,
  );
  expect(late.running).toBeUndefined();
  for (let asked = 0; asked < 1_000; asked++) late.begin();
  expect(starts).toBe(1);
  expect(listened).toHaveBeenCalledTimes(1);
});

test("a failure is told once, and whoever waits for the end learns of it too", async () => {
  const told: unknown[] = [];
  const late = new LateStart(
    () => Promise.reject(new Error("no targets")),
    (error) => told.push(error),
  );
  late.begin();
  late.begin();
  await expect(late.running).rejects.toThrow("no targets");
  expect(told).toHaveLength(1);
});
