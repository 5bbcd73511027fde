import { expect, test } from "vitest";
import { formatMarkdown } from "./format-markdown.ts";
import type { FormattedText } from "./formatted-text.ts";

/** The spans as "kind(words)", which reads better than offsets. */
function spansOf({ text, spans }: FormattedText): string[] {
  return spans.map(({ kind, start, end }) => `${kind}(${text.slice(start, end)})`);
}

test("emphasis, code and links become spans, an outer one before those inside it", () => {
  const found = formatMarkdown(
    "A **bold *and italic*** word, ~~gone~~, `x*y*` and [docs](https://example.com/a_b).",
  );
  expect(found.text).toBe("A bold and italic word, gone, x*y* and docs.");
  expect(spansOf(found)).toEqual([
    "bold(bold and italic)",
    "italic(and italic)",
    "strike(gone)",
    "code(x*y*)",
    "link(docs)",
  ]);
});

test("blocks are separated as they are read: headings, lists, quotes, code", () => {
  const found = formatMarkdown(
    "# Plan\nFirst.\n\n- one\n- two\n  - inner\n\n3. three\n4. four\n\n> quoted\n> on\n\n```ts\nlet x = 1;\n\nx++;\n```\nAfter.",
  );
  expect(found.text).toBe(
    "Plan\nFirst.\n\n• one\n• two\n  • inner\n\n3. three\n4. four\n\nquoted\non\n\nlet x = 1;\n\nx++;\nAfter.",
  );
  expect(spansOf(found)).toEqual([
    "heading(Plan)",
    "bullet(•)",
    "bullet(•)",
    "bullet(•)",
    "quote(quoted\non)",
    "pre(let x = 1;\n\nx++;)",
  ]);
  expect(found.spans.at(-1)).toMatchObject({ language: "ts" });
});

test("items of a list may be done, loose, or hold code", () => {
  expect(formatMarkdown("- [x] bought\n- [ ] painted").text).toBe("• ☑ bought\n• ☐ painted");
  expect(formatMarkdown("1. one\n\n2. two\n\n   more").text).toBe("1. one\n2. two\nmore");
  const code = formatMarkdown("- run\n\n  ```sh\n  ls\n  ```\n- done");
  expect(code.text).toBe("• run\nls\n• done");
  expect(spansOf(code)).toContain("pre(ls)");
});

test("a table is a block of code with columns, and a list where it is too wide", () => {
  const narrow = formatMarkdown("| Day | Rain |\n|---|---|\n| **Monday** | 3 mm |\n| Tue | none |\n\nDone.");
  expect(narrow.text).toBe("Day    | Rain\n-------|-----\nMonday | 3 mm\nTue    | none\n\nDone.");
  expect(spansOf(narrow)).toHaveLength(1);
  const cell = "many words ".repeat(6).trim();
  const wide = formatMarkdown(`| Day | Note |\n|---|---|\n| Monday | ${cell} |\n| Tuesday | x |`);
  expect(wide.text).toBe(`Day: Monday\nNote: ${cell}\n\nDay: Tuesday\nNote: x`);
  expect(spansOf(wide)).toEqual(["bold(Day:)", "bold(Note:)", "bold(Day:)", "bold(Note:)"]);
});

test("a bare address is a link, an image is one too, and other schemes are shown", () => {
  const found = formatMarkdown(
    "https://example.com/a_b ![a cat](https://example.com/cat.png) [x](javascript:alert(1))",
  );
  expect(found.text).toBe("https://example.com/a_b a cat x (javascript:alert(1))");
  expect(found.spans.map((span) => span.kind === "link" && span.url)).toEqual([
    "https://example.com/a_b",
    "https://example.com/cat.png",
  ]);
});

test("words that look like another address do not cover where a link goes", () => {
  expect(formatMarkdown("[https://bank.example](https://evil.example/x)").text).toBe(
    "https://bank.example (https://evil.example/x)",
  );
  expect(formatMarkdown("[bank.example login](https://evil.example/x)").text).toBe(
    "bank.example login (https://evil.example/x)",
  );
  expect(formatMarkdown("[evil.example](https://evil.example/x)").text).toBe("evil.example");
});

test("an address that is too long to be linked is shown", () => {
  const url = `https://example.com/${"a".repeat(600)}`;
  expect(formatMarkdown(`[here](${url})`)).toEqual({ text: `here (${url})`, spans: [] });
});

test("HTML is shown as it is written, entities as what they mean", () => {
  expect(formatMarkdown("Use <b>x</b> &amp; y<br>z &lt;tag&gt; it&#39;s").text).toBe(
    "Use <b>x</b> & y\nz <tag> it's",
  );
});

test("text that is nested too deeply or is too long is passed on as it is", () => {
  const deep = `${">".repeat(20_000)}x`;
  expect(formatMarkdown(deep)).toEqual({ text: deep, spans: [] });
  const long = "**a** ".repeat(40_000);
  expect(formatMarkdown(long)).toEqual({ text: long, spans: [] });
});
