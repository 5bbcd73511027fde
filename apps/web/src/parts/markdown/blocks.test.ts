import { expect, test } from "vitest";
import { MARK_SIGN } from "@elwood/sdk/view-state/mark-sign";
import { MarkdownBlocks, type MarkdownBlock } from "./blocks.ts";

const ANSWER = [
  "# A heading",
  "Some words with `code` and a [link](https://example.com).",
  "- one\n- two\n  - inner\n- three",
  "Title\n---",
  "```ts\nconst x = 1;\n\nconst y = 2;\n```",
  "| a | b |\n|---|---:|\n| 1 | 2 |",
  "> quoted\n> on",
  "1. first\n2. second",
  "The end.",
].join("\n\n");

test("an answer that grows letter by letter ends as the same blocks as one that comes at once", () => {
  const growing = new MarkdownBlocks();
  for (let i = 1; i <= ANSWER.length; i++) growing.update(ANSWER.slice(0, i), true);
  const atOnce = new MarkdownBlocks().update(ANSWER, false);
  expect(shape(growing.update(ANSWER, false))).toEqual(shape(atOnce));
});

test("blocks that are settled stay the very same objects, so that nothing is drawn twice", () => {
  const blocks = new MarkdownBlocks();
  const half = ANSWER.indexOf("| a |");
  const before = blocks.update(ANSWER.slice(0, half), true);
  const after = blocks.update(ANSWER, true);
  const kept = before.filter((block, i) => after[i] === block);
  expect(kept.length).toBeGreaterThanOrEqual(before.length - 4);
});

test("a final text that differs only later on keeps the blocks before the difference", () => {
  const blocks = new MarkdownBlocks();
  const before = blocks.update(ANSWER, true);
  const changed = ANSWER.replace("The end.", "The end [✓ c1].");
  const after = blocks.update(changed, false);
  expect(after[0]).toBe(before[0]);
  expect(shape(after)).toEqual(shape(new MarkdownBlocks().update(changed, false)));
});

test("a final text that begins otherwise is read anew from there", () => {
  const blocks = new MarkdownBlocks();
  blocks.update(ANSWER, true);
  const other = "Something else.\n\nAltogether.";
  expect(shape(blocks.update(other, false))).toEqual(shape(new MarkdownBlocks().update(other, false)));
});

test("a half-typed fence on the last line is not shown, and code stays open until it is closed", () => {
  const blocks = new MarkdownBlocks();
  expect(types(blocks.update("Look:\n\n``", true))).toEqual(["paragraph"]);
  expect(types(blocks.update("Look:\n\n```ty", true))).toEqual(["paragraph"]);
  const open = blocks.update("Look:\n\n```ts\nconst x = 1;\n``", true);
  expect(open.at(-1)).toMatchObject({ open: true, token: { type: "code", text: "const x = 1;" } });
  const closed = blocks.update("Look:\n\n```ts\nconst x = 1;\n```\n\nDone", true);
  expect(closed.find(({ token }) => token.type === "code")).toMatchObject({ open: false });
});

test("raw HTML is text, and only the gateway's sign makes a mark", () => {
  const text = `<b>bold</b> <script>1</script> [${MARK_SIGN}✓ c1 c2] [✓ c1] [+ c1]`;
  const [block] = new MarkdownBlocks().update(text, false);
  const inner = JSON.stringify(block?.token);
  expect(inner).not.toContain('"type":"html"');
  expect(inner.match(/"type":"mark"/g)).toHaveLength(1);
});

test("a long list is settled item by item, and keeps its numbers", () => {
  const items = Array.from({ length: 200 }, (_, i) => `${i + 1}. item number ${i + 1}`);
  const blocks = new MarkdownBlocks();
  let read: readonly MarkdownBlock[] = [];
  for (let i = 1; i <= items.length; i++) read = blocks.update(items.slice(0, i).join("\n"), true);
  const starts = read.map(({ token }) => (token.type === "list" ? Number(token["start"]) : 0));
  expect(starts.at(-1)).toBe(200);
  expect(read.map(({ raw }) => raw).join("")).toBe(items.join("\n"));
});

test("the work for a long answer does not grow with what is settled", () => {
  const paragraphs = Array.from({ length: 400 }, (_, i) => `Paragraph ${i} with *some* words in it.`);
  const text = paragraphs.join("\n\n");
  const blocks = new MarkdownBlocks();
  let fresh = 0;
  let before: readonly MarkdownBlock[] = [];
  for (let end = 400; end < text.length; end += 400) {
    const now = blocks.update(text.slice(0, end), true);
    fresh += now.filter((block, i) => block !== before[i]).length;
    before = now;
  }
  // Each flush reads what is new and the two last blocks, with the gaps between.
  expect(fresh).toBeLessThan((text.length / 400) * 30);
});

test("whatever is written is read in the end: no depth makes it fail, no length makes it hang", () => {
  const hostile = [
    `${">".repeat(20_000)} deep`,
    Array.from({ length: 200 }, (_, i) => `${"  ".repeat(i)}- deep`).join("\n"),
    "**a_`[!".repeat(4_000),
    "[".repeat(30_000),
    "*a **a ".repeat(4_000),
  ];
  const begun = performance.now();
  for (const text of hostile) expect(raws(new MarkdownBlocks().update(text, false))).toBe(text);
  // Without bounds each takes many seconds, or fails.
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test("a paragraph longer than what is read at once keeps its words and its emphasis", () => {
  const words = Array.from({ length: 3_000 }, (_, i) => (i % 10 === 0 ? `**word${i}**` : `word${i}`)).join(
    " ",
  );
  const [block] = new MarkdownBlocks().update(words, false);
  const inner = JSON.stringify(block?.token);
  expect(inner.match(/"type":"strong"/g)).toHaveLength(300);
  expect(raws([block!])).toBe(words);
});

function raws(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(({ raw }) => raw).join("");
}

function shape(blocks: readonly MarkdownBlock[]): unknown[] {
  return blocks
    .filter(({ token }) => token.type !== "space")
    .map(({ token }) => [token.type, token.raw.trim()]);
}

function types(blocks: readonly MarkdownBlock[]): string[] {
  return blocks.map(({ token }) => token.type).filter((type) => type !== "space");
}
