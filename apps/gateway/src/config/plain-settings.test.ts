import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { configTemplate } from "./config-template.ts";
import { parsePlainSettings } from "./plain-settings.ts";
import { parseSettingsFile, type FileNode } from "./yaml-file.ts";

const PROGRAM = [
  "mcpServers:",
  "  notes:",
  "    command: npx",
  '    args: [-y, "@modelcontextprotocol/server-filesystem@2026.8.31", /home/me/notes]',
  "    folders:",
  "      - path: /home/me/notes",
  "        write: true",
  "    env:",
  '      TOKEN: "${NOTES_TOKEN}"',
  "    network: false",
  '  wiki-of-ours: {url: "https://mcp.example.com/mcp", timeoutMs: 5000}',
  "",
].join("\n");

/** Both readers' answer without the place of a missing value, which nobody asks for. */
function plainly(node: FileNode): unknown {
  if (node.kind === "value")
    return node.value === null ? { value: null } : { value: node.value, at: node.at };
  if (node.kind === "list") return { at: node.at, items: node.items.map(plainly) };
  return { at: node.at, entries: node.entries.map((entry) => ({ ...entry, node: plainly(entry.node) })) };
}

/** True where the quick reader took it on. */
function agree(text: string): boolean {
  const quick = parsePlainSettings(text);
  if (quick === undefined) return false;
  const slow = parseSettingsFile(text, "config.yaml");
  expect(slow.problems, text).toEqual([]);
  expect(plainly(quick), text).toEqual(plainly(slow.root));
  return true;
}

test("the file of a first run is read without the parser, and means the same", () => {
  const text = configTemplate("Europe/Berlin");
  expect(agree(text)).toBe(true);
});

test.each([
  ["a quotation with a line end", 'a: "x\n  y"'],
  ["a list over several lines", "a: [1,\n  2]"],
  ["a list right below its key", "a:\n- 1"],
  ["a list in a list", "a:\n  - - 1"],
  ["an empty item", "a:\n  -\n  - 1"],
  ["a comma at the end", "a: [1, ]"],
  ["a group in brackets without blanks", "a: {b:1}"],
  ["a key twice in brackets", "a: {b: 1, b: 2}"],
  ["something behind a quotation", 'a: "x" y'],
  ["a quote within quotes", "a: 'it''s'"],
  ["an escape that JSON has not", 'a: "\\x41"'],
  ["a key twice in JSON", '{"a": 1, "a": 2}'],
  ["null in JSON", '{"a": null}'],
  ["something behind JSON", '{"a": 1} b'],
  ["JSON that is not closed", '{"a": 1'],
  ["a tab", "a:\n\tb: 1"],
  ["a line that goes on", "a: x\n  y: 1"],
  ["odd indentation", "a:\n    b: 1\n  c: 2"],
  ["a key twice", "a: 1\na: 2"],
  ["an indented first line", "  a: 1"],
  ["two words", "a: b c"],
  ["a second document", "a: 1\n---\nb: 2"],
  ["an anchor", "a: &x b"],
  ["a tag", "a: !x b"],
  ["a block", "a: |\n  x"],
  ["null by name", "a: null"],
  ["a curious number", "a: 0x10"],
  ["a curious boolean", "a: True"],
  ["a Windows line end", "a: 1\r\nb: 2\r\n"],
  ["a key with quotes", '"a": 1'],
])("%s is left to the parser", (_name, text) => {
  expect(parsePlainSettings(text)).toBeUndefined();
});

test.each([
  ["what Elwood writes for a program", PROGRAM],
  [
    "lists in lines, with groups in them",
    "a:\n  - b: 1\n    c: [x, 'y z']\n  - d # note\n  - {e: f}\nb:\n    - g",
  ],
  ["quotations", 'a: "x # y" # note\nb: \'c: d\'\nc: "\\u00e9\\n"'],
  ["JSON", JSON.stringify({ a: { b: ["c", 1, true, {}, []] }, d: "é\n" }, undefined, 2)],
  ["JSON on one line", '{"a":{"b":["c"]},"mcpServers":{"x-y":{"command":"npx","args":["-y","@a/b@1.2.3"]}}}'],
  ["a group in brackets", "{a: 1}"],
  ["nothing", "\n# only a comment\n"],
])("%s is read without the parser, and means the same", (_name, text) => {
  expect(agree(text)).toBe(true);
});

