import { expect, test } from "vitest";
import * as fc from "fast-check";
import type { HeldEnough } from "@elwood/core/memory/recall-gate";
import { TurnSizes } from "./turn-sizes.ts";
import { bestOf, HeldWords, Paper, Places, scored } from "./word-places.ts";

const AVERAGE = 7;

/** Ids of a word's turns, far apart or close together. */
const ids = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 30_000 })), { maxLength: 40 })
  .map((found) => [...new Set(found)].sort((a, b) => a - b));

function placesOf(turns: readonly number[]): Places {
  const places = new Places(0);
  for (const id of turns) for (let times = 0; times <= id % 3; times += 1) expect(places.add(id)).toBe(true);
  return places;
}

const sizeOf = (id: number) => 3 + (id % 11);
/** Read as they are asked for. */
const sizes = () => ({
  average: AVERAGE,
  turns: new TurnSizes((wanted) => wanted.map((id) => [id, sizeOf(id)])),
});

function oneByOne(
  lists: readonly Places[],
  weights: readonly number[],
  newest: number,
  most: number,
  isEnough: (id: number) => boolean,
) {
  const all = [...new Set(lists.flatMap((list) => [...list.ids.subarray(0, list.length)]))];
  const turns = all.sort((a, b) => b - a).slice(0, newest);
  const found = turns.filter(isEnough).map((id) => {
    const scores = lists.map((list, each) => {
      const at = list.ids.subarray(0, list.length).indexOf(id);
      if (at < 0) return 0;
      const times = list.times(at);
      return weights[each]! * ((times * 2.2) / (times + 1.2 * (1 - 0.75 + (0.75 * sizeOf(id)) / AVERAGE)));
    });
    return [id, scores.reduce((sum, score) => sum + score, 0)] as const;
  });
  return found.sort(([a, x], [b, y]) => y - x || b - a).slice(0, most);
}

// Weights that add up to the same in whatever order.
const numbers = fc.array(fc.constantFrom(0, 0.25, 0.5, 1.5, 2), { minLength: 6, maxLength: 6 });
const flags = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
const scene = fc.record({
  // For each word the turns of each of its forms; undefined where nothing is kept of it.
  words: fc.array(fc.option(fc.array(ids, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 6 }), {
    minLength: 1,
    maxLength: 6,
  }),
  weights: numbers,
  tells: flags,
  sought: flags,
  least: fc.nat(3),
  needed: fc.constantFrom(0, 0.25, 1, 2, 3.5),
  newest: fc.constantFrom(1, 3, 20, 2_000),
  most: fc.constantFrom(1, 5, 100),
});

test("of the newest turns in some lists those that hold enough are scored, as if each was looked at by itself", () => {
  const paper = new Paper();
  fc.assert(
    fc.property(scene, ({ words, weights, tells, sought, least, needed, newest, most }) => {
      const places = words.map((forms) => forms?.map(placesOf));
      const lists = places.flatMap((forms, at) => (sought[at] ? (forms ?? []) : []));
      const listWeights = lists.map((_, each) => 1 + each / 3);
      const isEnough = (id: number) => {
        const holds = words.flatMap((forms, at) => (!forms || forms.some((f) => f.includes(id)) ? [at] : []));
        const weight = holds.reduce((sum, at) => sum + weights[at]!, 0);
        return holds.some((at) => tells[at]) && holds.length >= least && weight >= needed;
      };
      const enough: HeldEnough = {
        words: words.map((_, at) => ({ word: `word${at}`, forms: [] })),
        weights,
        tells,
        least,
        weight: needed,
      };
      const find = (held?: HeldWords) =>
        bestOf(scored(lists, listWeights, sizes(), newest, paper, held)!, most);
      expect(find(new HeldWords(enough, places))).toEqual(
        oneByOne(lists, listWeights, newest, most, isEnough),
      );
      expect(find()).toEqual(oneByOne(lists, listWeights, newest, most, () => true));
    }),
    { numRuns: 500 },
  );
});

test("where a turn stands among those of a word is found from wherever one looks", () => {
  fc.assert(
    fc.property(ids, fc.nat(30_001), fc.nat(40), (turns, id, end) => {
      const places = placesOf(turns);
      const first = Math.min(end, turns.length);
      expect(places.upTo(id, first)).toBe(turns.slice(0, first).filter((each) => each <= id).length);
    }),
  );
});
