import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { looksLikeSyntax, parseCommandLine } from "./command-line.ts";

const words = (line: string) => {
  const parsed = parseCommandLine(line);
  return parsed.kind === "argv" ? parsed.argv : parsed.because;
};

test("words, quotes and backslashes are read as a shell reads them", () => {
  expect(words(`git log  -n 5\t"two words" 'a "b" $c' d\\ e f"g"'h' ""`)).toEqual([
    "git",
    "log",
    "-n",
    "5",
    "two words",
    'a "b" $c',
    "d e",
    "fgh",
    "",
  ]);
  expect(words(String.raw`echo "a\"b\\c\d\$e"`)).toEqual(["echo", String.raw`a"b\c\d$e`]);
  expect(words("echo grüße 你好")).toEqual(["echo", "grüße", "你好"]);
  expect(words("   ")).toEqual([]);
  expect(words("'cd' x")).toContain("only a shell");
  expect(words("'if' x")).toEqual(["if", "x"]);
});

test("a word that a shell would read as more is known for one", () => {
  for (const word of [
    "*",
    "a?",
    "$x",
    "`x`",
    "a|b",
    "~",
    "~/x",
    "a\nb",
    "{a}",
    "#x",
    "!x",
    "a\\b",
    "x\u200b",
  ])
    expect(looksLikeSyntax(word), word).toBe(true);
  for (const word of ["a", "a~b", "HEAD~1", "a=b", "%H", "+x", "-x", "grüße", "a b"])
    expect(looksLikeSyntax(word), word).toBe(false);
});

/** What bash makes of the lines, in one process: as arguments, and as whole commands where no program is found. */
function bashWords(lines: readonly string[]): string[][] {
  const script = [`p() { printf '%s\\0' "$#" "$@"; }`, ...lines.map((line) => `p ${line}`)].join("\n");
  const { stdout } = spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", script], {
    encoding: "buffer",
    env: { PATH: "/nowhere", HOME: "/home/somebody", LC_ALL: "C.UTF-8" },
    cwd: "/",
  });
  return split(stdout);
}

function bashCommands(lines: readonly string[]): string[][] {
  const script = [`command_not_found_handle() { printf '%s\\0' "$#" "$@"; return 0; }`, ...lines].join("\n");
  const { stdout } = spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", script], {
    encoding: "buffer",
    env: { PATH: "/nowhere", HOME: "/home/somebody", LC_ALL: "C.UTF-8" },
    cwd: "/",
  });
  return split(stdout);
}

function split(stdout: Buffer): string[][] {
  const parts = stdout.toString("utf8").split("\0");
  parts.pop();
  const answers: string[][] = [];
  for (let i = 0; i < parts.length;) {
    const count = Number(parts[i]);
    answers.push(parts.slice(i + 1, i + 1 + count));
    i += 1 + count;
  }
  return answers;
}

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."abcxyzAZ019 _./:@%+,=^~-\"'\\\t".split("")) },
  { weight: 3, arbitrary: fc.constantFrom(...`$\`|&;<>()*?[]{}!#\n\r`.split("")) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "'a b'",
      '"a b"',
      '"$x"',
      "'$x'",
      '"\\$"',
      "~/",
      "=~",
      ":~",
      "if",
      "é",
      "世",
      "\u00a0",
      "''",
      '"!"',
      "a=",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 3 }) },
);
const line = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(""));

describe("a line that is taken without a shell", () => {
  test("has exactly the words that bash would have made of it", { timeout: 60_000 }, () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 20, maxLength: 60 }), (lines) => {
        const accepted = lines.filter((each) => parseCommandLine(each).kind === "argv");
        taken += accepted.length;
        expect(bashWords(accepted)).toEqual(accepted.map(words));
      }),
      { numRuns: 150 },
    );
    expect(taken).toBeGreaterThan(500);
  });

  test("is also as a whole what bash would have run", { timeout: 60_000 }, () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 20, maxLength: 60 }), (lines) => {
        const accepted = lines.filter((each) => {
          const parsed = parseCommandLine(each);
          // Where a name holds a slash, bash looks for a file and asks nobody; some names are its own commands too.
          return parsed.kind === "argv" && /^[^/]+$/.test(parsed.argv[0] ?? "") && !OWN.has(parsed.argv[0]!);
        });
        taken += accepted.length;
        expect(bashCommands(accepted)).toEqual(accepted.map(words));
      }),
      { numRuns: 100 },
    );
    expect(taken).toBeGreaterThan(200);
  });

  test("never holds an unquoted sign of the shell", () => {
    fc.assert(
      fc.property(line, fc.constantFrom(..."|&;<>()$`*?[]{}!#\n".split("")), line, (before, sign, after) => {
        const parsed = parseCommandLine(`ls ${sign}${after}`);
        expect(parsed.kind).toBe("shell");
        expect(parseCommandLine(`ls x${sign} ${before}`).kind).toBe("shell");
      }),
      { numRuns: 500 },
    );
  });
});

/** Programs that bash carries in itself as well. */
const OWN = new Set(["echo", "printf", "pwd", "test", "true", "false", "kill", "[", "."]);
