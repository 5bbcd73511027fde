import { expect, test } from "vitest";
import {
  ALL_KB_MAX,
  allScripts,
  builtScripts,
  circlesOfFirst,
  FIRST_ROUTE_KB_MAX,
  firstRouteScripts,
  PART_KB_MAX,
  partOf,
  scriptKb,
} from "./page-size.ts";

test("JV-9: the script of the first route stays within its budget, and all of it within another", () => {
  const first = firstRouteScripts();
  // Otherwise something else than the chat was measured.
  expect(first.length).toBeGreaterThan(3);
  expect(scriptKb(first)).toBeGreaterThan(FIRST_ROUTE_KB_MAX / 3);
  expect(scriptKb(first)).toBeLessThanOrEqual(FIRST_ROUTE_KB_MAX);
  expect(scriptKb(allScripts())).toBeLessThanOrEqual(ALL_KB_MAX);
});

test("each file of the page is known by name, and stays within a budget of its own", () => {
  const parts = builtScripts().map(partOf);
  expect(parts.toSorted()).toEqual(Object.keys(PART_KB_MAX).toSorted());
  const heavy = builtScripts().filter((name) => scriptKb([name]) > (PART_KB_MAX[partOf(name)] ?? 0));
  expect(heavy).toEqual([]);
});

test("what every visit begins with waits for no script that waits for it", () => {
  expect(circlesOfFirst()).toEqual([]);
});
