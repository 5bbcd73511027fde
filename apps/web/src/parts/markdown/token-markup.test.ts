import { Lexer, Parser } from "marked";
import { expect, test } from "vitest";
import { READING } from "./blocks.ts";
import { MARK_SIGN } from "@elwood/sdk/view-state/mark-sign";
import { tokenMarkup } from "./token-markup.ts";

const markup = (text: string) => tokenMarkup(Lexer.lex(text, READING));
const ofLibrary = (text: string) =>
  Parser.parse(Lexer.lex(text, READING), { ...READING }).replaceAll("\n", "");

test.each([
  "Some *words* with **weight**, ~~gone~~, `a < b && c` and \\*none\\*.",
  "Two\nlines, and  \na third.",
  "- one\n- two\n  - inner\n\n    a paragraph\n- three",
  "3. third\n4. fourth",
  "1. first",
  "> quoted\n> > twice\n\n***\n\nbehind",
  "| a | b |\n|---|---|\n| 1 | **2** |\n| 3 | 4 |",
  "| a |\n|---|",
  "[a]: https://example.com\n\nA definition is nothing to see.",
])("%j becomes the elements that the library makes of it", (text) => {
  expect(markup(text)).toBe(ofLibrary(text));
});

test("what a list or a quotation holds of code keeps its language and its lines", () => {
  expect(markup('- a\n\n  ```ts twice\n  x < "1"\n\n  y\n  ```')).toBe(
    '<ul><li><p>a</p><pre><code class="language-ts">x &lt; &quot;1&quot;\n\ny</code></pre></li></ul>',
  );
});

test("boxes are text, headings have one level, and cells a side", () => {
  expect(markup("- [x] done\n- [ ] not")).toBe("<ul><li>[x] done</li><li>[ ] not</li></ul>");
  expect(markup("# A\n\n#### B *c*")).toBe('<h3 class="h-1">A</h3><h3 class="h-4">B <em>c</em></h3>');
  expect(markup("| a |\n|--:|\n| 1 |")).toBe(
    '<table><thead><tr><th class="to-right">a</th></tr></thead><tbody><tr><td class="to-right">1</td></tr></tbody></table>',
  );
});

test("only the gateway's marks are marks, and markup is text wherever it stands", () => {
  const s = MARK_SIGN;
  expect(markup(`Done [${s}✓ c1 c2], [✓ c1], [${s}✓ x].`)).toBe(
    '<p>Done <span class="tick" title="On record: c1 c2">✓</span>, [✓ c1], [✓ x].</p>',
  );
  expect(markup(`So [${s}◈ c3].`)).toMatch(/^<p>So <span class="cited" title="[^"<]+">c3<\/span>\.<\/p>$/);
  expect(markup(`Sent [${s}◈ not verified: no call did this].`)).toBe(
    '<p>Sent <span class="not-verified" title="Elwood has no record of this: no call did this.">not verified</span>.</p>',
  );
  expect(markup(`\`[${s}✓ c1]\``)).toBe("<p><code>[✓ c1]</code></p>");
  const hostile = '<img src=x onerror="1">';
  for (const text of [
    hostile,
    `- ${hostile}`,
    `\`${hostile}\``,
    `# ${hostile}`,
    `[${hostile}](https://a.example)`,
  ])
    expect(markup(text)).not.toContain("<img");
  expect(markup('```"><img>\nx\n```')).not.toContain("<img");
});
