import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { MemoryTrim, REST_MS, type Heap } from "./memory-trim.ts";

const MB = 1024 * 1024;

function scene(heap: Heap) {
  const clock = new ManualClock();
  const state = { busy: false, collected: 0, released: 0 };
  const trim = new MemoryTrim({
    clock,
    busy: () => state.busy,
    release: () => void (state.released += 1),
    collector: { heap: () => heap, collect: () => void (state.collected += 1) },
  });
  const rest = async () => {
    await clock.untilAsleep((ms) => ms === REST_MS);
    await clock.advance(REST_MS);
  };
  return { clock, state, trim, rest };
}

const GROWN: Heap = { usedBytes: 40 * MB, takenBytes: 120 * MB };

test("memory is returned once nothing has happened for a while, and then only once", async () => {
  const { clock, state, trim, rest } = scene(GROWN);
  trim.soon();
  await rest();
  expect(state.collected).toBe(1);
  await clock.advance(10 * REST_MS);
  expect(state.collected).toBe(1);
  trim.soon();
  await rest();
  expect(state.collected).toBe(2);
});

test("nothing is collected while something runs, or where something has just happened", async () => {
  const { state, trim, rest } = scene(GROWN);
  trim.soon();
  state.busy = true;
  await rest();
  expect(state.collected).toBe(0);
  state.busy = false;
  trim.soon();
  await rest();
  expect(state.collected).toBe(0);
  await rest();
  expect(state.collected).toBe(1);
});

test("what was kept to be quick is let go at rest, before the heap is collected, and not while something runs", async () => {
  const { state, trim, rest } = scene(GROWN);
  trim.soon();
  state.busy = true;
  await rest();
  expect(state.released).toBe(0);
  state.busy = false;
  await rest();
  expect([state.released, state.collected]).toEqual([1, 1]);
});

test("a small heap is left alone", async () => {
  const { state, trim, rest } = scene({ usedBytes: 30 * MB, takenBytes: 38 * MB });
  trim.soon();
  await rest();
  expect(state.collected).toBe(0);
});

test("after the stop nothing is collected any more", async () => {
  const { clock, state, trim } = scene(GROWN);
  trim.soon();
  await clock.untilAsleep((ms) => ms === REST_MS);
  trim.stop();
  await clock.advance(REST_MS);
  expect(state.collected).toBe(0);
});
