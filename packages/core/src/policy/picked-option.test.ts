import { expect, test } from "vitest";
import { pickedOption } from "./picked-option.ts";

const OPTIONS = ["lists/", "archive/", "leave it here"];

test.each<[string, readonly string[] | undefined, string | undefined]>([
  ["2", OPTIONS, "archive/"],
  [" 3. ", OPTIONS, "leave it here"],
  ["Archive/", OPTIONS, "archive/"],
  ["4", OPTIONS, undefined],
  ["0", OPTIONS, undefined],
  ["2 of them", OPTIONS, undefined],
  ["3", ["3", "2", "5"], "3"],
  ["archive", OPTIONS, undefined],
  ["2", undefined, undefined],
])("the answer %j to %j picks %j", (answer, options, option) => {
  expect(pickedOption(options, answer)).toBe(option);
});
