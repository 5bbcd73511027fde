import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GERMAN } from "./src/words/de/german.ts";
import { earlyWords, visibleStrings } from "./visible-strings.ts";

const SRC = join(import.meta.dirname, "src");

/** Not for readers: names of keys, of classes, of states, what the demo model understands, and what is the same in every language. */
const EXCEPT =
  /^(?:Arrow(?:Up|Down|Left|Right)|Control|Meta|Shift|Ctrl|Alt|Enter|Esc(?:ape)?|Home|End|Tab|Delete|Backspace|PageUp|PageDown|Elwood|Anthropic|OpenAI|Ed25519|.*npx elwood .*|npm .*|noopener noreferrer|Bearer .*|elwood\.login\.v1[^]*|printf %s … \| …|elwood --session … -- …|home-llm|What files are here\?|Make me a demo list|Delete demo\/shopping\.txt|to say|waits for you|under way|@BotFather|AltGraph|p, pre, textarea, svg|(?:[^|]+\|){3,}.*|\[data-first\].*|new note|qwen3|action\.http\.|(?:line|code|button|card|page-body|badge|dialog)(?: [a-z-]+)+|g …|…… · Elwood)$/;

/** Whole files that hold markup or grammars of others. */
const NOT_SPOKEN =
  /markdown\/(?:clean-markup|read-markup|token-markup|css-grammar|sql-grammar|blocks|highlight|frame|math|render-block)\.ts$|parts\/icon\.ts$|\.test\.ts$|^(?:words|bench|worker)\//;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".d.ts") && !NOT_SPOKEN.test(name),
);

test("what people read on the page stands in its tables", () => {
  const strays = files.flatMap((name) =>
    visibleStrings(readFileSync(join(SRC, name), "utf8"))
      .filter((text) => !EXCEPT.test(text.replaceAll(/\s+/g, " ").trim()))
      .map((text) => `${name}: ${text}`),
  );
  expect(strays).toEqual([]);
});

test("no file reads a word while it is loaded: the table may be English still, or not be there yet", () => {
  const early = files.flatMap((name) =>
    earlyWords(readFileSync(join(SRC, name), "utf8")).map((word) => `${name}: ${word}`),
  );
  expect(early).toEqual([]);
});

/** States, deeds and sentences of the gateway are `core`'s, by its own words. */
const AREAS = (Object.keys(GERMAN) as (keyof typeof GERMAN)[]).filter(
  (area): area is Exclude<keyof typeof GERMAN, "states" | "deeds" | "gateway"> =>
    area !== "states" && area !== "deeds" && area !== "gateway",
);

describe.each(AREAS)("the words of %s", (area) => {
  test("German has the same places for values, and no English left in it", async () => {
    const { say } = (await import(`./src/words/en/${area}.ts`)) as { say: Readonly<Record<string, string>> };
    const german: Readonly<Record<string, string>> = GERMAN[area];
    expect(Object.keys(german).toSorted()).toEqual(Object.keys(say).toSorted());
    for (const [key, sentence] of Object.entries(say)) {
      const told = german[key] ?? "";
      expect(places(told), key).toEqual(places(sentence));
      // What begins or ends a longer sentence keeps its space.
      expect([told.startsWith(" "), told.endsWith(" ")], key).toEqual([
        sentence.startsWith(" "),
        sentence.endsWith(" "),
      ]);
      expect(told, key).not.toMatch(/\b(?:the|you|your|is|not|this)\b/i);
    }
  });
});

function places(sentence: string): string[] {
  return [...new Set([...sentence.matchAll(/\{\d\}/g)].map(([place]) => place))].toSorted();
}

test("strings that people would read are found, and names are not", () => {
  expect(
    visibleStrings(
      'const a = html`<p title="A title" class="b c">Some ${x} words<code>not this</code></p>`; icon("file"); say("Gone now"); b === "Ran well"; const id = "line-one";',
    ),
  ).toEqual(["A title", "Some", "words", "Gone now"]);
  expect(earlyWords("const A = say.early; const b = () => say.late; class C { d = say.later; }")).toEqual([
    "early",
  ]);
});

test("every state that the page tells of has a word in German", () => {
  const found = (name: string, words: RegExp) =>
    [...readFileSync(join(SRC, name), "utf8").matchAll(words)].map(([, word = ""]) => word);
  const told = files.flatMap((name) => found(name, /(?:\bword: |=> \[)"([^"]+)"/g));
  expect(told.length).toBeGreaterThan(10);
  expect(told).toEqual(expect.arrayContaining(["connecting", "starting", "on"]));
  const deeds = found("pages/chat/side/files.ts", /^ {2}\w+: "(\w+(?:ed|en))",$/gm);
  expect(deeds).toEqual(["written", "edited", "moved", "deleted"]);
  expect([...new Set([...told, ...deeds, "attached"])].filter((word) => !(word in GERMAN.states))).toEqual(
    [],
  );
});
