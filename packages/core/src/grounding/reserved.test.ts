import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ENDED_GLYPH } from "../base/state-words.ts";
import { escapeReserved, hasReserved, MARKS, VERIFIED, VOICE } from "./reserved.ts";

const GLYPHS = [...Object.values(MARKS), VERIFIED, ENDED_GLYPH, VOICE, "✓\ufe0f", "✓\u200d", "◈\u0338"];
const prose = fc
  .array(fc.oneof(fc.constantFrom(...GLYPHS, "\n", " · ", "[✔ c1]", "word"), fc.string({ unit: "grapheme" })))
  .map((parts) => parts.join("").replaceAll("`", "'").replaceAll("~", "-"));

describe("glyphs that only Elwood writes", () => {
  test("OA-6: no prose of a model keeps one, whatever is stacked on it or put around it", () => {
    fc.assert(
      fc.property(prose, (text) => !hasReserved(escapeReserved(text))),
      { numRuns: 500 },
    );
  });

  test("escaping twice changes nothing more", () => {
    fc.assert(
      fc.property(prose, (text) => {
        const once = escapeReserved(text);
        return escapeReserved(once) === once;
      }),
    );
  });

  test("other glyphs stay as the model wrote them", () => {
    for (const text of ["- ✅ Lights\n- ❌ Heating", "⏳ ❓ ♦ ◆ ✔ ☑ √2", "Très bien 👍🏽 — 你好 · x"])
      expect(escapeReserved(text)).toBe(text);
  });

  test("a lookalike in the shape of a tick is none", () => {
    expect(escapeReserved("[✔ c1] and ✔ alone")).toBe("[(+) c1] and ✔ alone");
  });

  test("code stays as it was written: blocks as CommonMark fences them, and spans", () => {
    for (const text of [
      "```js\nlog('✓')\n```",
      "~~~\n✓\n~~~",
      "````\n```\n✓\n````",
      "- ```\n  ✓\n  ```",
      "Write `✓` or ``◈``.",
    ])
      expect(escapeReserved(text)).toBe(text);
  });

  test("what only looks like code is prose", () => {
    expect(escapeReserved("\t```\n[✓ c1]")).toContain("[(+) c1]");
    expect(escapeReserved("\\`[✓ c1]\\`")).toContain("[(+) c1]");
    expect(escapeReserved("``` a`b\n✓")).toContain("(+)");
    expect(escapeReserved("```\ncode\n```\n✓ prose")).toBe("```\ncode\n```\n(+) prose");
  });
});
