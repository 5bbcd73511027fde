import { expect, test } from "vitest";
import { clausesOf } from "./clauses.ts";

test.each([
  ["I sent the report and confirmed that it arrived.", "confirmed that it arrived."],
  ["Die Rechnung ist bezahlt, und Jonas weiß Bescheid.", "und Jonas weiß Bescheid."],
  ["已经把文件保存好了，也发到了群里。", "也发到了群里。"],
])("a second deed is a clause of its own: %s", (sentence, second) => {
  expect(clausesOf(sentence)).toContain(second);
});

test("a sentence of one clause has none apart", () => {
  expect(clausesOf("I sent the report to Anna.")).toEqual([]);
});

test("a sentence is cut into no more than six", () => {
  expect(clausesOf("we did this thing, ".repeat(40))).toHaveLength(6);
});
