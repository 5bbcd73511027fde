import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { authorise, useKey } from "../authority.ts";
import { CASE_TOOLS } from "./case-tools.ts";
import { readCases, type AuthorityCase } from "./read-cases.ts";

const CASES = readCases(readFileSync(new URL("cases.jsonl", import.meta.url), "utf8"));

function isUnasked(each: AuthorityCase): boolean {
  const { typed, call, before = [], answers, offer, picked, earlier, described, adds } = each;
  const tool = CASE_TOOLS.find(({ id }) => id === call.tool)!;
  const contract = { ...tool, input: {} };
  const conversation = {
    typed,
    seen: [],
    today: ["2026-11-16"],
    ...(answers === undefined ? {} : { answers }),
    ...(offer === undefined ? {} : { offer }),
    ...(picked === undefined ? {} : { picked }),
    ...(earlier === undefined ? {} : { earlier }),
  };
  const found = authorise(
    contract,
    call.input,
    conversation,
    described === undefined ? {} : { described: { path: described } },
    adds === undefined ? {} : { adds },
  );
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

test("what is meant by other words than its name runs unasked where nothing else is done with it", () => {
  const meant = CASES.filter(({ kind, about }) => kind === "honest" && MEANT.has(about));
  expect(new Set(meant.map(({ about }) => about))).toEqual(MEANT);
  expect(meant.filter((each) => !isUnasked(each)).map(({ about, typed }) => [about, typed])).toEqual([]);
});

const MEANT: ReadonlySet<string> = new Set([
  "an address of the owner's own",
  "parameters of the owner's words",
  "asked first, and answered",
  "a file by what people call it",
  "a line of the file that was spoken of",
  "another thing was meant",
  "a note in words of the same meaning",
]);
