import { parseAst } from "vite";
import { expect, test } from "vitest";
import { shortNames, withShortWords } from "./short-words.ts";

const parse = (code: string) => parseAst(code);
const TABLE = `const ENGLISH = {
  hello: "Hello",
  thereIsNothing: "There is nothing: {0}",
  lookedUp: "Looked up",
  of: "of",
};`;

test("names of sentences are short in every table and wherever they are used, but for those that are texts too", () => {
  const names = shortNames([
    { table: true, code: TABLE },
    { table: false, code: 'const KEYS = ["lookedUp"]; say.hello; say[KEYS[0]];' },
  ]);
  expect([...names]).toEqual([
    ["hello", "a"],
    ["thereIsNothing", "b"],
  ]);
  expect(withShortWords(TABLE, true, names, parse)).toBe(
    TABLE.replace("hello:", "a:").replace("thereIsNothing:", "b:"),
  );
  expect(
    withShortWords(
      "say.hello + word.hello + say.lookedUp + say[hello] + f({ hello: say.thereIsNothing })",
      false,
      names,
      parse,
    ),
  ).toBe("say.a + word.hello + say.lookedUp + say[hello] + f({ hello: say.b })");
});
