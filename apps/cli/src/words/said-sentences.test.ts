import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GERMAN_FAILURES } from "@elwood/core/base/german-failures";
import { GERMAN_SENTENCES } from "@elwood/core/base/german-sentences";
import { failureIn, sentencesIn } from "@elwood/core/base/sentences";
import { sentencesBy } from "@elwood/core/base/sentences-by";
import { describe, expect, test } from "vitest";
import { GERMAN_CLI_FAILURES } from "./german-failures.ts";
import { GERMAN_CLI_SENTENCES } from "./german-sentences.ts";
import { failureSentences, findingSentences, reasonSentences } from "./said-sentences.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const CODE = ["packages", "apps/gateway", "apps/cli", "integrations", "channels"];

/** What stands beside these is for whoever writes a program, or says that Elwood itself has a fault. */
const FOR_PROGRAMS =
  /^(?:apps\/gateway\/src\/(?:server|assistants|hooks|actions|methods)|packages\/(?:store-sqlite|sdk|runtime\/src\/actions)|apps\/cli\/src\/tools-own-command)\b/;
/** Where what Health shows is said, and what commands do that people regret. */
const FINDINGS = /^src\/(?:doctor\/|web\/search-service|browser\/browser-unavailable)|^shell\/dangerous/;
/** Said to a model. */
const NOT_SAID = new Set(["Answer in one word."]);

/** How many of those a German reads by their reason, with the English behind it. Less is fine, more is not. */
const FALLBACKS_MAX = 98;

const failures = sentencesBy({ ...GERMAN_FAILURES, ...GERMAN_CLI_FAILURES });
const table = {
  ...GERMAN_SENTENCES,
  sentences: [...GERMAN_CLI_SENTENCES, ...GERMAN_SENTENCES.sentences],
  failures,
};

const said = new Map<string, string>();
for (const name of readdirSync(join(ROOT, "integrations"))) {
  const manifest = join(ROOT, "integrations", name, "manifest.json");
  if (!existsSync(manifest)) continue;
  const { summary, can } = JSON.parse(readFileSync(manifest, "utf8")) as { summary: string; can: string[] };
  for (const each of [summary, ...can]) said.set(each, manifest);
}
for (const root of CODE)
  for (const name of readdirSync(join(ROOT, root), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts") || /\.(?:test|d)\.ts$|(?:^|\/)(?:node_modules|dist|testkit|test-)/.test(name))
      continue;
    const code = readFileSync(join(ROOT, root, name), "utf8");
    const sentences = FINDINGS.test(name) ? findingSentences(code) : [];
    for (const each of [...failureSentences(code), ...reasonSentences(code), ...sentences])
      said.set(each, `${root}/${name}`);
    // What a screen reader is told on the page.
    for (const each of announced(code)) said.set(each, `announced by ${root}/${name}`);
  }

/** The whole sentences among the words of each announcement. */
function announced(code: string): string[] {
  return [...code.matchAll(/\bannounce\(([^;]*)\);/g)].flatMap(([, words = ""]) =>
    [...words.matchAll(/["`]([^"`$]*?\.)(?=["` ])/g)].map(([, sentence = ""]) => sentence),
  );
}

const sampleOf = (sentence: string) => sentence.replaceAll(/\{(\d)\}/g, "7$1").replace(/(\d)$/, "$1.");
const fallsBack = (sentence: string) => {
  const sample = sampleOf(sentence);
  return failureIn(table, "NOT_FOUND", sample).endsWith(`(${sample})`);
};
const english = [...said].filter(([sentence]) => !NOT_SAID.has(sentence) && fallsBack(sentence));

test("what is said aloud is found, and said in German", () => {
  const aloud = [...said].filter(([, file]) => file.startsWith("announced")).map(([sentence]) => sentence);
  expect(aloud.toSorted()).toEqual([
    "Approval needed.",
    "Elwood is writing.",
    "Reply ready.",
    "The reply failed.",
  ]);
  for (const sentence of aloud) expect(sentencesIn(table, sentence)).not.toBe(sentence);
});

