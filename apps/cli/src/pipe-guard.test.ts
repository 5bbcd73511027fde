import { expect, test } from "vitest";
import { guardedIo, withoutCommands } from "./pipe-guard.ts";
import { testIo } from "./test-io.ts";

const ATTACKS = [
  "\u001b]0;owned\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u001b[2J\u001b[H",
  "\u001b[8mhidden\u001b[0m",
  "\u009b31m",
  "\u009d0;title\u009c",
  "shown\rhidden",
  "a\bb\u0000c\u007f",
];

test.each(ATTACKS.map((attack) => [JSON.stringify(attack), attack] as const))(
  "what a terminal would act on does not pass a pipe, in a text or in JSON: %s",
  (_shown, attack) => {
    const io = testIo();
    const { stdout, stderr } = guardedIo(io, false);
    stdout.write(`before ${attack} after\n`);
    stdout.write(Buffer.from(`${attack}\n`));
    stderr.write(`${attack}\n`);
    stdout.write(`${JSON.stringify({ attack })}\n`);
    for (const text of [io.out(), io.err()])
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]|\u009b\d|\u009d0/);
    // The document says the same as before.
    expect(JSON.parse(io.out().trimEnd().split("\n").at(-1)!)).toEqual({ attack });
  },
);

test("letters of any script, tabs, and the ends of lines stay as they are", () => {
  const text = "naïve\tÄrger, 早上好, 👩‍👩‍👧, עברית \u2067x\u2069\r\nnext\n";
  expect(withoutCommands(text, false)).toBe(text);
  const io = testIo();
  guardedIo(io, false).stdout.write(Buffer.from(text));
  expect(io.out()).toBe(text);
});

test("who asks for it with --raw gets everything, and a terminal is left to the commands", () => {
  const raw = testIo();
  expect(guardedIo(raw, true)).toBe(raw);
  const terminal = testIo({ tty: true });
  guardedIo(terminal, false).stdout.write("\u001b[1mbold\u001b[0m");
  expect(terminal.out()).toBe("\u001b[1mbold\u001b[0m");
});

test("colours that the owner wants in a pipe pass, and nothing else of the kind", () => {
  const io = testIo({ env: { NO_COLOR: "", FORCE_COLOR: "1" } });
  guardedIo(io, false).stdout.write("\u001b[31mred\u001b[0m\u001b[2J\u001b]0;x\u0007");
  expect(io.out()).toBe("\u001b[31mred\u001b[0m[2J]0;x");
});
