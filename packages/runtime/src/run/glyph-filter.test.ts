import {
  escapeGlyphs,
  fenceAfter,
  hasReserved,
  type OpenFence,
  withoutCitations,
} from "@elwood/core/grounding/reserved";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { GlyphFilter } from "./glyph-filter.ts";

/** Lines, and which of them belong to a block of code. */
function linesOf(text: string): { readonly line: string; readonly inCode: boolean }[] {
  let fence: OpenFence | undefined;
  return text
    .toWellFormed()
    .split("\n")
    .map((line) => {
      const before = fence;
      fence = fenceAfter(line, fence);
      return { line, inCode: before !== undefined };
    });
}

function whole(text: string): string {
  return linesOf(text)
    .map(({ line, inCode }) => {
      if (inCode) return line;
      return escapeGlyphs(/^\s{0,3}>/u.test(line) ? line : withoutCitations(line));
    })
    .join("\n");
}

test("OA-6: however a draft is cut into pieces, no glyph of the gateway's comes through outside code, and nothing else is lost", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "✓",
      "✔\ufe0f",
      "◈ receipts 3",
      "√",
      "√4",
      "✅ ",
      "[c1]",
      " [c2, c3]",
      "> ",
      "`",
      "```",
      "```\n",
      "\n",
      "Done. ",
      "é",
      "日本",
    ),
    fc.string({ unit: "grapheme", maxLength: 6 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 20 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
      (parts, cuts) => {
        const text = parts.join("");
        const sieve = new GlyphFilter();
        let out = "";
        for (let at = 0; at < text.length;) {
          const step = cuts.next().value;
          out += sieve.push(text.slice(at, at + step));
          at += step;
        }
        out += sieve.flush();
        for (const { line, inCode } of linesOf(out)) expect(!inCode && hasReserved(line)).toBe(false);
        expect(out).toBe(whole(text));
      },
    ),
  );
});

test("a long line in small pieces is read once, not over and over", () => {
  const sieve = new GlyphFilter();
  const started = process.cpuUsage();
  for (let i = 0; i < 100_000; i++) sieve.push("words and ");
  expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
});

test("other people's glyphs and code are left alone while they stream", () => {
  const sieve = new GlyphFilter();
  const text = "✅ and ❌ stay.\n```\n✓ ok 1\n```\n✓ goes.";
  let out = "";
  for (const letter of text) out += sieve.push(letter);
  expect(out + sieve.flush()).toBe("✅ and ❌ stay.\n```\n✓ ok 1\n```\n(+) goes.");
});
