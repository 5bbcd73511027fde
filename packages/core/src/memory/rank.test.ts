import { expect, test } from "vitest";
import * as fc from "fast-check";
import { rankTurns, type Asked, type Candidate } from "./rank.ts";
import { RANKING_WEIGHTS } from "./weights.ts";

const DAY = 86_400_000;
const ASKED: Asked = {
  rarity: [],
  prior: { nameWords: new Set(), of: () => 0 },
  windows: [],
  shape: { time: false, number: false, place: false },
  latest: false,
};

const turn = (id: number, more: Partial<Candidate> = {}): Candidate => ({
  id,
  sourceId: id,
  pos: 0,
  chunkId: id,
  ts: 0,
  role: "user",
  speaker: "you",
  text: "some words are said here",
  words: 0,
  matchedWords: [],
  ...more,
});

const order = (candidates: readonly Candidate[], asked: Partial<Asked> = {}) =>
  rankTurns(candidates, { ...ASKED, ...asked }).map(({ candidate }) => candidate.id);

test("of two that say the same the newer goes first, and age takes nothing from a better one", () => {
  const old = turn(1, { ts: 0, words: 5 });
  const young = turn(2, { ts: 3_000 * DAY, words: 5 });
  expect(order([old, young])).toEqual([2, 1]);
  expect(order([turn(1, { ts: 0, words: 5.1 }), young])).toEqual([1, 2]);
});

test("age counts where the latest word is asked for", () => {
  const old = turn(1, { ts: 0, words: 5.1 });
  const young = turn(2, { ts: 3_000 * DAY, words: 5 });
  expect(order([old, young], { latest: true })).toEqual([2, 1]);
});

test("what follows a question that fits goes before a turn that only shares a word", () => {
  const question = turn(1, { sourceId: 9, chunkId: 9, pos: 4, text: "Where are the spare keys?", words: 8 });
  const answer = turn(2, {
    sourceId: 9,
    chunkId: 9,
    pos: 5,
    text: "Behind the boiler, on a nail.",
    words: 0,
  });
  const other = turn(3, { text: "The keys of a piano are black and white.", words: 4 });
  expect(order([other, answer, question]).indexOf(2)).toBeLessThan(
    order([other, answer, question]).indexOf(3),
  );
});

test("turns of the asked time, and less those shortly after it, go before others", () => {
  const windows = [{ from: 10 * DAY, to: 11 * DAY, grain: "day", named: true }] as const;
  const inside = turn(1, { ts: 10.5 * DAY, words: 1 });
  const after = turn(2, { ts: 12 * DAY, words: 1 });
  const before = turn(3, { ts: 9 * DAY, words: 1 });
  expect(order([before, after, inside], { windows })).toEqual([1, 2, 3]);
});

test("time words, numbers and places count where they are asked for", () => {
  for (const [shape, text] of [
    [{ time: true, number: false, place: false }, "that was yesterday evening then"],
    [{ time: false, number: true, place: false }, "she has seventeen and 3 more"],
    [{ time: false, number: false, place: true }, "we all went to Lisbon"],
  ] as const) {
    const telling = turn(1, { text, words: 1 });
    const other = turn(2, { words: 1.5, ts: 5 });
    expect(order([other, telling], { shape })).toEqual([1, 2]);
    expect(order([other, telling])).toEqual([2, 1]);
  }
});

test("closeness in meaning is one more part of the score", () => {
  const [first] = rankTurns([turn(1, { words: 2 }), turn(2, { words: 1, vector: 0.9 })], ASKED);
  expect(first?.candidate.id).toBe(2);
  expect(first?.parts["vector"]).toBeCloseTo(0.9 * RANKING_WEIGHTS.vector, 9);
});

test("a score is the sum of its parts, and the order does not hang on the order of the candidates", () => {
  const candidate = fc.record({
    pos: fc.integer({ min: 0, max: 30 }),
    sourceId: fc.integer({ min: 1, max: 3 }),
    words: fc.integer({ min: 0, max: 20 }),
    ts: fc.integer({ min: 0, max: 5 }),
    text: fc.constantFrom("Where was it?", "In May we went to Rome.", "yes", "Two of them, yesterday."),
    matchedWords: fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(candidate, { maxLength: 40, selector: ({ sourceId, pos }) => `${sourceId} ${pos}` }),
      (drafts) => {
        const all = drafts.map((draft, id) => turn(id, { ...draft, chunkId: draft.sourceId }));
        const asked = { rarity: [3, 2, 1], shape: { time: true, number: true, place: true } };
        const ranked = rankTurns(all, { ...ASKED, ...asked });
        expect(ranked).toHaveLength(all.length);
        for (const { score, parts } of ranked)
          expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 9);
        const texts = (of: typeof ranked) =>
          of.map(({ score, candidate: { text, pos, ts } }) => [score, text, pos, ts]);
        expect(texts(rankTurns(all.toReversed(), { ...ASKED, ...asked })).map(([score]) => score)).toEqual(
          texts(ranked).map(([score]) => score),
        );
      },
    ),
  );
});
