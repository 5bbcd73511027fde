import { expect, test } from "vitest";
import { confirmWord } from "./confirm-word.ts";

test.each([
  ["Delete notes/plan.md", "delete"],
  ["Forget the note clara, all of it (1 line)", "forget"],
  ["Run a command in files/", "run"],
  ["Move a.txt to b.txt", "move"],
  ["Yes is all you need to type", "allow"],
  ["text.words.count", "allow"],
])("%s is allowed by typing %s", (title, word) => {
  expect(confirmWord({ destructive: true, title })).toBe(word);
  expect(confirmWord({ destructive: false, title })).toBeUndefined();
});
