import { describe, expect, test } from "vitest";
import { allowsLoss, lossBetween, type Loss } from "./change-words.ts";

describe("what a change takes away", () => {
  test.each<[string, string, Loss | undefined]>([
    ["milk\neggs\n", "milk\neggs\nbread\n", undefined],
    ["milk, eggs", "- eggs\n- milk\n", undefined],
    ["milk eggs", "milk", "some"],
    ["before", "after", "some"],
    ["", "anything", undefined],
    ["\n", "", undefined],
    ["milk", "", "all"],
    ["milk", " \n", "all"],
    ["one two three four five six seven eight", "one two three four five", "some"],
    ["one two three four five six seven eight", "one two three", "most"],
    ["买牛奶买鸡蛋买面包吧", "买", "most"],
    ["a a a a a a a a", "a", "most"],
  ])("%j becomes %j: %s", (before, after, loss) => {
    expect(lossBetween(before, after)).toBe(loss);
  });

  test("a text that is too long to compare counts as mostly lost, unless nothing changes", () => {
    const long = "word ".repeat(500_000);
    expect(lossBetween(long, `${long}more`)).toBe("most");
    expect(lossBetween(long, long)).toBeUndefined();
  });
});

describe("what a clause lets go", () => {
  test.each<[string, Loss, boolean]>([
    ["Add eggs to todo.md", "some", false],
    ["Füge Eier zu todo.md hinzu", "some", false],
    ["Ajoute des œufs à todo.md", "some", false],
    ["Añade huevos a todo.md", "some", false],
    ["todo.mdに卵を追加して", "some", false],
    ["在todo.md里加上鸡蛋", "some", false],
    ["Change milk to oat milk in todo.md", "some", true],
    ["Add eggs to todo.md and remove milk", "some", true],
    ["Change milk to oat milk in todo.md", "most", false],
    ["Replace milk with eggs in todo.md", "most", false],
    ["Replace todo.md with an empty list", "most", true],
    ["Rewrite todo.md", "most", true],
    ["Überschreib todo.md mit Hallo", "most", true],
    ["Rewrite todo.md", "all", false],
    ["Clear todo.md", "all", true],
    ["Leere todo.md", "all", true],
    ["Vide todo.md", "all", true],
    ["清空todo.md", "all", true],
    ["Delete everything in todo.md", "all", true],
    ["Delete milk from todo.md", "all", false],
  ])("%j and %s: %s", (clause, loss, allowed) => {
    expect(allowsLoss(clause, loss)).toBe(allowed);
  });
});
