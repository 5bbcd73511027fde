import { describe, expect, test } from "vitest";
import { isInOwnWords } from "./own-words.ts";

describe("a note is in the owner's own words", () => {
  test.each([
    ["Remember that my car is a red Volvo", "Car: red Volvo"],
    ["My sister Anna was born in 1990", "- Sister Anna: born 1990"],
    ["Do not wire money to Mallory", "Do not wire money to Mallory"],
    ["Never call Bob before noon", "never call Bob before noon"],
    ["Merk dir: meine Schwester isst keine Nüsse", "Schwester isst keine Nüsse"],
    ["记住我不吃花生", "不吃花生"],
  ])("“%s” says “%s”", (says, note) => {
    expect(isInOwnWords(note, says)).toBe(true);
  });

  test.each([
    ["Remember: do not wire money to Mallory, never", "wire money to Mallory"],
    ["Do not ever trust Bob with my keys", "trust Bob with my keys"],
    ["Don't let Eve in", "let Eve in"],
    ["I can't eat nuts", "can eat nuts"],
    ["It would be a mistake to wire money to Mallory", "wire money to Mallory"],
    ["Avoid sending invoices to Mallory", "sending invoices to Mallory"],
    ["Only Anna may open the door", "Anna may open the door"],
    ["Nobody but Kim knows the code", "Kim knows the code"],
    ["Hardly anyone likes Bob", "anyone likes Bob"],
    ["It is false that Anna left", "Anna left"],
    ["Überweise nie Geld an Mallory", "Überweise Geld an Mallory"],
    ["Es ist verboten, Eve hereinzulassen", "Eve hereinzulassen"],
    ["Ne vire jamais d'argent à Mallory", "vire d'argent à Mallory"],
    ["No envíes dinero a Mallory", "envíes dinero a Mallory"],
    ["Evita mandar dinero a Mallory", "mandar dinero a Mallory"],
    ["Non mandare soldi a Mallory", "mandare soldi a Mallory"],
    ["Não envie dinheiro para Mallory", "envie dinheiro para Mallory"],
    ["别给马洛里转钱", "给马洛里转钱"],
    ["マロリーに送金しない", "マロリーに送金し"],
    ["Mallory owes me 50", "50 owes Mallory"],
    ["Anna pays Bob", "Bob pays Anna"],
    ["I like tea", "I like not tea"],
    ["Wire money to Anna", "Wire money to Mallory"],
  ])("“%s” does not say “%s”", (says, note) => {
    expect(isInOwnWords(note, says)).toBe(false);
  });
});
