import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDER = new URL(".", import.meta.url);
const COMMENTS = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;
/** Three words in a row: what people read. Names, paths and keys have fewer. */
const SENTENCE = /(["`])(?:(?!\1)[^\n])*\p{L}{2,} \p{L}{2,} \p{L}{2,}(?:(?!\1)[^\n])*\1/gu;

test("every sentence of the chat stands in its table of words", () => {
  const files = readdirSync(FOLDER).filter(
    (name) => !/^(?:words|german-words|test-\w+)\.ts$|\.test\.ts$/.test(name),
  );
  const elsewhere = files.flatMap((name) => {
    const source = readFileSync(new URL(name, FOLDER), "utf8").replaceAll(COMMENTS, "");
    return [...source.matchAll(SENTENCE)].map(([found]) => `${name}: ${found}`);
  });
  expect(elsewhere).toEqual([]);
});
