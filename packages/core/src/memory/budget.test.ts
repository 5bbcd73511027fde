import { expect, test } from "vitest";
import * as fc from "fast-check";
import { excerpt, spend, turnTokens } from "./budget.ts";

const turns = (lengths: readonly number[]) =>
  lengths.map((length, index) => ({ text: "x".repeat(length), speaker: "you", index }));

test("what is handed out never exceeds the budget, and nothing is handed out twice", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 60 }),
      fc.integer({ min: 0, max: 1_200 }),
      fc.integer({ min: 0, max: 40 }),
      (lengths, tokensMax, limit) => {
        const all = turns(lengths);
        const picked = spend(all, { limit, tokensMax }, (item, step) => all[item.index + step]);
        const handed = picked.flatMap(({ before, item, after }) => [...before, item, ...after]);
        expect(handed.reduce((sum, turn) => sum + turnTokens(turn), 0)).toBeLessThanOrEqual(tokensMax);
        expect(new Set(handed).size).toBe(handed.length);
        expect(picked.length).toBeLessThanOrEqual(limit);
      },
    ),
  );
});

test("hits go before neighbours, and a turn that does not fit is passed over", () => {
  const [first, huge, third, beside] = turns([100, 10_000, 100, 100]);
  const picked = spend([first!, huge!, third!], { limit: 3, tokensMax: 60 }, (item, step) =>
    item === first && step === 1 ? beside : undefined,
  );
  expect(picked.map(({ item }) => item)).toEqual([first, third]);
  expect(picked[0]?.after).toEqual([]);
  const roomier = spend([first!, third!], { limit: 3, tokensMax: 90 }, (item, step) =>
    item === first && step === 1 ? beside : undefined,
  );
  expect(roomier[0]?.after).toEqual([beside]);
});

test("a long text is handed out as the passage that holds the asked words", () => {
  const filler = "Nothing of interest is said here at all. ".repeat(60);
  const text = `${filler}The spare keys hang behind the boiler. ${filler}`;
  const words = ["keys", "boiler"].map((word) => ({ word, forms: [] }));
  const passage = excerpt(text, words, 400);
  expect(passage).toContain("The spare keys hang behind the boiler.");
  expect(passage).toMatch(/^….*…$/u);
  expect(passage.length).toBeLessThanOrEqual(400);
  expect(excerpt("short", words, 400)).toBe("short");
});

test("a passage is never longer than asked for, whatever the text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 2_000 }),
      fc.integer({ min: 20, max: 300 }),
      (text, max) => {
        expect(excerpt(text, [{ word: "a", forms: [] }], max).length).toBeLessThanOrEqual(max);
      },
    ),
  );
});
