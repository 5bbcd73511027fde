import { describe, expect, test } from "vitest";
import type { Command } from "commander";
import { EXIT } from "./io.ts";
import { commandLine, type Wiring } from "./program.ts";
import { testIo } from "./test-io.ts";
import { helpPages, runHere as run } from "./test-help.ts";

describe("help", () => {
  test("every command says how it is written, what it does and what its options mean, within 80 columns", async () => {
    const pages = await helpPages();
    expect(pages.size).toBeGreaterThan(25);
    for (const [name, page] of pages) {
      expect(page, name).toMatch(/^Usage: elwood\b.*\n\n\S+ \S+/);
      // An example may be as long as what it shows.
      const lines = page.split("\n").filter((line) => !/^ {2}(elwood|\S+ \| elwood) /.test(line));
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
      const bare = page.split("\n").filter((line) => /^ {2}-\S+(, --\S+)?( [<[]\S+[>\]])?$/.test(line));
      expect(bare, name).toEqual([]);
    }
  });

  test("commands that are not used every day show examples", async () => {
    const pages = await helpPages();
    for (const name of ["", "up", "auth", "doctor", "completion", "config show", "token create"])
      expect(pages.get(name), name).toMatch(/\nExamples?:\n/);
    for (const name of ["sessions search", "sessions export", "sessions rename", "protocol schema"])
      expect(pages.get(name), name).toMatch(/\nExamples?:\n/);
  });

  test("a start builds the commands next to it only, and its help is the same", () => {
    const wiring = { io: testIo(), commandContext: {}, run: async () => {}, working: async () => 0 };
    const build = (argv: string[]) =>
      commandLine(
        argv,
        wiring as unknown as Wiring,
        (english) => english,
        () => {},
      );
    const upHelp = (program: Command) =>
      program.commands.find((command) => command.name() === "up")!.helpInformation();
    const [start, all] = [build(["up"]), build([])];
    expect(start.commands.length).toBeLessThan(all.commands.length / 2);
    expect(upHelp(start)).toBe(upHelp(all));
  });

  test("the word help asks for it, too, unless it is said to the assistant", async () => {
    expect((await run("help")).out).toMatch(/^Usage: elwood \[options\]/);
    expect((await run("help", "token", "create")).out).toMatch(/^Usage: elwood token create/);
    const { out } = await run("--config", "/nowhere/config.yaml", "help", "me", "write", "a", "letter");
    expect(out).toBe("");
  });
});

describe("wrong usage", () => {
  test.each<[string[], string]>([
    [
      ["sessions", "shwo", "x"],
      'There is no command "sessions shwo". Did you mean "show"?\nTo say it to the assistant, write: elwood -- "sessions shwo x"\n',
    ],
    [
      ["config", "zzz"],
      'There is no command "config zzz". There are show, path, check, list, set.\nTo say it to the assistant, write: elwood -- "config zzz"\n',
    ],
    [["--nonsense"], "Unknown option '--nonsense'. See: elwood --help\n"],
    [["up", "--prot", "1"], "Unknown option '--prot' (Did you mean --port?) See: elwood up --help\n"],
    [["doctr", "--fix"], 'There is no command "doctr". Did you mean "doctor"? See: elwood doctor --help\n'],
    [["auth"], "Missing required argument 'provider'. See: elwood auth --help\n"],
    [
      ["up", "now"],
      "Too many arguments for 'up'. Expected 0 arguments but got 1: now. See: elwood up --help\nTo say it to the assistant, write: elwood -- \"up now\"\n",
    ],
    [
      ["actions", "diff", "a.yaml", "1", "2"],
      "Too many arguments for 'diff'. Expected 1 argument but got 3: a.yaml, 1, 2. See: elwood actions diff --help\nTo say it to the assistant, write: elwood -- \"actions diff a.yaml 1 2\"\n",
    ],
    [["actions", "show"], "Missing required argument 'name'. See: elwood actions show --help\n"],
    [
      ["stauts"],
      'There is no command "stauts". Did you mean "status"? Nothing was sent.\nTo say it to the assistant, write: elwood -- stauts\n',
    ],
    [
      ["sesions", "list"],
      'There is no command "sesions". Did you mean "sessions list"? Nothing was sent.\nTo say it to the assistant, write: elwood -- "sesions list"\n',
    ],
    [
      ["pairing", "approve", "X7K2"],
      'Elwood has no command "pairing". Nothing was sent. See who may write with: elwood pair list\nTo say it to the assistant, write: elwood -- "pairing approve X7K2"\n',
    ],
    [
      ["webhooks"],
      'Elwood has no command "webhooks". Nothing was sent.\nTo say it to the assistant, write: elwood -- webhooks\n',
    ],
  ])("%j is told in a sentence, with exit code 2", async (argv, words) => {
    expect(await run(...argv)).toEqual({ code: EXIT.usage, out: "", err: words });
  });

  test.each([
    [["plugins", "list"]],
    [["plugins", "list", "all", "of", "them"]],
    [["chanels", "list"]],
    [["Logs"]],
    [["session", "7xnwpaf5"]],
    [["sesions", "lst"]],
    [["aprovals", "allow", "$HOME"]],
    [["-c", "recipts", "verify"]],
  ])("%j is never sent, and --json says so too", async (argv) => {
    const { code, out, err } = await run("--json", ...argv);
    expect({ code, err }).toEqual({ code: EXIT.usage, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      error: {
        code: "INVALID_INPUT",
        message: expect.stringMatching(/Nothing was sent\.[^]* write: elwood -- /),
      },
    });
  });

  test("what to write instead survives a shell", async () => {
    const { err } = await run("plugins", "add", "$(rm -rf ~) isn't run");
    expect(err).toContain(String.raw`elwood -- 'plugins add $(rm -rf ~) isn'\''t run'`);
  });
});

test("--home and --config may stand before a command or behind it", async () => {
  const before = await run("--home", "/nowhere/else", "config", "path");
  const behind = await run("config", "path", "--home", "/nowhere/else");
  expect(before.out).toBe("/nowhere/else/config.yaml\n");
  expect(behind).toEqual(before);
  const missing = await run("config", "check", "--config", "/nowhere/my.yaml");
  expect(missing.err).toContain("--config names /nowhere/my.yaml, which does not exist");
});

test.each([
  [["one"]],
  [["hello"]],
  [["toast"]],
  [["gents"]],
  [["pairing", "these", "socks"]],
  [["plugins", "near", "me"]],
  [["session", "about", "physics"]],
  [["talk", "with", "me"]],
  [["constructor", "list"]],
  [["pair approve X7K2"]],
  [["sesions list"]],
  [["--", "pair", "approve", "X7K2"]],
  [["--", "stauts"]],
])("%j is said to the assistant", async (words) => {
  const { err } = await run("--config", "/nowhere/config.yaml", ...words);
  expect(err).toContain("/nowhere/config.yaml, which does not exist");
});
