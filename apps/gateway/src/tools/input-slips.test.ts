import { expect, test } from "vitest";
import { withoutSlips } from "./input-slips.ts";

const labels = {
  egress: "none",
  critical: ["amount"],
  content: [],
  time: ["at"],
  ids: { to: "account" },
} as const;
const type = (name: string) => ({ type: name });
const input = {
  type: "object",
  properties: {
    amount: type("number"),
    at: type("integer"),
    to: type("integer"),
    depth: type("integer"),
    share: type("number"),
    hidden: type("boolean"),
    path: type("string"),
  },
};
const mended = (value: unknown) => withoutSlips(value, { input, labels: labels as never });

test("numbers and truth values that were written as text are read as what they are", () => {
  expect(mended({ depth: "3", share: " 0.5 ", hidden: "true", path: "3" })).toEqual({
    depth: 3,
    share: 0.5,
    hidden: true,
    path: "3",
  });
});

test.each(["1e3", "0x10", "03", "1,000", "three", "", "9999999999999999", "Infinity"])(
  "%j is no number that anybody can be sure of",
  (depth) => {
    expect(mended({ depth })).toBeUndefined();
  },
);

test("what decides on a call is never changed", () => {
  expect(mended({ amount: "40", at: "9", to: "7" })).toBeUndefined();
  expect(mended({ amount: "40", depth: "3" })).toEqual({ amount: "40", depth: 3 });
  expect(
    withoutSlips({ depth: "3" }, { input, labels: { ...labels, critical: ["*"] } as never }),
  ).toBeUndefined();
  expect(mended({ __proto__: "3", other: "3" })).toBeUndefined();
});
