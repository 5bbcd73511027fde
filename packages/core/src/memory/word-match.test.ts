import * as fc from "fast-check";
import { expect, test } from "vitest";
import { queryWords, wordsOf } from "./query-words.ts";
import { wordMatcher } from "./word-match.ts";

const held = (question: string, text: string) => {
  const { words } = queryWords(question);
  return wordMatcher(words)(text).map((index) => words[index]!.word);
};

test("words are found in their other forms and endings, with or without accents", () => {
  expect(held("When did we go painting?", "She WENT to paint a sunrise.")).toEqual(["go", "painting"]);
  expect(held("cafe garden", "the Café, not the gardéns")).toEqual(["cafe", "garden"]);
  expect(held("plan", "a planetarium")).toEqual([]);
});

test("a text in plain ASCII holds the same words as one with other letters in it", () => {
  const word = fc.constantFrom(
    "Garden",
    "gardens",
    "went",
    "go",
    "2024",
    "x1",
    "painted",
    "pain",
    "_",
    "it's",
  );
  fc.assert(
    fc.property(fc.array(word), fc.constantFrom(" ", ", ", "\n", "-", "@["), (said, between) => {
      const text = said.join(between);
      const matcher = wordMatcher(queryWords("go to the garden painting in 2024 x1").words);
      expect(matcher(text)).toEqual(matcher(`${text} …ß`));
      expect(matcher(wordsOf(text).join(" "))).toEqual(matcher(text));
    }),
  );
});
