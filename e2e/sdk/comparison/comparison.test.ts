import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const SDKS = ["elwood", "openai", "aisdk", "mastra", "claude"];

test("the lines that the comparison names are those of its programs", () => {
  const page = readFileSync(join(ROOT, "docs/sdk-comparison.md"), "utf8");
  const rows = page.split("\n").filter((line) => /^\| \d\. /.test(line));
  expect(rows).toHaveLength(5);
  rows.forEach((row, at) => {
    const told = row.split("|").slice(2, -1);
    expect(told.map((cell) => cell.trim()).filter((cell) => /^\d+$/.test(cell))).toEqual(
      SDKS.map((sdk) => linesOf(`${sdk}-${at + 1}`)).filter((lines) => lines !== undefined),
    );
  });
});

function linesOf(name: string): string | undefined {
  const path = [".ts", ".ts.txt"].map((end) => join(import.meta.dirname, name + end)).find(existsSync);
  if (path === undefined) return undefined;
  const lines = readFileSync(path, "utf8").split("\n");
  return String(lines.filter((line) => line.trim() !== "").length);
}
