import { expect, test } from "vitest";
import { isBareYes } from "./respond.ts";

test("a yes alone is one, in whatever case, punctuation and language", () => {
  for (const text of [
    "yes",
    "Yes!",
    " OK. ",
    "ok, go",
    "ja",
    "Oui !",
    "sí",
    "да",
    "はい。",
    "👍",
    "go ahead",
  ])
    expect(isBareYes(text), text).toBe(true);
});

test("a message that says more, or something else, is not", () => {
  for (const text of ["yes, but call it b.txt", "no", "ok why?", "jam", "Yesterday", "", "?", "do it later"])
    expect(isBareYes(text), text).toBe(false);
});
