import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statePaths } from "@elwood/platform/state-paths";
import { expect, onTestFinished, test } from "vitest";
import { checkBackup, makeBackup, restore, showBackups, type BackupDeps } from "./backup-command.ts";
import { EXIT } from "./io.ts";
import { runCli } from "./program.ts";
import { TEST_NOW } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const CREATE = { encrypt: false, force: false, json: false } as const;

function scene() {
  const root = mkdtempSync(join(tmpdir(), "elwood-backup-cli-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const paths = statePaths(join(root, "home"));
  mkdirSync(paths.files, { recursive: true });
  writeFileSync(join(paths.files, "letter.txt"), "Dear Ada");
  let now = TEST_NOW;
  const deps: BackupDeps = { paths, version: "0.1.0", timeZone: "UTC", now: () => now++ };
  return { root, deps, io: testIo({ cwd: root }) };
}

test("a backup goes into the data folder under its time, and the oldest give way", async () => {
  const { deps, io } = scene();
  for (let i = 0; i < 3; i++) expect(await makeBackup(io, deps, { ...CREATE, keep: 2 })).toBe(EXIT.ok);
  const kept = ["elwood-20261115T090000001Z.tar.gz", "elwood-20261115T090000002Z.tar.gz"];
  expect(readdirSync(deps.paths.backups).toSorted()).toEqual(kept);
  expect(io.out()).toContain(`✓ Wrote ${join(deps.paths.backups, kept[1]!)}`);
  expect(io.out()).toContain("Removed the older elwood-20261115T090000000Z.tar.gz.");
  expect(io.out()).toContain("in the clear: keep it where only you can read it, or add --encrypt");
});

test("the list has the newest first, of the schedule's folder too, and leaves out what others named", async () => {
  const { root, deps, io } = scene();
  expect(await showBackups(io, deps, { json: false })).toBe(EXIT.ok);
  expect(io.out()).toBe(`There is no backup in ${deps.paths.backups}. Make one with: elwood backup create\n`);
  const folder = join(root, "disk");
  const listed = { ...deps, folder };
  await expect(showBackups(io, listed, { json: false })).rejects.toThrow(`There is no folder ${folder}.`);

  mkdirSync(folder);
  await makeBackup(io, deps, CREATE);
  writeFileSync(join(folder, "mine.tar.gz"), "");
  const [older, newer] = ["20261115T090000000Z.tar.gz", "20261115T090000001Z.tar.gz.age"];
  writeFileSync(join(folder, `elwood-${newer}`), "as long as it is");
  const all = testIo({ cwd: root });
  await showBackups(all, listed, { json: true });
  expect(all.json()).toEqual({
    folders: [folder, deps.paths.backups],
    backups: [
      {
        path: join(folder, `elwood-${newer}`),
        createdAt: TEST_NOW + 1,
        bytes: 16,
        encrypted: true,
      },
      {
        path: join(deps.paths.backups, `elwood-${older}`),
        createdAt: TEST_NOW,
        bytes: expect.any(Number),
        encrypted: false,
      },
    ],
  });
  const narrow = testIo({ cwd: root, columns: 40 });
  await showBackups(narrow, deps, { folder: "disk", json: false });
  expect(narrow.out()).toMatch(
    /^Made +Size {2}Encrypted {2}File\nSun 2026-11-15 09:00 +16 bytes {2}yes +\S+\.tar\.gz\.age\n$/,
  );
});

test("where there is nothing yet, no backup is made, and that is said", async () => {
  const { deps, io } = scene();
  rmSync(deps.paths.files, { recursive: true });
  await expect(makeBackup(io, deps, CREATE)).rejects.toThrow("There is nothing to back up yet");
  expect(existsSync(deps.paths.backups) ? readdirSync(deps.paths.backups) : []).toEqual([]);
});

test("verify and a dry run say what is in a backup and change nothing; a restore puts it in place", async () => {
  const { root, deps, io } = scene();
  await makeBackup(io, deps, { ...CREATE, output: "all.tar.gz" });
  const there = testIo({ cwd: root });
  expect(await checkBackup(there, deps, { file: "all.tar.gz", json: true })).toBe(EXIT.ok);
  expect(there.json()).toMatchObject({ files: 1, encrypted: false, elwood: "0.1.0", createdAt: TEST_NOW });

  const target = { ...deps, paths: statePaths(join(root, "new")) };
  const flags = { file: "all.tar.gz", dryRun: true, replace: false, yes: false, json: false };
  const dry = testIo({ cwd: root });
  expect(await restore(dry, target, flags)).toBe(EXIT.ok);
  expect(dry.out()).toContain(`Nothing was changed. This would restore 1 file into ${join(root, "new")}.`);
  expect(readdirSync(root).toSorted()).toEqual(["all.tar.gz", "home"]);

  const used = testIo({ cwd: root });
  expect(await restore(used, deps, flags)).toBe(EXIT.failed);
  expect(used.out()).toContain("It could not be done now:");

  expect(await restore(testIo({ cwd: root }), target, { ...flags, dryRun: false })).toBe(EXIT.ok);
  expect(readdirSync(join(root, "new", "files"))).toEqual(["letter.txt"]);
});

test("replacing asks first, and in a pipe wants --yes", async () => {
  const { root, deps, io } = scene();
  await makeBackup(io, deps, { ...CREATE, output: "all.tar.gz" });
  const flags = { file: "all.tar.gz", dryRun: false, replace: true, yes: false, json: false };
  await expect(restore(testIo({ cwd: root }), deps, flags)).rejects.toThrow(
    /Nothing was changed\. To answer yes: add --yes/,
  );
  const asked = testIo({ cwd: root, tty: true });
  asked.type("n\n");
  await expect(restore(asked, deps, flags)).rejects.toThrow("Nothing was changed.");
  expect(readdirSync(deps.paths.files)).toEqual(["letter.txt"]);
  expect(readdirSync(deps.paths.home).filter((name) => name.startsWith("replaced-"))).toEqual([]);
});

test("a passphrase that is typed twice must be the same, and is never an argument", async () => {
  const { root, deps } = scene();
  const words = ["correct horse battery", "correct horse batteries"];
  const asking = { ...deps, askSecret: async () => words.shift() };
  const io = testIo({ cwd: root, tty: true });
  await expect(makeBackup(io, asking, { ...CREATE, encrypt: true })).rejects.toThrow(
    /not the same\. No backup was made/,
  );
  await expect(makeBackup(io, deps, { ...CREATE, encrypt: true, passphraseFile: "missing" })).rejects.toThrow(
    /passphrase file missing cannot be read/,
  );
});

test("the commands are there: export writes the file that was named, and import fills an empty folder from it", async () => {
  const { root, deps } = scene();
  const run = async (...argv: string[]) => {
    const io = testIo({ cwd: root, env: { HOME: root } });
    return { code: await runCli(argv, io), io };
  };
  const out = await run("--home", deps.paths.home, "export", "all.tar.gz", "--json");
  expect([out.code, out.io.err()]).toEqual([EXIT.ok, ""]);
  expect(out.io.json()).toMatchObject({ path: join(root, "all.tar.gz"), files: 1 });
  const target = join(root, "other");
  expect((await run("--home", target, "import", "all.tar.gz")).code).toBe(EXIT.ok);
  const again = await run("--home", target, "import", "all.tar.gz");
  expect(again.code).toBe(EXIT.failed);
  expect(again.io.err()).toMatch(/is in use.*Nothing was changed/);
  expect((await run("--home", target, "backup", "restore")).code).toBe(EXIT.usage);
});
