import { expect, test } from "vitest";
import { saidCount } from "./values.ts";

test.each([
  ["Both messages went out.", "en", 2],
  ["All three lists are saved.", "en", 3],
  ["Convites enviados para os três 🎉", "pt", 3],
  ["Alle vier sind gelöscht.", "de", 4],
  ["Die Einladungen sind an alle vier.", "de", 4],
  ["Deux rappels effacés.", "fr", 2],
  ["Üç dosya silindi.", "tr", 3],
  ["Table for two minutes.", "en", 0],
  ["Moved to 3 May.", "en", 0],
])("how many things a sentence says were dealt with: %s", (sentence, language, count) => {
  expect(saidCount(sentence, language, false)).toBe(count);
});
