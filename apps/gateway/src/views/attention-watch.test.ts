import { expect, test } from "vitest";
import { AttentionWatch } from "./attention-watch.ts";

/** A watch whose moments of quiet are over at once, and what it told. */
function watching(items: { id: string; severity: "warning"; text: string }[]) {
  const told: number[] = [];
  const watch = new AttentionWatch({
    clock: { sleep: async () => undefined },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    list: async () => ({ items: items.map((each) => ({ ...each, kind: "approval", at: 1 })) }),
    lastFailed: async () => undefined,
    heard: () => true,
  });
  watch.onChange((_tenant, { count }) => told.push(count));
  return { watch, told };
}

test("what waited when the gateway started anew, and is decided then, is told to be over", async () => {
  const items = [{ id: "apr_1", severity: "warning" as const, text: "Write a file" }];
  const { watch, told } = watching(items);
  // A client has asked for the list by now; this gateway has told nothing yet.
  items.pop();
  watch.poke("t");
  await expect.poll(() => told).toEqual([0]);
});

test("what did not change is told once", async () => {
  const { watch, told } = watching([{ id: "apr_1", severity: "warning", text: "Write a file" }]);
  watch.poke("t");
  await expect.poll(() => told).toEqual([1]);
  watch.poke("t");
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([1]);
});

test("runs that end while others are under way share one look at the last of them", async () => {
  const rest = Promise.withResolvers<void>();
  let looks = 0;
  const watch = new AttentionWatch({
    clock: { sleep: () => rest.promise },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    list: async () => ({ items: [] }),
    lastFailed: async () => `run_${++looks}`,
    others: () => true,
    heard: () => true,
  });
  const ends = [watch.runEnded("t"), watch.runEnded("t"), watch.runEnded("t")];
  expect(looks).toBe(0);
  rest.resolve();
  await Promise.all(ends);
  expect(looks).toBe(1);
  await watch.runEnded("t");
  expect(looks).toBe(2);
});
