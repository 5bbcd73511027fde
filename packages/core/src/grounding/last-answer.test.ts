import { expect, test } from "vitest";
import { lastAnswer } from "./last-answer.ts";

test("a text asked about again is answered from before, and any other is looked at", () => {
  const asked: string[] = [];
  const lengthOf = lastAnswer((text) => {
    asked.push(text);
    return text.length;
  });
  expect(["", "", "one", "one", "three", "one"].map(lengthOf)).toEqual([0, 0, 3, 3, 5, 3]);
  expect(asked).toEqual(["", "one", "three", "one"]);
});
