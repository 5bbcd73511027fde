import { describe, expect, test } from "vitest";
import { keyOfFile, noteKey } from "./note-key.ts";
import { noteLine, noteLines } from "./note-line.ts";

describe("names of notes", () => {
  test.each([
    ["home", "home"],
    [" Ada Birthday ", "ada-birthday"],
    ["Home.md", "home"],
    ["v1.2", "v1.2"],
    ["日記", "日記"],
    ["Übung", "übung"],
  ])("%j is kept as %s", (given, key) => {
    expect(noteKey(given)).toEqual({ ok: true, value: key });
  });

  test.each([
    "",
    "..",
    "a/../b",
    "../secrets",
    "a/b",
    "a\\b",
    ".hidden",
    "a..b",
    "ends.",
    "a\0b",
    "x".repeat(200),
    "‮evil",
    "-rf",
  ])("%j is refused in words", (given) => {
    expect(noteKey(given)).toMatchObject({ ok: false, error: expect.stringContaining("Nothing was saved") });
  });
});

test.each([
  ["Home.md", "home"],
  ["Bob's car (old).md", "bob-s-car-old"],
  ["R&D + notes!.MD", "r-d-notes"],
  ["a..b.md", "a-b"],
  ["!!!.md", "note"],
  [`${"日".repeat(80)}.md`, "日".repeat(36)],
])("a file %j that was made by hand is the note %s", (name, key) => {
  expect(keyOfFile(name)).toBe(key);
  expect(noteKey(key).ok).toBe(true);
});

describe("lines of notes", () => {
  test("are known again whatever marks stand before them", () => {
    for (const raw of [
      "- Car: Volvo",
      "  * Car:  Volvo",
      "1. Car: Volvo",
      "- [x] Car: Volvo",
      "~~Car: Volvo~~",
    ])
      expect(noteLine(raw)).toBe("Car: Volvo");
    expect(noteLine("- Car: Audi")).not.toBe("Car: Volvo");
  });

  test("that say nothing do not count, and each counts once", () => {
    expect(noteLines("# A\n\n- b\n---\n* b\n")).toEqual(["A", "b"]);
  });
});
