import { expect, test } from "vitest";
import { SessionQueue } from "./session-queue.ts";

/** Jobs that the test ends by hand, in any order. */
function jobs() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    job: (name: string) => () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    },
    end: async (name: string) => {
      ends.get(name)!();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("EL-2: one run at a time in a session, in order; sessions side by side", async () => {
  const queue = new SessionQueue(4);
  const { started, job, end } = jobs();
  queue.push("a", job("a1"));
  queue.push("a", job("a2"));
  queue.push("b", job("b1"));
  expect(started).toEqual(["a1", "b1"]);
  expect(queue.ahead("a")).toBe(2);
  await end("a1");
  expect(started).toEqual(["a1", "b1", "a2"]);
});

test("no more than the allowed number of sessions run at once", async () => {
  const queue = new SessionQueue(2);
  const { started, job, end } = jobs();
  for (const name of ["a", "b", "c"]) queue.push(name, job(name));
  expect(started).toEqual(["a", "b"]);
  expect(queue.queued).toBe(1);
  await end("b");
  expect(started).toEqual(["a", "b", "c"]);
});

test("a session that is full of work does not starve the others", async () => {
  const queue = new SessionQueue(1);
  const { started, job, end } = jobs();
  queue.push("a", job("a1"));
  queue.push("a", job("a2"));
  queue.push("b", job("b1"));
  await end("a1");
  await end(started[1]!);
  expect(started.slice(1).sort()).toEqual(["a2", "b1"]);
});

test("stopping starts nothing more and waits for what runs", async () => {
  const queue = new SessionQueue(1);
  const { started, job, end } = jobs();
  queue.push("a", job("a1"));
  queue.push("a", job("a2"));
  let stopped = false;
  const stopping = queue.stop().then(() => (stopped = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  await end("a1");
  await stopping;
  expect(started).toEqual(["a1"]);
});
