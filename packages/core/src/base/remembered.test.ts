import { expect, test } from "vitest";
import { remembered } from "./remembered.ts";

test("an answer is worked out once, and only so many are kept", () => {
  const asked: string[] = [];
  const length = remembered((text) => {
    asked.push(text);
    return text.length;
  });
  expect([length("a"), length("bb"), length("a"), length(""), length("")]).toEqual([1, 2, 1, 0, 0]);
  const long = "x".repeat(201);
  expect([length(long), length(long)]).toEqual([201, 201]);
  expect(asked.splice(0)).toEqual(["a", "bb", "", long, long]);
  for (let n = 0; n < 600; n++) length(`x${n}`);
  expect(length("a")).toBe(1);
  expect(asked.filter((text) => text === "a")).toHaveLength(1);
});
