import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as marked from "marked";
import { parseAst } from "vite";
import { expect, test } from "vitest";
import { withoutInstance } from "./marked-parts.ts";

test("the lexer of marked is left as it is, without the instance that is made of everything", async () => {
  const code = readFileSync(fileURLToPath(import.meta.resolve("marked")), "utf8");
  const short = withoutInstance(code);
  expect(() => parseAst(short)).not.toThrow();
  expect(short.length).toBeLessThan(code.length);
  expect(short).toContain(marked.Lexer.prototype.blockTokens.toString());
  expect(short).toContain(marked.Tokenizer.prototype.emStrong.toString());
  const parts = (await import(`data:text/javascript,${encodeURIComponent(short)}`)) as typeof marked;
  const text = "# One\n\n- two **three**\n\n| a |\n|--|\n| b |";
  expect(parts.Lexer.lex(text, parts.getDefaults())).toEqual(marked.Lexer.lex(text, marked.getDefaults()));
  expect(parts.marked).toBeUndefined();
});

test("a marked of another shape fails the build, instead of being cut anywhere", () => {
  expect(() => withoutInstance("export{a as Lexer};")).toThrow("marked is built otherwise");
});
