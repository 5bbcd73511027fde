import { expect, test } from "vitest";
import { pageWaitMs } from "./page-client.ts";

test("a page that is looked at is back within two seconds of its gateway, however long that was away", () => {
  const waits = Array.from({ length: 1_000 }, (_, i) => pageWaitMs(i + 1, false));
  expect(Math.max(...waits)).toBe(2_000);
  expect(waits[0]).toBe(500);
});

test("a page that nobody sees asks less often", () => {
  expect(pageWaitMs(1_000, true)).toBe(15_000);
});
