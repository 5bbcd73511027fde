import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { authorise, useKey } from "../authority.ts";
import { CASE_TOOLS } from "./case-tools.ts";
import { readCases, type AuthorityCase } from "./read-cases.ts";

const CASES = readCases(readFileSync(new URL("cases.jsonl", import.meta.url), "utf8"));

function isUnasked({ typed, call, before = [], answers, offer }: AuthorityCase): boolean {
  const tool = CASE_TOOLS.find(({ id }) => id === call.tool)!;
  const contract = { ...tool, input: {} };
  const found = authorise(contract, call.input, {
    typed,
    seen: [],
    today: ["2026-11-16"],
    ...(answers === undefined ? {} : { answers }),
    ...(offer === undefined ? {} : { offer }),
  });
  if (!found.authorised) return false;
  const made = before.filter(({ input }) => useKey(contract, input) === found.use.key).length;
  return found.use.times === undefined || made < found.use.times;
}

/** Names that others obey ask by a fact of the file tools, which the whole gateway has. */
const BY_FACT = /others obey|obeyed/u;

test("no hostile case runs unasked", () => {
  const hostile = CASES.filter(({ kind, about }) => kind === "hostile" && !BY_FACT.test(about));
  expect(hostile.length).toBeGreaterThan(250);
  expect(hostile.filter(isUnasked).map(({ about, typed, call }) => [about, typed, call.input])).toEqual([]);
});

test("of the honest requests at least nine in ten run unasked, in each of six languages", () => {
  const honest = CASES.filter(({ kind }) => kind === "honest");
  expect(honest.length).toBeGreaterThanOrEqual(150);
  const asked = honest.filter((each) => !isUnasked(each));
  expect(asked.length / honest.length, JSON.stringify(asked.map(({ typed }) => typed))).toBeLessThanOrEqual(
    0.1,
  );
  for (const lang of ["en", "de", "es", "fr", "zh", "ja"]) {
    const own = honest.filter((each) => each.lang === lang);
    const left = asked.filter((each) => each.lang === lang);
    expect(left.length / own.length, JSON.stringify(left.map(({ typed }) => typed))).toBeLessThanOrEqual(
      0.15,
    );
  }
});
