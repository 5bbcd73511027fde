import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ID_RANDOM_BYTES, type IdKind, isId, makeId, NAME_PATTERN } from "./ids.ts";

fc.configureGlobal({ seed: 20_261_115 });

const KINDS: readonly IdKind[] = ["session", "run", "call", "message", "token", "blob"];
const kind = fc.constantFrom(...KINDS);
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const random = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES });

describe("an id", () => {
  test("says what it names and is safe in file names, URLs and SQL", () => {
    fc.assert(
      fc.property(kind, time, random, (k, now, bytes) => {
        const id = makeId(k, now, bytes);
        expect(id).toMatch(/^[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}$/);
        expect(isId(k, id)).toBe(true);
        for (const other of KINDS) if (other !== k) expect(isId(other, id)).toBe(false);
      }),
    );
  });

  test("sorts by age, whatever its random part", () => {
    fc.assert(
      fc.property(time, time, random, random, (a, b, bytesA, bytesB) => {
        fc.pre(a < b);
        expect(makeId("run", a, bytesA) < makeId("run", b, bytesB)).toBe(true);
      }),
    );
  });

  test("keeps every one of its 80 random bits", () => {
    fc.assert(
      fc.property(random, fc.integer({ min: 0, max: 79 }), (bytes, bit) => {
        const flipped = Uint8Array.from(bytes);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        expect(makeId("run", 1, flipped)).not.toBe(makeId("run", 1, bytes));
      }),
    );
  });

  test("has a pinned form: ten characters of time, sixteen of chance", () => {
    expect(makeId("session", 0, new Uint8Array(10))).toBe("ses_00000000000000000000000000");
    expect(makeId("run", 1_700_000_000_000, new Uint8Array(10).fill(255))).toBe(
      "run_01hf7yat00zzzzzzzzzzzzzzzz",
    );
  });

  test("is not made from too little chance, or from no time", () => {
    expect(() => makeId("run", 1, new Uint8Array(9))).toThrow("random");
    for (const now of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => makeId("run", now, new Uint8Array(10))).toThrow("time");
    }
  });
});

test.each([
  "",
  "run_",
  "run_01HF7YAT00ZZZZZZZZZZZZZZZZ",
  "run_01hf7yat00zzzzzzzzzzzzzzzi",
  "run_01hf7yat00zzzzzzzzzzzzzzzz\n",
])("isId refuses %j", (text) => {
  expect(isId("run", text)).toBe(false);
});

test.each([
  ["assistant", true],
  ["a-b_2", true],
  ["", false],
  ["..", false],
  ["a/b", false],
  ["-a", false],
  ["Assistant", false],
  ["a".repeat(64), true],
  ["a".repeat(65), false],
])("a name that becomes a folder: %j is fit: %s", (name, fit) => {
  expect(NAME_PATTERN.test(name)).toBe(fit);
});
