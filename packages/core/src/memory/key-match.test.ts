import { expect, test } from "vitest";
import { keyMatcher } from "./key-match.ts";
import { queryWords } from "./query-words.ts";

const match = (question: string, key: string) => keyMatcher(queryWords(question).words, question)(key);

test.each([
  ["car", "car"],
  ["Which cars do I have?", "car"],
  ["When is Ada's birthday?", "ada-birthday"],
  ["birthday", "ada_birthday.2026"],
  ["Wie heißt das Café?", "cafe-liste"],
  ["größe", "größe-schuhe"],
  ["Какую машину я вожу?", "машина"],
  ["Πού είναι το αυτοκίνητό μου;", "αυτοκίνητο"],
  ["誕生日はいつですか", "誕生日"],
  ["誕生日はいつですか", "母の誕生日"],
  ["妈妈的生日是哪天?", "生日"],
  ["생일이 언제야?", "생일-선물"],
  ["車", "車"],
  ["車は何色ですか", "車"],
])("%s is found in the key %s", (question, key) => {
  expect(match(question, key)).toBeDefined();
});

test.each([
  ["card", "carpet"],
  ["What is for dinner?", "car"],
  ["Где мои книги?", "машина"],
  ["банк", "баня"],
  ["天気はどうですか", "誕生日"],
  ["大家好", "家"],
  ["", "car"],
])("%s is not found in the key %s", (question, key) => {
  expect(match(question, key)).toBeUndefined();
});

test("says which of the words the key holds", () => {
  expect(match("Tell me about the birthday party of Ada", "ada-birthday")?.words).toHaveLength(2);
});
