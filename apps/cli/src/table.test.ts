import { expect, test } from "vitest";
import { table } from "./table.ts";
import { testIo } from "./test-io.ts";
import { displayWidth } from "./terminal-text.ts";

const COLUMNS = [
  { title: "TOOL" },
  { title: "RISK" },
  { title: "SENDS" },
  { title: "WHAT IT DOES", flexible: true },
  { title: "FROM" },
] as const;
/** One of so many columns, or a pipe. */
function terminal(columns?: number) {
  return testIo(columns === undefined ? {} : { tty: true, columns });
}
const ROWS = [
  ["browser.page.screenshot", "destructive", "nothing", "Makes a picture of a page as it is now", "built-in"],
  ["a.b", "read", "to others", "Does 日本語 things", "workspace"],
];

test("a table without a width is not cut", () => {
  expect(table(terminal(), COLUMNS, ROWS)).toContain(
    "browser.page.screenshot  destructive  nothing    Makes a picture of a page as it is now  built-in\n",
  );
});

test.each([20, 40, 60, 80, 100])("no line is wider than a terminal of %i columns", (width) => {
  const lines = table(terminal(width), COLUMNS, ROWS).trimEnd().split("\n");
  for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
});

test("the flexible column gives way first, then the widest of the others, and what a row is called by last", () => {
  expect(table(terminal(80), COLUMNS, ROWS).split("\n")[1]).toBe(
    "browser.page.screenshot  destructive  nothing    Makes a picture of…   built-in",
  );
  expect(table(terminal(64), COLUMNS, ROWS).split("\n")[1]).toBe(
    "browser.page.screenshot  destru…  nothing  Makes a pic…  built-…",
  );
  expect(table(terminal(50), COLUMNS, ROWS).split("\n")[1]).toMatch(
    /^browser\.…  destru…  nothing  Makes a pic…  built-…$/,
  );
});
