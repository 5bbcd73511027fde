import * as reserved from "@elwood/core/grounding/reserved";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { GlyphSieve } from "./glyph-sieve.ts";

const { escapeGlyphs, fenceAfter, hasReserved } = reserved;

function whole(text: string): string {
  let fence: string | undefined;
  return text
    .toWellFormed()
    .split("\n")
    .map((line) => {
      const inCode = fence !== undefined || fenceAfter(line, fence) !== undefined;
      fence = fenceAfter(line, fence);
      return escapeGlyphs(line, inCode);
    })
    .join("\n");
}

test("OA-6: however a draft is cut into pieces, no glyph of the gateway's comes through, and nothing else is lost", () => {
  const piece = fc.oneof(
    fc.constantFrom("✓", "✔\ufe0f", "◈ receipts 3", "√", "√4", "```", "```\n", "\n", "Done. ", "é", "日本"),
    fc.string({ unit: "grapheme", maxLength: 6 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 20 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
      (parts, cuts) => {
        const text = parts.join("");
        const sieve = new GlyphSieve(reserved);
        let out = "";
        for (let at = 0; at < text.length;) {
          const step = cuts.next().value;
          out += sieve.push(text.slice(at, at + step));
          at += step;
        }
        out += sieve.flush();
        expect(hasReserved(out)).toBe(false);
        expect(out).toBe(whole(text));
      },
    ),
  );
});

test("a long line in small pieces is read once, not over and over", () => {
  const sieve = new GlyphSieve(reserved);
  const started = performance.now();
  for (let i = 0; i < 100_000; i++) sieve.push("words and ");
  expect(performance.now() - started).toBeLessThan(3_000);
});
