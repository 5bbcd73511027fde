import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

describe("RFC 8785", () => {
  test("keys are sorted by UTF-16 code units", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect(Object.keys(JSON.parse(canonicalJson(value)) as object)).toEqual([
      "1",
      "\r",
      "\u0080",
      "\u00f6",
      "\u20ac",
      "\ud83d\ude00",
      "\ufb33",
    ]);
    expect(canonicalJson({ b: 1, a: { d: [3, { z: 1, y: 2 }], c: null } })).toBe(
      '{"a":{"c":null,"d":[3,{"y":2,"z":1}]},"b":1}',
    );
  });

  test("numbers are written as ECMAScript writes them", () => {
    const numbers = [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001];
    expect(canonicalJson(numbers)).toBe("[333333333.3333333,1e+30,4.5,0.002,1e-27]");
    expect(canonicalJson([0, -0, 5e-324, 1.7976931348623157e308, 9007199254740992, 1e21, 1e-7])).toBe(
      "[0,0,5e-324,1.7976931348623157e+308,9007199254740992,1e+21,1e-7]",
    );
  });

  test("text is escaped where it must be and nowhere else", () => {
    const text = "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\u002f";
    expect(canonicalJson(text)).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
    expect(canonicalJson("\b\t\f\r\u0000\u001f\u007f\u2028")).toBe(
      '"\\b\\t\\f\\r\\u0000\\u001f\u007f\u2028"',
    );
    expect(canonicalJson([null, true, false])).toBe("[null,true,false]");
    expect(canonicalJson({})).toBe("{}");
  });
});

test.each<[string, unknown]>([
  ["NaN", Number.NaN],
  ["infinity", Number.POSITIVE_INFINITY],
  ["negative infinity, deep inside", { a: [Number.NEGATIVE_INFINITY] }],
  ["a lone surrogate", "\ud800"],
  ["a lone surrogate as a key", { "\udc00": 1 }],
  ["undefined", undefined],
  ["undefined in a list", [1, undefined]],
  ["a function", () => 1],
  ["a symbol", Symbol("x")],
  ["a bigint", 1n],
  ["a date", new Date(0)],
  ["a map", new Map()],
  ["bytes", new Uint8Array(1)],
  ["an instance", new Error("x")],
])("%s is refused, never dropped or changed", (_, value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});

test("a hole in a list is refused like undefined", () => {
  const list: number[] = [1];
  list[2] = 3;
  expect(() => canonicalJson(list)).toThrow(TypeError);
});

test("a value that contains itself, or is nested without end, is refused", () => {
  const self: Record<string, unknown> = {};
  self["self"] = self;
  expect(() => canonicalJson(self)).toThrow(/nested too deeply/);
});

test("a field set to undefined is the same as an absent one", () => {
  expect(canonicalJson({ a: undefined, b: 1 })).toBe(canonicalJson({ b: 1 }));
});

test("for any JSON value: parsing gives it back, writing again gives the same text, order of keys is no matter", () => {
  const json = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(canonicalJson(turned(value))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("for any text and any number: the text is that of JSON.stringify", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (s, n) => {
        expect(canonicalJson([s, n])).toBe(JSON.stringify([s, n]));
      },
    ),
  );
});

/** The same value with the keys of every object in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]): [string, unknown] => [key, turned(member)])
      .toReversed(),
  );
}
