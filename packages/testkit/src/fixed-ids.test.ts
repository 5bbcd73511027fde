import { isId } from "@elwood/core/base/ids";
import { expect, test } from "vitest";
import { FixedIds, fixedId, seededRandom } from "./fixed-ids.ts";

test("ids are well formed, rise, and are the same each time", () => {
  const first = new FixedIds();
  const second = new FixedIds();
  const made = [first.next("run"), first.next("run"), first.next("session")];
  expect([second.next("run"), second.next("run"), second.next("session")]).toEqual(made);
  expect(isId("run", made[0]!)).toBe(true);
  expect(isId("session", made[2]!)).toBe(true);
  expect(made[0]! < made[1]!).toBe(true);
  expect(made[1]).toBe(fixedId("run", 2));
});

test("seeded numbers repeat for a seed, differ between seeds and stay in range", () => {
  const draw = (seed: number) => Array.from({ length: 50 }, seededRandom(seed));
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(7).every((n) => n >= 0 && n < 1)).toBe(true);
});
