import { expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

test("text that is no JSON is told apart from every value that JSON can say", () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parseJson("null")).toBeNull();
  for (const text of ["", "{", "undefined", "{'a': 1}", "1,"]) expect(parseJson(text)).toBeUndefined();
});
