import { readdirSync } from "node:fs";
import { failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { mountSmallDisk, orSkip } from "@elwood/testkit/small-disk";
import { expect, test } from "vitest";
import { lookAtDisk, reserveOf, StorageWatch, type StorageLook } from "./storage-watch.ts";

function watched(first: StorageLook = "writable", endsSoon = false) {
  const clock = new ManualClock();
  const disk = { is: first };
  const looks: boolean[] = [];
  const told: (string | undefined)[] = [];
  const watch: StorageWatch = new StorageWatch({
    home: "/data",
    clock,
    log: memoryLog(),
    endsSoon,
    changed: () => told.push(watch.trouble?.state),
    look: async (_home, thorough) => {
      looks.push(thorough);
      return disk.is;
    },
  });
  return { watch, clock, disk, looks, told };
}

test("a full disk refuses what is new in words that say what is kept, and room ends it by itself", async () => {
  const { watch, clock, disk, told } = watched();
  expect(await watch.refusal()).toBeUndefined();
  disk.is = "full";
  clock.set(clock.now() + LIMITS.storageFreshMs);
  expect(await watch.refusal()).toMatchObject({
    reason: "STORAGE_FULL",
    retryable: true,
    message: expect.stringMatching(
      /^Your message was not accepted\. The disk is full: .*accepted before is kept.*Free some space .*\/data; Elwood then goes on by itself\.$/,
    ),
  });
  disk.is = "writable";
  // However soon: in trouble every request looks anew.
  expect(await watch.refusal()).toBeUndefined();
  expect(told).toEqual(["full", undefined]);
  expect(watch.trouble).toBeUndefined();
});

test("a folder that became read-only is told apart from a full disk", async () => {
  const { watch } = watched("readonly");
  expect(await watch.refusal("The file was not stored.")).toMatchObject({
    reason: "STORAGE",
    retryable: false,
    message: expect.stringMatching(/^The file was not stored\. \/data cannot be written/),
  });
});

test.each(["full", "readonly"] as const)(
  "a process that ends with its answer promises nothing of itself where it is %s",
  async (state) => {
    const { watch } = watched(state, true);
    const refused = await watch.refusal();
    expect(refused?.message).toMatch(/, then try again\.$/);
    expect(refused?.message).not.toContain("goes on");
  },
);

test("a look that found room counts for a moment, and those who ask at once share one", async () => {
  const { watch, clock, looks } = watched();
  await Promise.all([watch.refusal(), watch.refusal(), watch.look()]);
  expect(looks).toEqual([false]);
  await watch.refusal();
  expect(looks).toHaveLength(1);
  clock.set(clock.now() + LIMITS.storageFreshMs);
  await watch.refusal();
  expect(looks).toHaveLength(2);
});

test("a write that failed is followed by a look that writes, other failures are not", async () => {
  const { watch, disk, looks, told } = watched();
  watch.failed(failure("NOT_FOUND", "There is no such session."));
  expect(looks).toEqual([]);
  disk.is = "full";
  watch.failed(failure("STORAGE_FULL", "The disk is full."));
  await expect.poll(() => told).toEqual(["full"]);
  // The end of trouble is believed only after a real write.
  await watch.look();
  expect(looks).toEqual([true, true]);
});

test("a disk that nobody asks about is looked at from time to time, and more often while it is full", async () => {
  const { watch, clock, disk, told } = watched("full");
  const stopping = new AbortController();
  const running = watch.run(stopping.signal);
  await expect.poll(() => clock.sleeps.length).toBe(1);
  expect([told, clock.sleeps.at(-1)?.ms]).toEqual([["full"], LIMITS.storageLookAgainMs]);
  disk.is = "writable";
  await clock.advance(LIMITS.storageLookAgainMs);
  await expect.poll(() => clock.sleeps.at(-1)?.ms).toBe(LIMITS.storageLookMs);
  expect(told).toEqual(["full", undefined]);
  stopping.abort();
  await running;
});

test("the reserve is a small share of a small disk and bounded on a large one", () => {
  expect([reserveOf(5_000_000), reserveOf(10 ** 13)]).toEqual([100_000, LIMITS.storageReserveBytes]);
});

test("a real disk is found full before its last bytes are gone, and writable again once there is room", async (context) => {
  using disk = orSkip(context, mountSmallDisk({ kilobytes: 4_096 }));
  expect(await lookAtDisk(disk.path, true)).toBe("writable");
  expect(readdirSync(disk.path)).toEqual([]);
  disk.fill();
  expect(await lookAtDisk(disk.path, false)).toBe("full");
  disk.free();
  expect(await lookAtDisk(disk.path, true)).toBe("writable");
});

test("a real disk that is mounted read-only is found so, by root too", async (context) => {
  using disk = orSkip(context, mountSmallDisk({ kilobytes: 64, readOnly: true }));
  expect(await lookAtDisk(disk.path, false)).toBe("readonly");
});
