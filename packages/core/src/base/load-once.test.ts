import { expect, test } from "vitest";
import { loadOnce } from "./load-once.ts";

test("code is loaded when it is first needed, and then once for all who ask", async () => {
  let loads = 0;
  const load = loadOnce(async () => ({ number: ++loads }));
  expect(loads).toBe(0);
  const [first, second] = await Promise.all([load(), load()]);
  expect(first).toBe(second);
  expect(await load()).toBe(first);
  expect(loads).toBe(1);
});

test("a load that failed is tried again", async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error("the disk was busy");
    return loads;
  });
  await expect(load()).rejects.toThrow("the disk was busy");
  expect(await load()).toBe(2);
});
