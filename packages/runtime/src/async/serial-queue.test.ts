import { expect, test } from "vitest";
import { keyedMutex, serialQueue } from "./serial-queue.ts";

test("work on one key takes turns, work on another does not wait", async () => {
  const queue = keyedMutex();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run("a", async () => {
    await gate.promise;
    done.push("a1");
  });
  const second = queue.run("a", async () => done.push("a2"));
  await queue.run("b", async () => done.push("b"));
  expect(done).toEqual(["b"]);
  gate.resolve();
  await Promise.all([first, second]);
  expect(done).toEqual(["b", "a1", "a2"]);
});

test("a failure is told to who asked, and does not stop those behind", async () => {
  const queue = keyedMutex();
  const first = queue.run("a", () => Promise.reject(new Error("mine")));
  const second = queue.run("a", async () => "fine");
  await expect(first).rejects.toThrow("mine");
  expect(await second).toBe("fine");
});

test("settled waits for all that was asked", async () => {
  const queue = keyedMutex();
  const done: string[] = [];
  void queue.run("a", async () => done.push("a"));
  void queue.run("a", async () => done.push("a"));
  void queue.run("b", async () => done.push("b"));
  await queue.settled();
  expect(done.toSorted()).toEqual(["a", "a", "b"]);
  await queue.settled();
});

test("without keys, all work takes turns", async () => {
  const queue = serialQueue();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    await gate.promise;
    done.push("first");
    throw new Error("mine");
  });
  const second = queue.run(async () => done.push("second"));
  expect(done).toEqual([]);
  gate.resolve();
  await expect(first).rejects.toThrow("mine");
  await queue.settled();
  expect(done).toEqual(["first", "second"]);
  expect(await second).toBe(2);
});
