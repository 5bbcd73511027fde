import { expect, test } from "vitest";
import { PieceList } from "./piece-list.ts";

const groupsOf = (list: PieceList) =>
  Array.from({ length: list.groups }, (_, group) => ({
    pieces: Array.from(list.pieces.subarray(list.from[group], list.to[group])),
    weight: list.weight[group],
  }));

test("a group has each piece once, and the next group may have it again", () => {
  const list = new PieceList();
  for (const piece of [7, 9, 7, 7 + 2 ** 20]) list.add(piece);
  list.close(0.5);
  list.add(9);
  list.close(2);
  expect(groupsOf(list)).toEqual([
    { pieces: [7, 9, 7 + 2 ** 20], weight: 0.5 },
    { pieces: [9], weight: 2 },
  ]);
});

test("what is shared out counts the less, the more pieces there are, and a marked group goes on", () => {
  const list = new PieceList();
  for (const piece of [1, 2, 3, 4]) list.add(piece);
  list.markShared(1);
  for (const piece of [4, 5, 6, 7, 8, 9]) list.add(piece);
  list.closeShared(1);
  list.closeShared(1);
  expect(groupsOf(list)).toEqual([
    { pieces: [1, 2, 3, 4], weight: 1 / 2 },
    { pieces: [1, 2, 3, 4, 5, 6, 7, 8, 9], weight: 1 / 3 },
    { pieces: [], weight: 1 },
  ]);
});

test("a list that was filled and cleared is as good as a new one, also after it grew", () => {
  const used = new PieceList();
  for (let round = 0; round < 3; round += 1) {
    used.clear();
    const fresh = new PieceList();
    for (const list of [used, fresh]) {
      for (let piece = 0; piece < 3_000; piece += 1) list.add(Math.imul(piece % 2_000, 2_654_435_761) >>> 0);
      list.closeShared(1);
    }
    expect(groupsOf(used)).toEqual(groupsOf(fresh));
    expect(used.to[0]).toBe(2_000);
  }
});
