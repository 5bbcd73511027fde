import { expect, test } from "vitest";
import { LIMITS } from "../base/limits.ts";
import { caseForms, containsAny, textTerms, wordTerms } from "./search-terms.ts";

test("a word is found whatever its case, also in JSON and in JSON inside of JSON", () => {
  const matches = containsAny(wordTerms('say "Straße"'));
  expect(matches('they SAY "STRASSE" here')).toBe(true);
  expect(matches(JSON.stringify({ a: 'say "straße"' }))).toBe(true);
  expect(matches(JSON.stringify({ a: JSON.stringify(['say "strasse"']) }))).toBe(true);
  expect(matches("say Straße")).toBe(false);
});

test("a text is known by stretches of it that are long enough to be no other", () => {
  const { fold, texts } = textTerms(["Yes.\nMy garden door has the code 4417. Keep it.\n\nThanks!"]);
  expect(fold).toBe(false);
  expect(texts).toEqual(["My garden door has the code 4417."]);
  expect(textTerms(["ok", "fennel"]).texts).toEqual(["fennel"]);
});

test("of a long text so many stretches are looked for as there may be, from its beginning to its end", () => {
  const lines = Array.from({ length: 1_000 }, (_, i) => `line number ${i} of the text`);
  const { texts } = textTerms([lines.join("\n")]);
  expect(texts).toHaveLength(LIMITS.forgetNeedlesMax);
  expect(texts[0]).toBe(lines[0]);
  expect(Number(/\d+/.exec(texts.at(-1)!)![0])).toBeGreaterThan(950);
});

test("nothing to look for is found nowhere", () => {
  expect(containsAny(textTerms(["ok"]))("ok")).toBe(false);
});

test("letters of all scripts are looked for in both cases", () => {
  expect(caseForms("Ärger")).toEqual(expect.arrayContaining(["ärger", "ÄRGER", "Ärger"]));
});
