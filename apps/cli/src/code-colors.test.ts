import { expect, test } from "vitest";
import { CodeColors } from "./code-colors.ts";
import { paintFor } from "./paint.ts";
import { TerminalMarkdown } from "./terminal-markdown.ts";
import { testIo } from "./test-io.ts";

const SHORT: Readonly<Record<string, string>> = { magenta: "key", green: "str", yellow: "num", dim: "rem" };

/** The code with what is painted in angle brackets. */
function colored(language: string, ...lines: readonly string[]): string[] {
  const colors = CodeColors.of(`\`\`\`${language}`, (style, text) => `<${SHORT[style] ?? style} ${text}>`);
  return lines.map((line) => colors?.line(line) ?? "unknown");
}

test.each<[string, string, string]>([
  ["ts", 'const a = "x"; // why', '<key const> a = <str "x">; <rem // why>'],
  ["js", "return `${n} of` + 12.5", "<key return> <str `${n} of`> + <num 12.5>"],
  ["python", "def f(x): return 'a' # b", "<key def> f(x): <key return> <str 'a'> <rem # b>"],
  ["bash", "ls -la $HOME#1 'a b' # all", "ls <num -la> <cyan $HOME>#1 <str 'a b'> <rem # all>"],
  ["json", '{ "a": [1, "b", true] }', '{ <cyan "a">: [<num 1>, <str "b">, <key true>] }'],
  ["yaml", "- name: 'x' # one", "- <cyan name>: <str 'x'> <rem # one>"],
  ["go", "func f() { x := 'a' }", "<key func> f() { x := <str 'a'> }"],
  ["rust", "fn f<'a>(x: &'a str) { 'b' }", "<key fn> f<'a>(x: &'a str) { <str 'b'> }"],
  ["java", "@Override public int n = 3;", "<cyan @Override> <key public> <key int> n = <num 3>;"],
  ["css", "a { color: #fff; margin: 0.5rem }", "a { <cyan color>: <num #fff>; <cyan margin>: <num 0.5rem> }"],
  ["html", '<a href="x">it\'s "so"</a>', '<key <a> <cyan href>=<str "x"><key >>it\'s "so"<key </a><key >>'],
  ["SQL", "Select * from t -- all", "<key Select> * <key from> t <rem -- all>"],
  ["diff", "-old", "<red -old>"],
  ["diff", "+new", "<str +new>"],
  ["toml", 'a = "b"', '<cyan a> = <str "b">'],
  ["dockerfile", "FROM node:24 AS base", "<key FROM> node:24 <key AS> base"],
])("code in %s has its words, strings, numbers and comments in colours: %s", (language, line, shown) => {
  expect(colored(language, line)).toEqual([shown]);
});

test("a comment or a string that goes on in the next line keeps its colour", () => {
  expect(colored("ts", "a /* one", "return", "two */ b")).toEqual([
    "a <rem /* one>",
    "<rem return>",
    "<rem two */> b",
  ]);
  expect(colored("py", 'x = """a', 'if b""" if c')).toEqual(['x = <str """a>', '<str if b"""> <key if> c']);
});

test("a sign that nothing ends colours nothing, and a line that is too long stays plain", () => {
  expect(colored("js", "it's")).toEqual(["it's"]);
  const long = `return ${"'".repeat(2_000)}`;
  expect(colored("js", long, "return")).toEqual([long, "<key return>"]);
});

test("a language that is not known has no colours of its own", () => {
  expect(colored("brainfuck", "+")).toEqual(["unknown"]);
  expect(colored("", "+")).toEqual(["unknown"]);
});

/** An answer as it comes out on a terminal. */
function answered(text: string, env: Readonly<Record<string, string>>): string {
  let out = "";
  const io = testIo({ tty: true, env });
  const markdown = new TerminalMarkdown((piece) => (out += piece), { columns: 80, paint: paintFor(io) });
  // However it arrives.
  for (const character of text) markdown.write(character);
  markdown.end();
  return out;
}

test("an answer's block of code is coloured by its language, from the terminal's palette alone", () => {
  const text = '```js\nconst a = "x"; // 1\n```\nconst it is\n```\nconst b\n```\n';
  const out = answered(text, { NO_COLOR: "" });
  expect(out).toContain('\u001b[35mconst\u001b[39m a = \u001b[32m"x"\u001b[39m; \u001b[2m// 1\u001b[22m');
  expect(out).toContain("\nconst it is\n");
  expect(out).toContain("\u001b[36mconst b\u001b[39m");
  // oxlint-disable-next-line no-control-regex
  for (const [, code] of out.matchAll(/\u001b\[([\d;]*)m/g))
    expect(code).toMatch(/^(?:[0-9]|2[0-9]|3[1-9])$/);
  expect(answered(text, { NO_COLOR: "1" })).toBe(text);
});
