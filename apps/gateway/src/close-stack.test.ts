import { memoryLog } from "@elwood/testkit/memory-log";
import { expect, test } from "vitest";
import { CloseStack } from "./close-stack.ts";

test("what was opened last is closed first, and each part waits for the one before it", async () => {
  const order: string[] = [];
  const stack = new CloseStack(memoryLog());
  stack.add({ store: () => order.push("store") });
  stack.add({
    async server() {
      await Promise.resolve();
      order.push("server");
    },
  });
  await stack.close();
  expect(order).toEqual(["server", "store"]);
});

test("a part that fails to close is logged by its name, and all others are closed", async () => {
  const closed: string[] = [];
  const log = memoryLog();
  const stack = new CloseStack(log);
  stack.add({ lock: () => closed.push("lock") });
  stack.add({ store: () => Promise.reject(new Error("disk")), memory: () => closed.push("memory") });
  stack.add({
    server() {
      throw new Error("port");
    },
  });
  await stack.close();
  expect(closed).toEqual(["memory", "lock"]);
  expect(log.entries.map(({ level, fields }) => [level, fields?.["part"]])).toEqual([
    ["error", "server"],
    ["error", "store"],
  ]);
});

test("closing again closes nothing twice", async () => {
  let count = 0;
  const stack = new CloseStack(memoryLog());
  stack.add({ once: () => (count += 1) });
  await stack.close();
  await stack.close();
  expect(count).toBe(1);
});
