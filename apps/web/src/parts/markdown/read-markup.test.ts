import * as fc from "fast-check";
import { Lexer } from "marked";
import { expect, test } from "vitest";
import { READING } from "./blocks.ts";
import { type MarkupElement, type MarkupRules, readMarkup } from "./read-markup.ts";
import { escapeProse, tokenMarkup } from "./token-markup.ts";

const RULES: MarkupRules = {
  tags: new Set("p br hr em strong code span a ul ol li blockquote h3 table thead tbody tr th td".split(" ")),
  attributes: new Set(["href", "title", "class", "start"]),
};

/** The same as one line: `p[a b]` is a paragraph with two texts. */
function shape(children: MarkupElement["children"]): string {
  return children
    .map((child) =>
      typeof child === "string"
        ? child
        : `${child.tag}${child.attributes.map(([name, value]) => `{${name}=${value}}`).join("")}[${shape(child.children)}]`,
    )
    .join("");
}

function textOf(children: MarkupElement["children"]): string {
  return children.map((child) => (typeof child === "string" ? child : textOf(child.children))).join("");
}

test.each([
  ["<p>a<br>b</p>", "p[abr[]b]"],
  ['<ol start="3"><li>x</li></ol>', "ol{start=3}[li[x]]"],
  [
    '<a href="https://a.example/?b=1&amp;c" title="&quot;">x</a>',
    'a{href=https://a.example/?b=1&c}{title="}[x]',
  ],
  ["&lt;b&gt; &amp;amp; &nbsp;&hellip; &#228;&#x41;", "<b> &amp; \u00a0… äA"],
  // Not on a list: the tag is left out, an attribute too.
  ["<script>1</script><p>a</p>", "1p[a]"],
  ['<p onclick="x()" id="message" style="inset:0">a</p>', "p[a]"],
  ['<a href="javascript:alert(1)">x</a>', "a[x]"],
  ['<a href=" https://a.example">x</a>', "a[x]"],
  ['<a href="java&#115;cript:1">x</a>', "a[x]"],
  // Not written as our writers do: text, as it was written.
  ["<p onclick=x()>a", "<p onclick=x()>a"],
  ["a < b <3 <!-- c --> <?d?> <![CDATA[e]]> <p", "a < b <3 <!-- c --> <?d?> <![CDATA[e]]> <p"],
  ["<p/>a</p>", "<p/>a"],
  ['<p title="a>b">c</p>', "p{title=a>b}[c]"],
  // Ends without a beginning, and beginnings without an end.
  ["</p></em>a<em>b", "aem[b]"],
  ["<p><em>a</p>b", "p[em[a]]b"],
  [
    "&unknown; &#0; &#x110000; &__proto__; &constructor;",
    "&unknown; &#0; &#x110000; &__proto__; &constructor;",
  ],
])("%s is read as %s", (markup, expected) => {
  expect(shape(readMarkup(markup, RULES))).toBe(expected);
});

test("whatever was escaped comes back letter by letter, and makes no element", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("<", ">", "&", ";", '"', "'", "p", "/", "#", "x3c", "lt", " ", "=", "ü")),
      (parts) => {
        const text = parts.join("");
        const escaped = text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
        expect(shape(readMarkup(escaped, RULES))).toBe(text);
      },
    ),
  );
});

test("of any Markdown only what is on the list is made, and addresses lead to the web or a mail", () => {
  const part = fc.constantFrom(
    ..."<,>,</p>,<img src=x onerror=1>,<a href=javascript:1>,[x](,javascript:1),![y](,https://a.example),`,*,_,>,- ,| a |\n|---|\n,\n,\n\n,\",',&lt;script&gt;,&#x3c;b&#x3e;,<!--,\\,$x$,[^1],# ".split(
      ",",
    ),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 25 }), (parts) => {
      const markup = tokenMarkup(Lexer.lex(parts.join(""), READING));
      const look = (children: MarkupElement["children"]): void => {
        for (const child of children) {
          if (typeof child === "string") continue;
          expect(RULES.tags.has(child.tag) || child.tag === "").toBe(true);
          for (const [name, value] of child.attributes) {
            expect(RULES.attributes.has(name)).toBe(true);
            if (name === "href") expect(["https:", "http:", "mailto:"]).toContain(new URL(value).protocol);
          }
          look(child.children);
        }
      };
      look(readMarkup(markup, RULES));
      expect(textOf(readMarkup(`<p>${escapeProse("a&nbsp;<b>")}</p>`, RULES))).toBe("a\u00a0<b>");
    }),
    { numRuns: 500 },
  );
});

test("thousands of elements inside each other are read all the same", () => {
  let children = readMarkup("<em>".repeat(20_000) + "deep", RULES);
  let depth = 0;
  for (let first = children[0]; typeof first === "object"; first = children[0]) {
    children = first.children;
    depth++;
  }
  expect([depth, children[0]]).toEqual([20_000, "deep"]);
});
