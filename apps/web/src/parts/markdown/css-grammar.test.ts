import core from "highlight.js/lib/core";
import libraryCss from "highlight.js/lib/languages/css";
import { describe, expect, test } from "vitest";
import { css } from "./css-grammar.ts";

const ours = core.newInstance();
ours.registerLanguage("css", css);
const library = core.newInstance();
library.registerLanguage("css", libraryCss);

/** What `markdown.css` has colours for; the rest looks like plain text. */
const COLOURED = /^(?:comment|keyword|selector-tag|string|number|built_in|meta)$/;

test("a sheet is coloured as by the library's own grammar", () => {
  const sheet = `/* A sheet
   with a: b; in its words */
@import "theme.css";
@charset "utf-8";
:root { --gap: 4px; --ink: #1a2b3c }
body, main > p.lead a:hover, #top::before {
  margin: 1px auto 0.5em;
  background: url(/a/b.png?c=1) no-repeat, linear-gradient(90deg, rgb(1 2 3 / 50%), #fff8);
  content: "a { b: c; }";
  width: calc(100% - var(--gap)) !important
}
input[type="text"]:not(.plain) + label { color: red; font-family: 'A B', serif; }
@media screen and (min-width: 600px) {
  h1 { font-size: 2rem; }
}
@keyframes turn { from { opacity: 0 } 40% { opacity: 0.5; } to { opacity: 1 } }
`;
  expect(coloured(ours, sheet)).toEqual(coloured(library, sheet));
});

describe("what the library's lists do not have", () => {
  test.each([
    ["an element of one's own", "my-card { gap: 0 }", ["selector-tag my-card", "number 0"]],
    [
      "a selector inside of a block",
      "p { a:hover { top: 0 } }",
      ["selector-tag p", "selector-tag a", "number 0"],
    ],
    ["digits in a name", "p { animation: turn-2 x3 var(--y-4) }", ["selector-tag p", "built_in var"]],
    [
      "the sign and the point of a number",
      "p { margin: -1px .5em }",
      ["selector-tag p", "number -1px", "number .5em"],
    ],
    ["a sheet that breaks off", "p { color: rgb(1", ["selector-tag p", "built_in rgb", "number 1"]],
  ])("%s", (_, text, expected) => {
    expect(coloured(ours, text)).toEqual(expected);
  });
});

test("a rule as long as a page costs no more than many short ones", () => {
  const begun = performance.now();
  for (const piece of ["--", "a-", "1a"]) coloured(ours, piece.repeat(20_000));
  // Looked at anew from each of its letters, the first alone takes half a minute.
  expect(performance.now() - begun).toBeLessThan(10_000);
});

function coloured(highlighter: typeof core, text: string): string[] {
  const { value } = highlighter.highlight(text, { language: "css", ignoreIllegals: true });
  const found: string[] = [];
  for (const [, scope, inner] of value.matchAll(/<span class="hljs-([\w-]+)">([^<]*)<\/span>/g))
    if (scope && COLOURED.test(scope)) found.push(`${scope} ${inner}`);
  return found;
}
