import { expect, test } from "vitest";
import { csvRows } from "./csv.ts";

test("cells are split at the sign that the first line has, and quotes keep commas, quotes and lines together", () => {
  expect(csvRows('name,words\r\n"Ada, Countess","said ""hi""\nand went"\n').rows).toEqual([
    ["name", "words"],
    ["Ada, Countess", 'said "hi"\nand went'],
  ]);
  expect(csvRows("Name;Betrag\nMüller;1,50").rows).toEqual([
    ["Name", "Betrag"],
    ["Müller", "1,50"],
  ]);
  expect(csvRows("a\tb\n1\t2").rows).toEqual([
    ["a", "b"],
    ["1", "2"],
  ]);
});

test("a long file and a wide one are cut, and say so", () => {
  const long = csvRows("1,2\n".repeat(2_000));
  expect(long.rows).toHaveLength(500);
  expect(long.cut).toBe(true);
  const wide = csvRows(`${"x,".repeat(100)}x`);
  expect(wide.rows[0]).toHaveLength(40);
  expect(wide.cut).toBe(true);
  expect(csvRows("a,b\n").cut).toBe(false);
});

test("a quote that is never closed takes the rest, and an empty file has no rows", () => {
  expect(csvRows('"open,1\n2').rows).toEqual([["open,1\n2"]]);
  expect(csvRows("").rows).toEqual([]);
});
