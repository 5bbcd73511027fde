import { expect, test } from "vitest";
import { RecentlyUsed } from "./recently-used.ts";

test("of more than fit, what was asked for or set longest ago goes", () => {
  const kept = new RecentlyUsed<{ n: number }>(3);
  for (const n of [1, 2, 3]) kept.set(`${n}`, { n });
  expect(kept.get("1")).toEqual({ n: 1 });
  kept.set("2", { n: 22 });
  kept.set("4", { n: 4 });
  expect(["1", "2", "3", "4"].map((key) => kept.get(key)?.n)).toEqual([1, 22, undefined, 4]);
});
