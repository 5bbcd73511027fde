import { expect, test } from "vitest";
import { fill, fillIn } from "./fill.ts";

test("values stand in their places, in whatever order a language has them", () => {
  expect(fill("{0} of {1}", 2, 5)).toBe("2 of 5");
  expect(fill("Von {1} sind {0} da; {1} braucht es.", 2, 5)).toBe("Von 5 sind 2 da; 5 braucht es.");
});

test("a value that looks like a place is no place", () => {
  expect(fill("{0} and {1}", "{1}", "$&")).toBe("{1} and $&");
});

test("markup keeps its place between the words", () => {
  const link = { markup: true };
  expect(fillIn("See {0}.", link)).toEqual(["See ", link, "."]);
  expect(fillIn("{0}", link)).toEqual(["", link, ""]);
});
