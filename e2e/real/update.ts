import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, install, packed, ROOT, type Elwood } from "./installed.ts";

const TEST_MS_MAX = 1_800_000;

test(
  "EL-17: a home of the first package is taken over whole by this one, and the way back is open",
  async () => {
    await inFolder(async (root) => {
      const old = process.env["ELWOOD_TEST_OLD_PACKAGE"] ?? firstPackage(root);
      const home = join(root, "home");
      const backups = join(root, "backups");

      const before = fill(install(root, old).elwood, home, backups);
      const { elwood } = install(root, packed(ROOT, join(root, "pack")));

      // The first look by the new one: everything is there, and what the old one wrote still verifies.
      const greeting = elwood(home, "hello again");
      expect([greeting.status, greeting.stdout]).toEqual([0, expect.stringMatching(/demo model/i)]);
      expect(titles(elwood, home)).toEqual(expect.arrayContaining([...before.titles]));
      for (const [key, text] of before.texts) expect(textOf(elwood, home, key)).toBe(text);
      expect(elwood(home, "jobs", "list").stdout).toContain("water the plants");
      expect(elwood(home, "receipts", "verify").status).toBe(0);
      expect(elwood(home, "doctor", "--json").stdout).not.toContain('"severity":"error"');
      // Before the schema changed, the database was copied.
      expect(readdirSync(join(home, "backups"))).not.toEqual([]);

      // The old one on the new home says what to do, and changes nothing.
      const back = install(root, old).elwood;
      const refused = back(home, "hello");
      expect(refused.status).not.toBe(0);
      expect(refused.stderr).toMatch(/newer/i);
      // With the backup from before, it goes on where it was.
      const restored = back(home, "backup", "restore", before.backup, "--replace", "--yes");
      expect([restored.status, restored.stderr]).toEqual([0, ""]);
      expect(titles(back, home)).toEqual(before.titles);
      expect(back(home, "receipts", "verify").status).toBe(0);
    });
  },
  TEST_MS_MAX,
);

/** The first commit that could pack itself, packed by its own script. */
function firstPackage(root: string): string {
  const git = (cwd: string, ...words: string[]) =>
    execFileSync("git", words, { cwd, encoding: "utf8" }).trim();
  const first = git(ROOT, "log", "--diff-filter=A", "--format=%H", "--", "apps/cli/pack.mjs")
    .split("\n")
    .at(-1);
  if (!first) throw new Error("The first package is not in this clone: git fetch --unshallow");
  const tree = join(root, "first");
  git(ROOT, "clone", "--quiet", "--no-checkout", ROOT, tree);
  git(tree, "checkout", "--quiet", first);
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: tree, stdio: "pipe" });
  return packed(tree, join(root, "first-pack"));
}

interface Before {
  readonly titles: readonly string[];
  readonly texts: readonly (readonly [string, string])[];
  readonly backup: string;
}

/** Conversations, a call with its receipts, a reminder and a backup. */
function fill(elwood: Elwood, home: string, backups: string): Before {
  for (const words of ["hello", "what can you do?", "what are receipts?"])
    expect(elwood(home, words).status).toBe(0);
  const added = elwood(home, "jobs", "add", "water the plants", "--every", "1d", "--remind");
  const job = added.status === 0 ? added : elwood(home, "remind", "water the plants", "--every", "1d");
  expect([job.status, job.stderr]).toEqual([0, ""]);
  const file = `${backups}.tar.gz`;
  const made = elwood(home, "backup", "create", "-o", file);
  expect([made.status, made.stderr]).toEqual([0, ""]);
  const keys = sessions(elwood, home).map(({ sessionKey }) => sessionKey);
  return {
    titles: titles(elwood, home),
    texts: keys.map((key) => [key, textOf(elwood, home, key)] as const),
    backup: file,
  };
}

function sessions(elwood: Elwood, home: string): { readonly sessionKey: string; readonly title: string }[] {
  return (JSON.parse(elwood(home, "sessions", "list", "--json").stdout) as { sessions: never[] }).sessions;
}

function titles(elwood: Elwood, home: string): string[] {
  return sessions(elwood, home)
    .map(({ title }) => title)
    .toSorted();
}

function textOf(elwood: Elwood, home: string, key: string): string {
  const { status, stdout } = elwood(home, "sessions", "export", key);
  expect(status).toBe(0);
  return stdout;
}
