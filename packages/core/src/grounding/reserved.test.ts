import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ENDED_GLYPH } from "../state-words.ts";
import { escapeReserved, hasReserved, MARKS, VERIFIED, VOICE } from "./reserved.ts";
import { WORDING } from "./templates.ts";

const GLYPHS = [
  ...Object.values(MARKS),
  VERIFIED,
  ENDED_GLYPH,
  VOICE,
  "✔",
  "☑",
  "✅",
  "🗸",
  "✘",
  "❌",
  "⏳",
  "◆",
  "√ ",
  "✓\ufe0f",
  "✔\u0338",
  "✓\u200d",
];
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...GLYPHS, "\n", " · ", " receipts 12 · 0123456789abcdef", "```", "~~~"),
      fc.string({ unit: "grapheme" }),
    ),
  )
  .map((parts) => parts.join(""));

describe("glyphs that only Elwood writes", () => {
  test("OA-6: no text of a model keeps one, whatever is stacked on it or put around it", () => {
    fc.assert(
      fc.property(hostile, (text) => !hasReserved(escapeReserved(text))),
      { numRuns: 500 },
    );
  });

  test("OA-6: no text of a model looks like the head of the log", () => {
    fc.assert(
      fc.property(hostile, (text) => !/\p{L}\s*\d+\s*·\s*[0-9a-f]{16}/iu.test(escapeReserved(text))),
      { numRuns: 500 },
    );
  });

  test("escaping twice changes nothing more", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = escapeReserved(text);
        return escapeReserved(once) === once;
      }),
    );
  });

  test("a tick and a cross of a model stay apart for the reader", () => {
    expect(escapeReserved("- ✅ Lights\n- ❌ Heating")).toBe("- (+) Lights\n- (-) Heating");
  });

  test("in a block of code they become escapes that mean the same", () => {
    expect(escapeReserved("```js\nlog('✓')\n```")).toBe("```js\nlog('\\u2713')\n```");
  });

  test("a root sign in a formula is left alone, a root sign for a tick is not", () => {
    expect(escapeReserved("√2 and √(x)")).toBe("√2 and √(x)");
    expect(escapeReserved("√ done")).toBe("(+) done");
  });

  test("the sentence for a reply without calls stands in quotation marks when a model says it", () => {
    for (const { noTool } of Object.values(WORDING))
      expect(escapeReserved(`Hi.\n${noTool}`)).toBe(`Hi.\n“${noTool}”`);
  });

  test("ordinary text, emoji and other scripts are left as they are", () => {
    for (const text of ["Très bien 👍🏽 — 你好 · それでは", "a | b / c", "👩‍👩‍👧 family", "x · y"])
      expect(escapeReserved(text)).toBe(text);
  });
});
