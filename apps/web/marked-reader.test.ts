import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readerOnly } from "./marked-reader.ts";

test("of the library that reads Markdown the page gets the reader alone, and it reads", async () => {
  const path = fileURLToPath(import.meta.resolve("marked"));
  const { code } = readerOnly(readFileSync(path, "utf8"));
  expect(code).not.toContain("new Y;");
  const { Lexer, ...rest } = (await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  )) as typeof import("marked");
  expect(Object.keys(rest).toSorted()).toEqual(["Tokenizer", "getDefaults"]);
  expect(Lexer.lex("# A\n\n- b").map(({ type }) => type)).toEqual(["heading", "space", "list"]);
});

test("a library that was built otherwise stops the build instead of the page", () => {
  expect(() => readerOnly("export{a as Lexer}")).toThrow("marked is built otherwise");
});