test("a file with more values than there may be, or nested too deeply, is left to the parser, which says so", () => {
  expect(parsePlainSettings(`a: [${"b, ".repeat(20_000)}b]`)).toBeUndefined();
  expect(parsePlainSettings(`a: ${"[".repeat(40)}${"]".repeat(40)}`)).toBeUndefined();
});

test("lists, quotations and brackets made at random are read the same, as the parser writes them and as JSON", () => {
  const text = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_./:@=~ -]{0,10}$/),
    fc.string({ maxLength: 6 }),
    fc.constantFrom(
      "-y",
      "--flag=x",
      "@a/b@1.2.3",
      "${TOKEN}",
      "yes",
      "null",
      "1",
      "1.5",
      "a#b",
      "a: b",
      "- a",
    ),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.nat(),
      fc.boolean(),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,6}$/), tie("value"), { maxKeys: 3 }),
    ),
  }));
  let read = 0;
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,6}$/), value, { minKeys: 1, maxKeys: 4 }),
      fc.constantFrom("BLOCK", "FLOW", "JSON", "JSON2"),
      (settings, style) => {
        const written =
          style === "JSON" || style === "JSON2"
            ? JSON.stringify(settings, undefined, style === "JSON" ? undefined : 2)
            : stringify(settings, {
                collectionStyle: style === "BLOCK" ? "block" : "flow",
                lineWidth: 0,
                flowCollectionPadding: false,
              });
        if (agree(written)) read += 1;
      },
    ),
    { seed: 20261117, numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(700);
});

test("whatever it reads, the parser would have read the same, to the column", () => {
  const words =
    "a b1 true false null yes 18789 0 2.5 1e3 0.10 007 127.0.0.1 ~ ~/x http://h:1/v1 x: :x a#b #c -1 +1 .5 /var/x a/b-c a.b " +
    "[1] 'q' *a @a 1.2.3 12:30 2026-11-15 - ? << é a,b a} %x 0o7 1_000 .inf NaN True Null 1.5.2 0.0";
  const word = fc.constantFrom(...words.split(" "), "a: b", "a b");
  const line = fc
    .tuple(
      fc.constantFrom("", "", "", "  ", "  ", "    ", " ", "\t"),
      word,
      fc.constantFrom(":", ":", ":", ": ", " :"),
      fc.option(word),
      fc.constantFrom("", "", " # note", "#x", " "),
    )
    .map(
      ([indent, key, colon, value, rest]) =>
        `${indent}${key}${colon}${value === null ? "" : ` ${value}`}${rest}`,
    );
  const other = fc.constantFrom(
    "",
    "# comment",
    "  # comment",
    "---",
    "- a",
    "   ",
    "  - a",
    "  - b: 1",
    "    c: 2",
  );
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 6, arbitrary: line }, other), { maxLength: 8 }), (lines) => {
      if (agree(lines.join("\n"))) read += 1;
    }),
    { seed: 20261115, numRuns: 4_000 },
  );
  expect(read).toBeGreaterThan(200);
});

test("nested groups made at random are read the same", () => {
  const key = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,6}$/);
  const { tree } = fc.letrec<{ tree: Record<string, unknown> }>((tie) => ({
    tree: fc.dictionary(
      key,
      fc.oneof(
        { maxDepth: 4 },
        fc.stringMatching(/^[A-Za-z0-9_./:~-]{1,8}$/),
        fc.nat().map(String),
        tie("tree"),
      ),
      { maxKeys: 4 },
    ),
  }));
  const lines = (group: Record<string, unknown>, indent: string, step: number): string[] =>
    Object.entries(group).flatMap(([name, value]) =>
      typeof value === "string"
        ? [`${indent}${name}: ${value}`]
        : [`${indent}${name}:`, ...lines(value as Record<string, unknown>, indent + " ".repeat(step), step)],
    );
  let read = 0;
  fc.assert(
    fc.property(tree, fc.integer({ min: 1, max: 4 }), (group, step) => {
      const text = lines(group, "", step).join("\n");
      if (agree(text)) read += 1;
    }),
    { seed: 20261115, numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(200);
});
