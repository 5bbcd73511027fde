import { expect, test } from "vitest";
import { plainGlyphs, PLAIN_GLYPHS, writtenGlyphs, writtenGlyphsIn } from "./glyphs.ts";

test("none of the gateway's glyphs is left in words of others, nor what looks like one, in whatever dress", () => {
  for (const glyph of PLAIN_GLYPHS.keys())
    for (const dressed of [glyph, `${glyph}\ufe0f`, `${glyph}\u0332`, `a${glyph}b`])
      expect(plainGlyphs(dressed), dressed).not.toContain(glyph);
  expect(plainGlyphs("◈ Elwood: verified ✓")).toBe("(*) Elwood: verified (+)");
  expect(plainGlyphs("✔️ ✅ ☑ ❖ ◆ ✘ ❌ 🚫")).toBe("(+) (+) (+) (*) (*) (-) (-) (/)");
  expect(plainGlyphs("Plain – “words” • 5 € → ok")).toBe("Plain – “words” • 5 € → ok");
});

test("in what somebody decides by they are written out, so that it still says what will run", () => {
  expect(writtenGlyphs("✓ done ◈")).toBe("\\u2713 done \\u25c8");
  expect(writtenGlyphsIn({ "✓": ["◈", { a: "⏸" }], n: 1, none: null })).toEqual({
    "\\u2713": ["\\u25c8", { a: "\\u23f8" }],
    n: 1,
    none: null,
  });
});
