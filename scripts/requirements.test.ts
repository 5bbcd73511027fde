import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles } from "./project-files.ts";
import { isTest } from "./tidy.ts";

const root = join(import.meta.dirname, "..");
const listed = idsListed(readFileSync(join(root, "docs/requirements.md"), "utf8"));
const tests = projectFiles(root).filter(
  ({ path }) => isTest(path) && path !== "scripts/requirements.test.ts",
);

/** The ids that have a line of their own. */
function idsListed(document: string): string[] {
  return [...document.matchAll(/^- \*\*((?:OA|EL|AC|SD|JV)-\d+)\*\* \S/gm)].map((match) => match[1]!);
}

/** The ids at the start of the title of a test or of a group of tests: one, or several side by side. */
function idsQuoted(source: string): string[] {
  const titles = source.matchAll(/["'`]((?:(?:OA|EL|AC|SD|JV)-\d+(?:,? )?)+):/g);
  return [...titles].flatMap((match) => match[1]!.split(/,? /));
}

test("every requirement of the five designs has a line, in order and once", () => {
  const counts = { OA: 14, EL: 20, AC: 17, SD: 5, JV: 12 };
  const expected = Object.entries(counts).flatMap(([prefix, count]) =>
    Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`),
  );
  expect(listed).toEqual(expected);
});

test("every id that a test quotes is a requirement", () => {
  const strangers = tests.flatMap(({ path, text }) =>
    idsQuoted(text)
      .filter((id) => !listed.includes(id))
      .map((id) => `${path} quotes ${id}`),
  );
  expect(strangers).toEqual([]);
  const quoted = new Set(tests.flatMap(({ text }) => idsQuoted(text)));
  const shown = listed.filter((id) => quoted.has(id));
  console.log(`Requirements quoted by tests, ${shown.length} of ${listed.length}: ${shown.join(" ")}`);
});

test("ids are found in titles, one or several, and nowhere else", () => {
  const id = (text: string) => ["EL", text].join("-");
  expect(
    idsQuoted(
      `test("${id("4")}: one"); describe('${id("5")}, ${id("6")}: two', f); test("${id("9")} ${id("10")}: two", f);`,
    ),
  ).toEqual([id("4"), id("5"), id("6"), id("9"), id("10")]);
  expect(idsQuoted(`// ${id("7")}: a comment\nconst x = "about ${id("8")}";`)).toEqual([]);
});
