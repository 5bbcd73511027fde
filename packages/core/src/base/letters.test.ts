import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bare, HALF, HAN, HANGUL, LETTER, MARK, NUMBER, PICTURE, runsOf, Spelled, UPPER } from "./letters.ts";

const spell = (text: string) => {
  const spelled = new Spelled();
  spelled.spell(text);
  return spelled;
};

test("a text is spelled in small letters, and each has the kinds that patterns find", () => {
  const patterns = [
    [LETTER, /\p{L}/u],
    [MARK, /\p{M}/u],
    [NUMBER, /\p{N}/u],
    [HAN, /\p{Script=Han}/u],
    [HANGUL, /\p{Script=Hangul}/u],
    [PICTURE, /\p{Extended_Pictographic}/u],
    [UPPER, /\p{Lu}/u],
  ] as const;
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const { kinds, codes, length } = spell(text);
      let at = 0;
      for (const character of text) {
        for (const [kind, pattern] of patterns)
          expect((kinds[at]! & kind) !== 0, character).toBe(pattern.test(character));
        const small = character.toLowerCase();
        if (character.length === 1) expect(codes[at]).toBe(small.charCodeAt(0));
        else expect(kinds[at + 1]! & HALF).toBe(HALF);
        at += character === "İ" ? 2 : character.length;
      }
      expect(at).toBe(length);
    }),
  );
});

test("a capital that becomes two small letters takes two places, as in the text in small letters", () => {
  const { codes, length, lower } = spell("İ x");
  expect(String.fromCharCode(...codes.subarray(0, length))).toBe(lower);
});

test("runs of letters are counted, and accents are taken off", () => {
  expect(runsOf(spell("two words, 3 more"), LETTER)).toBe(3);
  expect(runsOf(spell("two words, 3 more"), LETTER | NUMBER)).toBe(4);
  expect(runsOf(spell("👍👍"), LETTER)).toBe(0);
  expect(bare("é".charCodeAt(0))).toBe("e".charCodeAt(0));
  expect(bare("ł".charCodeAt(0))).toBe("ł".charCodeAt(0));
  expect(bare(0x301)).toBeUndefined();
});
