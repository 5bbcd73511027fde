import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keyMatcher, KeyTable } from "./key-match.ts";
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

test.each([
  ["Where does Clara live?", "clara", true],
  ["Is the code of the garage door still right?", "garage-door-code", true],
  ["the red bike", "bob-old-bike", false],
  ["Какую машину я вожу?", "машина", true],
  ["what do you know about the car?", "car", true],
  ["When was the oil of the car changed?", "car", true],
  [
    "Should we take the car or the train to Vienna on Saturday if it snows and Clara has luggage?",
    "car",
    false,
  ],
  [
    "Should we take the car or the train to Vienna on Saturday if it snows and Clara has luggage?",
    "clara",
    true,
  ],
  [
    "should we take the car or the train to vienna on saturday if it snows and clara has luggage?",
    "car",
    false,
  ],
  [
    "should we take the car or the train to vienna on saturday if it snows and clara has luggage?",
    "clara",
    true,
  ],
  [
    "Jonas has a fever and a cough, the doctor gives him antibiotics and sends him to bed, what else?",
    "jonas",
    true,
  ],
  [
    "Fahren wir am Samstag mit dem alten Auto nach Wien, wenn es schneit und Clara Gepäck hat?",
    "auto",
    false,
  ],
  [
    "Fahren wir am Samstag mit dem alten Auto nach Wien, wenn es schneit und Clara Gepäck hat?",
    "clara",
    true,
  ],
  ["Schmeckt das Essen Clara, wenn ich am Freitag Fisch mit Reis und Salat koche?", "clara", true],
  ["Wann war das Auto beim Service?", "auto", true],
  [
    "When does Ada celebrate her birthday, at home or in the restaurant near the station?",
    "ada-birthday",
    true,
  ],
])("says whether %s is about the note %s", (question, key, isNamed) => {
  expect(match(question, key)?.isNamed).toBe(isNamed);
});

test("all keys that hold some of the words are among those that may, in their order", () => {
  const words =
    `car Cars ada birthday birthdays go went gone X x a 7 2026 café größe grosse naïve running ran stories story
    машина машину банк αυτοκίνητό 誕生日 母の誕生日 家 tomatoes Straße İzmir ment es`.split(/\s+/);
  const some = (maxLength: number) => fc.array(fc.constantFrom(...words), { minLength: 1, maxLength });
  fc.assert(
    fc.property(fc.array(some(3), { maxLength: 12 }), some(6), (keys, asked) => {
      const notes = keys.map((parts, at) => ({ at, key: parts.join("-") }));
      const question = asked.join(" ");
      const sought = queryWords(question).words;
      const matches = keyMatcher(sought, question);
      const may = new KeyTable(notes).mayHold(sought);
      expect(may).toEqual(notes.filter((note) => may.includes(note)));
      expect(notes.filter(({ key }) => matches(key)).filter((note) => !may.includes(note))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test("keys whose words begin otherwise need no look", () => {
  const notes = ["car", "ada-birthday", "garden_2026"].map((key) => ({ key }));
  const keysFor = (question: string) =>
    new KeyTable(notes).mayHold(queryWords(question).words).map(({ key }) => key);
  expect(keysFor("What stands in the garden?")).toEqual(["garden_2026"]);
  expect(keysFor("cake for the birthday")).toEqual(["car", "ada-birthday"]);
  expect(keysFor("nothing of it")).toEqual([]);
});
