import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GERMAN_FAILURES } from "@elwood/core/base/german-failures";
import { GERMAN_SENTENCES } from "@elwood/core/base/german-sentences";
import { sentencesIn } from "@elwood/core/base/sentences";
import { expect, test } from "vitest";
import { GERMAN } from "./german.ts";
import { GERMAN_COMMANDS } from "./german-commands.ts";
import { GERMAN_CLI_FAILURES } from "./german-failures.ts";
import { GERMAN_HELP } from "./german-help.ts";
import { GERMAN_CLI_SENTENCES } from "./german-sentences.ts";
import { strayWords } from "./stray-words.ts";

const ROOT = join(import.meta.dirname, "..");

/** Languages that are coloured, and files written for systemd, launchd and shells: read by programs. */
const FOR_PROGRAMS = /^(?:code-colors|service-unit|completion\/scripts)\.ts$/;
/** Tables, and what only tests use. */
const NO_COMMAND = /^words\/|^chat\/(?:german-)?words\.ts$|(?:^|\/)test-|\.test\.ts$/;

/** No words, though they look like it. */
const NO_WORDS = [
  // What is to be typed, with values in it, and who to say it to.
  /^ *(?:elwood|\{0\}(?:\{1\})?) (?:auth|approvals|grants|sessions|jobs|tools|integrations) [a-z]/,
  /^(?:npx elwood|npm (?:install|test)\b.*|ssh -L .*|loginctl enable-linger|mcp serve|OWNER)$/,
  // Asked of a database, a server, the system or another program.
  /^(?:SELECT|PRAGMA) /,
  /^(?:POST|Bearer .*|SIG[A-Z]+|PATH|UTC|NFD|WEBP|NAME|confirm: true|elwood\.\{0\}|Library(?:\/LaunchAgents)?|Application Support)$/,
  // Names of programs, a unit, a key of the keyboard.
  /^(?:Elwood|Claude(?: Desktop| Code)?|Codex|OpenClaw|Esc|\{0\} [KM]B)$/,
  // A state of the code, or one that `service status --json` tells programs.
  /^(?:dry run|not installed|not loaded)$/,
  // Told to systemd.
  /^listening on \{0\}$/,
  // The help of the whole, which German has as `GERMAN_EXAMPLES`.
  /^\nExamples:\n {2}elwood up /,
  // For whoever writes a tool, as what the compiler says of it.
  /^write integration\.resource\.action, /,
  // Second words of commands.
  /^(?:add allow|logout logs|status stop) /,
];

const SENTENCES = { sentences: [...GERMAN_CLI_SENTENCES, ...GERMAN_SENTENCES.sentences] };
const tables = { ...GERMAN, ...GERMAN_COMMANDS, ...GERMAN_HELP };
const failures = [...Object.keys(GERMAN_FAILURES), ...Object.keys(GERMAN_CLI_FAILURES)];
const help = Object.keys(GERMAN_HELP);

/** Whether a table has it: whole, as the head or the blocks of a help text, or as sentences or a piece of a failure. */
function isInTable(text: string): boolean {
  if (text in tables || sentencesIn(SENTENCES, text) !== text) return true;
  if (help.some((block) => text.trim() === block || text.includes(`\n${block}`))) return true;
  const numbered = (part: string) => part.trim().replaceAll(/\{\d\}/g, "{}");
  return text
    .split(/(?<=[.!?]) (?=["“\p{Lu}])|(?<=\.)$/u)
    .map(numbered)
    .filter((part) => part !== "")
    .every((part) => failures.some((sentence) => numbered(sentence).includes(part)));
}

test("no command has words for people that stand in no table", () => {
  const stray = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !NO_COMMAND.test(name) && !FOR_PROGRAMS.test(name))
    .flatMap((name) => strayWords(readFileSync(join(ROOT, name), "utf8")).map((text) => ({ name, text })))
    .filter(({ text }) => !NO_WORDS.some((each) => each.test(text)) && !isInTable(text));
  expect(stray).toEqual([]);
});

test("words are found in what is written, asked and listed, and not in keys, paths and comparisons", () => {
  const code = `
    import x from "a name of a module";
    const KINDS: Readonly<Record<string, Sentence>> = { a: "In the table." };
    const OTHER = { a: "Stands in no table.", key: "files.file.write" };
    io.stdout.write(\`\${n} done\\n\`);
    io.stdout.write(\`\${say(io, "Said.")}\\n\`);
    await confirm(io, "Do it now?");
    if (kind === "not this one") table(io, [{ title: "NAME" }], rows);
    fail("NOT_FOUND", "Told elsewhere.");`;
  expect(strayWords(code)).toEqual(["Stands in no table.", "{0} done\n", "Do it now?"]);
});
