import { expect, test } from "vitest";
import { table } from "./table.ts";
import { displayWidth } from "./terminal-text.ts";

const COLUMNS = [
  { title: "TOOL" },
  { title: "RISK" },
  { title: "SENDS" },
  { title: "WHAT IT DOES", flexible: true },
  { title: "FROM" },
];
const ROWS = [
  ["browser.page.screenshot", "destructive", "nothing", "Makes a picture of a page as it is now", "built-in"],
  ["a.b", "read", "to others", "Does 日本語 things", "workspace"],
];

test("a table without a width is not cut", () => {
  expect(table(COLUMNS, ROWS)).toContain(
    "browser.page.screenshot  destructive  nothing    Makes a picture of a page as it is now  built-in\n",
  );
});

test.each([20, 40, 60, 80, 100])("no line is wider than a terminal of %i columns", (width) => {
  const lines = table(COLUMNS, ROWS, width).trimEnd().split("\n");
  for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
});

test("the flexible column gives way first, then the widest of the others, and what a row is called by last", () => {
  expect(table(COLUMNS, ROWS, 80).split("\n")[1]).toBe(
    "browser.page.screenshot  destructive  nothing    Makes a picture of…   built-in",
  );
  expect(table(COLUMNS, ROWS, 64).split("\n")[1]).toBe(
    "browser.page.screenshot  destru…  nothing  Makes a pic…  built-…",
  );
  expect(table(COLUMNS, ROWS, 50).split("\n")[1]).toMatch(
    /^browser\.…  destru…  nothing  Makes a pic…  built-…$/,
  );
});
