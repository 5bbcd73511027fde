import { expect, test } from "vitest";
import {
  ALL_KB_MAX,
  allScripts,
  circlesOfFirst,
  FIRST_ROUTE_KB_MAX,
  firstRouteScripts,
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

test("what every visit begins with waits for no script that waits for it", () => {
  expect(circlesOfFirst()).toEqual([]);
});
