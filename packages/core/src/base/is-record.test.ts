import { expect, test } from "vitest";
import { isRecord } from "./is-record.ts";

test("an object with members is a record, and nothing else is", () => {
  expect(isRecord({})).toBe(true);
  expect(isRecord({ a: 1 })).toBe(true);
  for (const other of [null, undefined, [], [1], "text", 1, true, () => undefined])
    expect(isRecord(other)).toBe(false);
});
