import { expect, test } from "vitest";
import { TurnSizes } from "./turn-sizes.ts";

/** Turns of as many words as their ids, and which of them were read. */
function scene(sizeOf: (id: number) => number | undefined = (id) => id % 60_000) {
  const read: number[][] = [];
  const sizes = new TurnSizes((ids) => {
    read.push([...ids]);
    return ids.flatMap((id) => {
      const size = sizeOf(id);
      return size === undefined ? [] : [[id, size] as const];
    });
  });
  return { sizes, read };
}

test("a size is read once, with all that are missing, and none that nobody asks for", () => {
  const { sizes, read } = scene();
  expect(sizes.take([9_001, 3, 700])).toBe(true);
  expect(sizes.take([700, 4, 3])).toBe(true);
  expect(sizes.take([3, 4])).toBe(true);
  expect(read).toEqual([[9_001, 3, 700], [4]]);
  expect([3, 4, 700, 9_001, 5, 512].map((id) => sizes.of(id))).toEqual([3, 4, 700, 9_001, 0, 0]);
  sizes.clear();
  expect(sizes.of(700)).toBe(0);
});

test("one that is not there, or too long to be kept, is not to be had", () => {
  const { sizes } = scene((id) => (id === 7 ? undefined : id));
  expect(sizes.take([6, 7])).toBe(false);
  expect(sizes.take([65_535])).toBe(true);
  expect(sizes.take([65_536])).toBe(false);
  expect(sizes.of(6)).toBe(6);
});

test("those of turns that lie far apart do not add up", () => {
  const { sizes, read } = scene();
  const apart = (from: number) => Array.from({ length: 3_000 }, (_, at) => from + at * 5_000 + 1);
  for (let round = 0; round < 40; round++) {
    const ids = apart(round * 20_000_000);
    expect(sizes.take(ids)).toBe(true);
    expect(ids.every((id) => sizes.of(id) === id % 60_000)).toBe(true);
  }
  expect(read).toHaveLength(40);
  // Only those of the last round are left.
  for (let round = 0; round < 39; round++)
    expect(apart(round * 20_000_000).some((id) => sizes.of(id) > 0)).toBe(false);
});
