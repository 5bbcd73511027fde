import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { MemoryTrim, REST_MS, type Heap } from "./memory-trim.ts";

const MB = 1024 * 1024;

function scene(heap: Heap) {
  const clock = new ManualClock();
  const state = { busy: false, collected: 0, released: 0, roomMade: 0 };
  const trim = new MemoryTrim({
    clock,
    busy: () => state.busy,
    release: () => void (state.released += 1),
    collector: {
      heap: () => heap,
      makeRoom: () => void (state.roomMade += 1),
      collect: () => void (state.collected += 1),
    },
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

test("whoever works is given room at once, and it is looked at again now and then", () => {
  const { state, trim } = scene(GROWN);
  trim.soon();
  expect(state.roomMade).toBe(1);
  for (let event = 0; event < 64; event += 1) trim.soon();
  expect(state.roomMade).toBe(5);
});

/** Its own process: flags of V8 are for all of one, and this one has grown already. */
const YOUNG_SPACE = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { v8Collector } from ${JSON.stringify(new URL("./memory-trim.ts", import.meta.url).href)};
  const young = () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    return Math.round((space.space_used_size + space.space_available_size) / 1024 / 1024);
  };
  const collector = v8Collector();
  const seen = [];
  let kept = [];
  const work = () => {
    for (let turn = 0; turn < 400; turn += 1) {
      for (let at = 0; at < 2_000; at += 1) kept.push({ at, text: "turn " + turn + at });
      if (kept.length > 20_000) kept = [];
      collector.makeRoom();
    }
    return young();
  };
  const atStart = young();
  const atWork = work();
  collector.collect();
  const atRest = young();
  console.log(JSON.stringify({ atStart, atWork, atRest, again: work() }));
`;

test("the space for young objects is small at the start and at rest, and grows to a limit with work", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", YOUNG_SPACE]);
  const { atStart, atWork, atRest, again } = JSON.parse(stdout) as Record<string, number>;
  expect({ atStart, atWork, atRest, again }).toEqual({ atStart: 1, atWork: 4, atRest: 1, again: 4 });
});

const YOUNG_IN_THREAD = `
  import { Worker } from "node:worker_threads";
  import { v8Collector } from ${JSON.stringify(new URL("./memory-trim.ts", import.meta.url).href)};
  v8Collector();
  const inThread = \`
    const { getBuiltinModule } = process;
    const spaces = getBuiltinModule("node:v8").getHeapSpaceStatistics();
    const young = spaces.find(({ space_name }) => space_name === "new_space");
    const size = young.space_used_size + young.space_available_size;
    getBuiltinModule("node:worker_threads").parentPort.postMessage(Math.round(size / 1024 / 1024));
  \`;
  new Worker(inThread, { eval: true }).on("message", (young) => console.log(young));
`;

test("a thread has its room for young objects from the start, since it is not given any later", async () => {
  const args = ["--input-type=module", "-e", YOUNG_IN_THREAD];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout.trim()).toBe("2");
});

test("what was let go but still counts as used is collected, and what lives is not collected again", async () => {
  const heap = { usedBytes: 47 * MB, takenBytes: 54 * MB };
  const { state, trim, rest } = scene(heap);
  const settled = async () => {
    trim.soon();
    await rest();
    return state.collected;
  };
  expect(await settled()).toBe(1);
  expect(await settled()).toBe(1);
  heap.usedBytes += 4 * MB;
  expect(await settled()).toBe(2);
  // V8 has collected by itself meanwhile.
  heap.usedBytes -= 3 * MB;
  expect(await settled()).toBe(2);
  heap.usedBytes += 4 * MB;
  expect(await settled()).toBe(3);
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
