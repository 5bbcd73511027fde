import { array, assert, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { Stretches } from "./stretches.ts";

interface Item {
  readonly value: number;
}

const itemsOf = (count: number): Item[] => Array.from({ length: count }, (_, value) => ({ value }));

test("a list that grows is worked out once, and looked up in a few steps", () => {
  const sums = new Stretches<Item, number>({ join: (a, b) => a + b });
  const items = itemsOf(1_000);
  let made = 0;
  const piece = (at: number) => {
    made += 1;
    return { end: at + 1, value: items[at]!.value };
  };
  for (let to = 1; to <= items.length; to += 1) {
    const { values, end } = sums.of(items.slice(0, to), piece);
    expect(end).toBe(to);
    expect(values.reduce((sum, value) => sum + value, 0)).toBe((to * (to - 1)) / 2);
    expect(values.length).toBeLessThan(25);
  }
  expect(made).toBe(1_000);
  expect(sums.unknown(items)).toEqual([]);
  expect(sums.unknown(items.with(3, { value: 3 })).length).toBeLessThanOrEqual(64);
});

test("items that were replaced are worked out again, with their neighbours at most", () => {
  const lists = new Stretches<Item, readonly number[]>({ join: (a, b) => [...a, ...b] });
  let made = 0;
  const valuesOf = (items: readonly Item[]) =>
    lists
      .of(items, (at) => {
        made += 1;
        return { end: at + 1, value: [items[at]!.value] };
      })
      .values.flat();
  let items = itemsOf(300);
  valuesOf(items);
  assert(
    property(array(integer({ min: 0, max: 299 }), { maxLength: 5 }), (places) => {
      for (const place of places) items = items.with(place, { value: items[place]!.value + 1 });
      made = 0;
      expect(valuesOf(items)).toEqual(items.map(({ value }) => value));
      expect(made).toBeLessThanOrEqual(64 * places.length);
    }),
  );
});

test("what does not last is worked out each time, and joined with nothing", () => {
  const texts = new Stretches<Item, string>({ join: (a, b) => a + b });
  const items = itemsOf(8);
  let made: number[] = [];
  const piece = (at: number) => {
    made.push(at);
    return { end: at + 1, value: String(at), isLasting: at !== 3 };
  };
  expect(texts.of(items, piece).values).toEqual(["01", "2", "3", "4567"]);
  made = [];
  expect(texts.of(items, piece).values.join("")).toBe("01234567");
  expect(made).toEqual([3]);
  expect(texts.unknown(items)).toEqual([items[3]]);
});

test("a stretch ends only where it may, and where there is a piece", () => {
  const pairs = new Stretches<Item, number>({
    join: (a, b) => a + b,
    mayEnd: (items, at) => items[at]?.value !== 9,
  });
  const items = itemsOf(8);
  const piece = (at: number) => (at < 4 ? { end: at + 2, value: 1 } : undefined);
  expect(pairs.of(items, piece)).toEqual({ values: [2], end: 4 });
  const none = () => undefined;
  expect(pairs.of(items.with(2, { value: 9 }), none)).toEqual({ values: [], end: 0 });
});
