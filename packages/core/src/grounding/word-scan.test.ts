import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Spelled } from "../base/letters.ts";
import { CUES } from "./claim-features.ts";
import { ALL, ELSE, PART_OF } from "./amount-words.ts";
import { NOTHING, SUCCESS, UNSURE } from "./outcome-words.ts";
import { wordingsOf, WordScan } from "./word-scan.ts";

const LISTS = [...Object.values(CUES), ALL, ELSE, NOTHING, PART_OF, SUCCESS, UNSURE];
const BETWEEN = ["", " ", "x", "é", "1", ".", "'", "-", "👍", "的", " the ", "s "];

test("a scan finds in every text what its lists find as patterns", () => {
  const scan = new WordScan(LISTS);
  const spelled = new Spelled();
  const wordings = LISTS.flatMap(({ source }) => wordingsOf(source).map(({ text }) => text));
  const part = fc.oneof(
    fc.constantFrom(...wordings),
    fc.constantFrom(...BETWEEN),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("").toLowerCase();
      spelled.spell(text);
      const found = scan.find(spelled);
      for (const [at, { source }] of LISTS.entries())
        expect((found & (1 << at)) !== 0, `${source.slice(0, 30)} in ${text}`).toBe(
          new RegExp(source, "u").test(text),
        );
    }),
    { numRuns: 2_000 },
  );
});

test("a pattern becomes its wordings; what is no plain wording stays a pattern behind them", () => {
  expect(wordingsOf("(?<!\\p{L})(?:keeps?|kept) it(?!\\p{L})")).toEqual([
    { atStart: true, text: "keeps it", rest: "(?!\\p{L})" },
    { atStart: true, text: "keep it", rest: "(?!\\p{L})" },
    { atStart: true, text: "kept it", rest: "(?!\\p{L})" },
  ]);
  expect(wordingsOf("sigue\\p{L}* (?:en|como)|[没不]有")).toEqual([
    { atStart: false, text: "sigue", rest: "\\p{L}* (?:(?:en|como))" },
    { atStart: false, text: "没有", rest: "" },
    { atStart: false, text: "不有", rest: "" },
  ]);
});

test("letters that a build writes by number are letters", () => {
  const plain = "(?<!\\p{L})(?:später|nación)(?!\\p{L})|[没不]有";
  const built = plain.replace(
    /[^\0-\x7f]/gu,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  expect(built).toContain("\\u00e4");
  expect(wordingsOf(built)).toEqual(wordingsOf(plain));
});

test("a list that begins with no letter, and more lists than there are bits, are refused", () => {
  expect(() => new WordScan([/\d+ files/u])).toThrow("begins with no letter");
  expect(() => new WordScan(Array.from({ length: 32 }, () => /a/u))).toThrow("too many");
});