describe("what failures and findings say", () => {
  test("is there in German, wherever an owner can meet it on the page or in the terminal", () => {
    expect(said.size).toBeGreaterThan(900);
    expect(english.filter(([, file]) => !FOR_PROGRAMS.test(file))).toEqual([]);
  });

  test("falls back to English only for programs, and for no more sentences than before", () => {
    expect(english.length, english.map((each) => each.join("  ")).join("\n")).toBeLessThanOrEqual(
      FALLBACKS_MAX,
    );
  });

  test("is in no table any more once nobody says it", () => {
    const samples = [...said.keys()].map(sampleOf);
    const stale = failures.filter(([sentence]) => !samples.some((sample) => sentence.test(sample)));
    expect(stale.map(([sentence]) => sentence.source)).toEqual([]);
  });

  test("has the same places in German, no English left in it, and one table", () => {
    const places = (text: string) => [...new Set(text.match(/\{\d\}/g))].toSorted();
    for (const [sentence, german] of [
      ...Object.entries(GERMAN_FAILURES),
      ...Object.entries(GERMAN_CLI_FAILURES),
    ]) {
      expect(places(german), sentence).toEqual(places(sentence));
      expect(german, sentence).not.toMatch(/\b(?:the|you|your|is|not|this)\b/i);
    }
    expect(Object.keys(GERMAN_CLI_FAILURES).filter((sentence) => sentence in GERMAN_FAILURES)).toEqual([]);
  });
});

test("a failure is told whole, with its values, its reason and the list below it", () => {
  const told = (message: string) => failureIn(table, "CONFLICT", message);
  expect(told('The job "$1 & {0}" was removed meanwhile. Nothing was changed.')).toBe(
    "Der Auftrag „$1 & {0}“ wurde inzwischen entfernt. Nichts wurde geändert.",
  );
  expect(told("This call can only be allowed once: Chained commands always ask. Nothing was decided.")).toBe(
    "Dieser Aufruf kann nur einmal erlaubt werden: Verkettete Befehle fragen immer. Nichts wurde entschieden.",
  );
  expect(told('"a" fits 2 sessions; write more of its key:\n  abc  Try again.txt\n  abd')).toBe(
    "„a“ passt auf 2 Sitzungen; schreibe mehr vom Schlüssel:\n  abc  Try again.txt\n  abd",
  );
  expect(told("The tenant a has used $3 today. The moon is full.")).toBe(
    "Das geht gerade nicht. (The tenant a has used $3 today. The moon is full.)",
  );
});

test("sentences are found wherever a file keeps them", () => {
  const code = `
    const GONE = "It is gone.";
    function why(n) { return n > 1 ? "Too many." : \`Only \${n} fit.\`; }
    function f(a) { const end = "Nothing was done."; fail("X", \`\${why(1)} \${end} \${a}\`); failure("Y", GONE); }
    fail("Z", \`It broke: \${a.message} Try again.\`);`;
  expect(failureSentences(code)).toEqual([
    "Too many.",
    "Nothing was done.",
    "Only {0} fit.",
    "It is gone.",
    "It broke: {0}",
    "Try again.",
  ]);
});

test("why something asks is found beside its rule, by whatever makes it", () => {
  const code = `
    const WHY = "It is new.";
    function ask(rule, reason) { return { kind: "ask", rule, reason }; }
    const facts = [ask("ask.a", \`\${name} runs others.\`), { kind: "deny", rule: "hard.b", reason: WHY }];
    const other = { reason: "No rule says so." };
    verdict("allow", "c", 3, n > 1 ? "Many do." : "One does.");`;
  expect(reasonSentences(code)).toEqual(["{0} runs others.", "It is new.", "Many do.", "One does."]);
});

test("the policy's reasons are told in German, the owner's rules by what they do", () => {
  const told = (reason: string) => sentencesIn(table, reason);
  expect(
    told("Commands that need a shell always ask; this one has “|”. It runs what it downloads, unseen."),
  ).toBe(
    "Befehle, die eine Shell brauchen, fragen immer; dieser hat “|”. Es führt ungesehen aus, was es herunterlädt.",
  );
  expect(told("python3 runs whatever program it is given, so it asks every time.")).toBe(
    "python3 führt jedes Programm aus, das es bekommt, und fragt deshalb jedes Mal.",
  );
  expect(told("Your rule at config.yaml:3 denies every tool.")).toBe(
    "Deine Regel bei config.yaml:3 verbietet jedes Werkzeug.",
  );
});
