import { expect, test } from "vitest";
import { Readings, READINGS_MAX } from "./readings.ts";

test("a message is read once, the oldest of many are read again, and none is left after an erasure", () => {
  const readings = new Readings();
  const first = readings.of("Add milk to todo.md");
  expect(readings.of("Add milk to todo.md")).toBe(first);
  for (let count = 0; count < READINGS_MAX; count += 1) readings.of(`Add ${count} eggs to todo.md`);
  expect(readings.size).toBe(READINGS_MAX);
  expect(readings.of("Add milk to todo.md")).not.toBe(first);
  readings.clear();
  expect(readings.size).toBe(0);
});
