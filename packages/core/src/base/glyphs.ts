import { CALL_WORDS, ENDED_GLYPH } from "./state-words.ts";

/** The sign in front of the gateway's own sentences. */
export const VOICE_GLYPH = "◈";

/** Glyphs that mean something because only the gateway writes them, with what stands for them elsewhere. */
export const PLAIN_GLYPHS: ReadonlyMap<string, string> = new Map([
  [CALL_WORDS.succeeded.glyph, "(+)"],
  [CALL_WORDS.failed.glyph, "(-)"],
  [CALL_WORDS.denied.glyph, "(/)"],
  [CALL_WORDS.expired.glyph, "(~)"],
  [CALL_WORDS.pending.glyph, "(||)"],
  [CALL_WORDS.unknown.glyph, "(?)"],
  [ENDED_GLYPH, "(!)"],
  [VOICE_GLYPH, "(*)"],
]);

/** What looks like one of them at a glance, by what stands for it. */
const LOOKALIKES = {
  "(+)": "✔☑✅🗸🗹",
  "(-)": "✘❌✖❎☒🗙🗴",
  "(*)": "❖◆◇⟐⬥⬦⯁💠",
  "(/)": "🛇🚫⦸⊗",
};

/** Whoever needs none of them loads none of them. */
let patterns: { plain: ReadonlyMap<string, string>; any: RegExp; own: RegExp } | undefined;

function glyphPatterns() {
  if (patterns) return patterns;
  const plain = new Map(PLAIN_GLYPHS);
  for (const [words, glyphs] of Object.entries(LOOKALIKES))
    for (const glyph of glyphs) plain.set(glyph, words);
  // One of them with whatever is stacked on it or selects its shape.
  const any = new RegExp(`(?:${[...plain.keys()].join("|")})[\\p{M}\\ufe00-\\ufe0f\\u200d]*`, "gu");
  const own = new RegExp(`[${[...PLAIN_GLYPHS.keys()].join("")}]`, "gu");
  patterns = { plain, any, own };
  return patterns;
}

/** For words of a model or a tool that stand among the gateway's own: none of its glyphs is left. */
export function plainGlyphs(text: string): string {
  const { any, plain } = glyphPatterns();
  return text.replace(any, (found) => plain.get(String.fromCodePoint(found.codePointAt(0)!)) ?? "");
}

/** For content that somebody decides by: the gateway's glyphs are written out, so that what is read is still what will run. */
export function writtenGlyphs(text: string): string {
  return text.replace(
    glyphPatterns().own,
    (found) => `\\u${found.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}

/** The same for every text in a value. */
export function writtenGlyphsIn<T>(value: T): T {
  if (typeof value === "string") return writtenGlyphs(value) as T & string;
  if (Array.isArray(value)) return value.map((each: unknown) => writtenGlyphsIn(each)) as T & unknown[];
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [writtenGlyphs(key), writtenGlyphsIn(member)]),
  ) as T;
}
