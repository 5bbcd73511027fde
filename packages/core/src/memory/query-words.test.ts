import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { ftsQuery, ftsTrigrams } from "./fts-query.ts";
import { QUERY_WORDS_MAX, queryWords } from "./query-words.ts";

const asked = (question: string) => queryWords(question).words.map(({ word }) => word);

describe("the words of a question", () => {
  test.each([
    ["When did Anna go to the support group?", ["anna", "go", "support", "group"]],
    ["What's the wifi password of the cabin?", ["wifi", "password", "cabin"]],
    ["Wann war ich zuletzt beim Zahnarzt?", ["zuletzt", "zahnarzt"]],
    ["Quel est le numéro de téléphone d'Odile ?", ["numéro", "téléphone", "odile"]],
    ["¿Dónde está la llave de la casa?", ["llave", "casa"]],
    ["Which car does our son drive to Lake Como?", ["car", "son", "drive", "lake", "como"]],
    ["room 7b, floor 3", ["room", "7b", "floor", "3"]],
    ["café CAFÉ", ["café"]],
  ])("%s", (question, words) => {
    expect(asked(question)).toEqual(words);
  });

  test("a question of nothing but stop words is looked for by them", () => {
    expect(asked("Who am I?")).toEqual(["who", "am", "i"]);
    expect(asked("?!")).toEqual([]);
  });

  test("words that were left out are not looked for, even where nothing else is left", () => {
    expect(queryWords("What did Anna do?", new Set(["anna"])).words.map(({ word }) => word)).not.toContain(
      "anna",
    );
  });

  test("verbs are looked for in their other forms", () => {
    expect(queryWords("Did she buy it?").words[0]).toEqual({ word: "buy", forms: ["bought"] });
    expect(queryWords("Who went hiking?").words[0]?.forms).toContain("go");
    expect(queryWords("Who is writing? Who goes?").words.map(({ forms }) => forms[0])).toEqual([
      "wrote",
      "went",
    ]);
  });

  test("a huge question is searched by its first words", () => {
    const huge = Array.from({ length: 100_000 }, (_, i) => `word${i}`).join(" ");
    expect(queryWords(huge).words).toHaveLength(QUERY_WORDS_MAX);
    expect(queryWords("漢".repeat(100_000)).trigrams).toEqual(["漢漢漢"]);
    expect(
      queryWords(Array.from({ length: 5_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("")).trigrams
        .length,
    ).toBeLessThan(100);
  });

  test("scripts without spaces are looked for by runs of characters, with Latin words whole", () => {
    const { words, trigrams, bigrams } = queryWords("我的iPhone手机号码");
    expect(words).toEqual([]);
    expect(trigrams).toEqual(["iPhone", "手机号", "机号码"]);
    expect(bigrams).toEqual(["iPhone", "我的", "手机", "机号", "号码"]);
  });
});

describe("the query for the index", () => {
  test("joins by OR and puts every word in quotes, so that nothing typed is syntax", () => {
    expect(ftsQuery(queryWords('cabin AND "keys" NOT (boat* NEAR/3 ^dock) text:x').words)).toBe(
      '"cabin" OR "keys" OR "boat" OR "near" OR "3" OR "dock" OR "text"',
    );
  });

  test("holds nothing but quoted words and OR, whatever was typed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (question) => {
        const { words, trigrams } = queryWords(question);
        for (const part of [ftsQuery(words), ftsTrigrams(trigrams)].flatMap((query) => query.split(" OR ")))
          expect(part === "" || /^"[^"]+"$/u.test(part)).toBe(true);
      }),
    );
  });
});
