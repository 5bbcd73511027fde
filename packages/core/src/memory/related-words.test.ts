import { expect, test } from "vitest";
import * as fc from "fast-check";
import { queryWords } from "./query-words.ts";
import { RELATED_MAX, RELATED_PER_WORD_MAX, relatedWords } from "./related-words.ts";
import { STOP_WORDS } from "./word-lists.ts";

const related = (question: string) => relatedWords(queryWords(question).words);

test("a wider word leads to narrower ones, a narrower one to wider ones, and both to words for the same", () => {
  expect(related("pets")[0]).toEqual(expect.arrayContaining(["dog", "kitten"]));
  expect(related("violin")[0]).toContain("instrument");
  expect(related("purchases")[0]).toContain("buy");
  expect(related("Geschwister")[0]).toEqual(expect.arrayContaining(["bruder", "schwester"]));
});

test("words that nobody put down lead nowhere", () => {
  expect(related("zirconium")).toEqual([]);
  expect(relatedWords([])).toEqual([]);
});

test("what was asked is not looked for a second time, in any form", () => {
  const groups = related("Which pets did she buy, a dog or a cat?");
  const terms = groups.flat();
  expect(terms).not.toContain("dog");
  expect(terms).not.toContain("cat");
  expect(terms).not.toContain("bought");
  expect(terms).toContain("puppy");
});

test("however much is asked, few words are added, and none that says nothing", () => {
  const words = [
    "pet",
    "sport",
    "food",
    "family",
    "job",
    "travel",
    "book",
    "health",
    "gift",
    "haustier",
    "x",
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 60 }), (asked) => {
      const groups = related(asked.join(" "));
      expect(groups.flat().length).toBeLessThanOrEqual(RELATED_MAX);
      for (const group of groups) {
        expect(group.length).toBeGreaterThan(0);
        expect(group.length).toBeLessThanOrEqual(RELATED_PER_WORD_MAX);
        for (const term of group) {
          expect(STOP_WORDS.has(term)).toBe(false);
          expect(term).toMatch(/^[\p{Ll} ]+$/u);
        }
      }
    }),
  );
});
