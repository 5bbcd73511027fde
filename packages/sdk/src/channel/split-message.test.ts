import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatMarkdown } from "./format-markdown.ts";
import { plainText, type FormattedText } from "./formatted-text.ts";
import { splitMessage } from "./split-message.ts";

const limit = 100;

function cut(markdown: string): string[] {
  return splitMessage(formatMarkdown(markdown), { limit }).map(({ text }) => text);
}

const sentence = (word: string, length: number): string => `${word.repeat(length - 1)}.`;

test("a text that fits is one message, and blank text is none", () => {
  expect(cut("Hello.\n")).toEqual(["Hello."]);
  expect(splitMessage(plainText(" \n\n "), { limit })).toEqual([]);
});

test("a cut goes between paragraphs before lines, lines before sentences, sentences before words", () => {
  expect(cut(`${"a".repeat(60)}\n\n${"b".repeat(20)}\n${"c".repeat(40)}`)).toEqual([
    "a".repeat(60),
    `${"b".repeat(20)}\n${"c".repeat(40)}`,
  ]);
  expect(cut(`${"a".repeat(60)}\n${"b ".repeat(40)}`)[0]).toBe("a".repeat(60));
  expect(cut(`${sentence("a", 60)} ${"b ".repeat(40)}`)[0]).toBe(sentence("a", 60));
  expect(cut("word ".repeat(30))[0]).toBe("word ".repeat(20).trim());
});

test("a short first paragraph is not a message of its own where a later place will do", () => {
  expect(cut(`Yes:\n\n${sentence("a", 70)} ${"b ".repeat(40)}`)[0]).toBe(`Yes:\n\n${sentence("a", 70)}`);
});

test("a code block that fits a message stays whole; what stood before it goes ahead", () => {
  const code = "x = 1;\n".repeat(13).trim();
  expect(cut(`Look at this:\n\`\`\`js\n${code}\n\`\`\`\nDone.`)).toEqual(["Look at this:", `${code}\nDone.`]);
});

test("a longer code block is cut between lines, and every part is code of the same language", () => {
  const lines = Array.from({ length: 30 }, (_, i) => `  line ${i};`);
  const parts = splitMessage(formatMarkdown(`\`\`\`ts\n${lines.join("\n")}\n\`\`\`\nDone.`), { limit });
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part.spans[0]).toMatchObject({ kind: "pre", language: "ts", start: 0 });
  expect(parts.map(({ text }) => text).join("\n")).toBe(`${lines.join("\n")}\nDone.`);
});

test("a heading goes with what it is about", () => {
  expect(cut(`${"a".repeat(70)}\n\n## Next\n${"b".repeat(60)}`)).toEqual([
    "a".repeat(70),
    `Next\n${"b".repeat(60)}`,
  ]);
});

test("inline code and links are not cut where another place will do", () => {
  expect(cut(`${"a ".repeat(30)}\`${"b ".repeat(30).trim()}\``)).toEqual([
    "a ".repeat(30).trim(),
    "b ".repeat(30).trim(),
  ]);
});

test("a word that is too long is cut, but not through a character", () => {
  const family = "👩‍👩‍👧‍👦";
  const parts = cut(family.repeat(30));
  expect(parts.join("")).toBe(family.repeat(30));
  for (const part of parts) expect(part.length % family.length).toBe(0);
});

test("the service's own measure decides what fits", () => {
  const measure = ({ text }: FormattedText): number => text.replaceAll("<", "&lt;").length;
  const parts = splitMessage(plainText("<".repeat(90)), { limit, measure });
  expect(parts.map(({ text }) => text.length)).toEqual([25, 25, 25, 15]);
});

test("a limit that could hold nothing is refused", () => {
  expect(() => splitMessage(plainText("x"), { limit: 10 })).toThrow(RangeError);
});

test("whatever the text, every part fits, none is blank, and together they have all of it", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "\n",
      "\n\n",
      "  \n",
      "```ts\n",
      "\n```\n",
      "~~~\n",
      "# ",
      "> ",
      "- ",
      "1. ",
      "**",
      "*",
      "`",
      "[a](https://example.com)",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "👩‍👩‍👧‍👦",
      "é",
      "\ud83d",
    ),
    fc.string({ maxLength: 60 }),
    fc.lorem({ maxCount: 25 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), fc.integer({ min: 64, max: 300 }), (pieces, most) => {
      const text = formatMarkdown(pieces.join(""));
      const measure = (part: FormattedText): number => part.text.length + 2 * part.spans.length;
      const parts = splitMessage(text, { limit: most, measure });
      for (const part of parts) {
        expect(part.text.trim()).not.toBe("");
        expect(part.spans.length < most / 4 ? measure(part) : 0).toBeLessThanOrEqual(most);
        for (const { start, end } of part.spans) {
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(part.text.length);
        }
      }
      const dense = (words: string): string => words.replaceAll(/\s/g, "");
      expect(dense(parts.map((part) => part.text).join(""))).toBe(dense(text.text));
    }),
    { numRuns: 300 },
  );
});
