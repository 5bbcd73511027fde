import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackup } from "./create-backup.ts";
import { restoreBackup } from "./restore-backup.ts";
import { statePaths } from "@elwood/platform/state-paths";
import { systemClock } from "@elwood/platform/system";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mountSmallDisk, orSkip } from "@elwood/testkit/small-disk";

/** Each step of a backup and of a restore, on a disk that has no room for it, or that cannot be written. */
const NOW = Date.parse("2026-11-15T10:00:00Z");
const silent = { error() {}, warn() {}, info() {}, debug() {} };
const SMALL_FILES = 400;

let root: string;
let home: string;
let backup: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "elwood-full-"));
  home = join(root, "home");
  await fillHome(home);
  backup = join(root, "good.tar.gz");
  await make(home, backup);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A database, a large file that does not compress, and many small ones. */
async function fillHome(folder: string): Promise<void> {
  mkdirSync(join(folder, "files"), { recursive: true, mode: 0o700 });
  const stores = await openStores({ paths: statePaths(folder), clock: systemClock, log: silent });
  await stores.close();
  const { randomBytes } = await import("node:crypto");
  writeFileSync(join(folder, "files", "large"), randomBytes(2 * 1024 * 1024));
  for (let i = 0; i < SMALL_FILES; i++) writeFileSync(join(folder, "files", `small-${i}`), "x");
}

function make(from: string, output: string) {
  return createBackup({ paths: statePaths(from), output, now: NOW, version: "0.1.0" });
}

test("where the copy of the database does not fit, no backup is made and nothing stays behind", async (context) => {
  using disk = orSkip(context, mountSmallDisk({ kilobytes: 6_144 }));
  const stores = await openStores({ paths: statePaths(disk.path), clock: systemClock, log: silent });
  await stores.close();
  const before = readdirSync(disk.path).toSorted();
  disk.fill();
  const output = join(root, "from-full.tar.gz");
  await expect(make(disk.path, output)).rejects.toThrow(/disk is full/i);
  disk.free();
  expect(existsSync(output)).toBe(false);
  expect(readdirSync(disk.path).filter((name) => name !== "gateway.lock" && name !== "backups")).toEqual(
    before,
  );
  if (existsSync(join(disk.path, "backups"))) expect(readdirSync(join(disk.path, "backups"))).toEqual([]);
  expect((await make(disk.path, output)).manifest.files.length).toBeGreaterThan(0);
});

test("where the backup itself does not fit, what was begun is removed", async (context) => {
  using disk = orSkip(context, mountSmallDisk({ kilobytes: 1_024 }));
  const output = join(disk.path, "backup.tar.gz");
  await expect(make(home, output)).rejects.toThrow(/disk is full.*Free some space/);
  expect(readdirSync(disk.path)).toEqual([]);
  expect(readdirSync(join(home, "backups"))).toEqual([]);
});

test("a restore for which there is no room is refused before anything is unpacked", async (context) => {
  using disk = orSkip(context, mountSmallDisk({ kilobytes: 1_024 }));
  const paths = statePaths(join(disk.path, "home"));
  await expect(restoreBackup({ backup, paths, replace: false, now: NOW })).rejects.toThrow(
    /The backup needs .* MB and the disk of .* has .* left\. Nothing was changed/,
  );
  expect(readdirSync(disk.path)).toEqual([]);
});

test("a restore that fills the disk on its way leaves what was there as it was", async (context) => {
  // Room for all bytes, but not for as many files, each of which takes a page.
  using disk = orSkip(context, mountSmallDisk({ kilobytes: 3_400 }));
  const paths = statePaths(join(disk.path, "home"));
  mkdirSync(paths.files, { recursive: true });
  writeFileSync(join(paths.files, "mine.txt"), "mine");
  await expect(restoreBackup({ backup, paths, replace: true, now: NOW })).rejects.toThrow(/disk is full/i);
  expect(readdirSync(paths.home).filter((name) => name !== "gateway.lock")).toEqual(["files"]);
  expect(readdirSync(paths.files)).toEqual(["mine.txt"]);
});

test("a state directory on a read-only disk can be backed up elsewhere, and not be restored into", async (context) => {
  const folder = mkdtempSync(join(root, "read-only-"));
  using disk = orSkip(context, mountSmallDisk({ kilobytes: 8_192 }));
  await fillHome(disk.path);
  using _ = mountReadOnly(disk.path, folder);
  const made = await make(folder, join(root, "read-only.tar.gz"));
  expect(made.manifest.files.map(({ path }) => path)).toContain("elwood.db");
  await expect(make(folder, join(folder, "backups", "x.tar.gz"))).rejects.toThrow(/read-only disk/);
  const paths = statePaths(folder);
  await expect(restoreBackup({ backup, paths, replace: true, now: NOW })).rejects.toThrow(/read-only disk/);
});

function mountReadOnly(from: string, to: string): Disposable {
  execFileSync("mount", ["--bind", from, to]);
  execFileSync("mount", ["-o", "remount,bind,ro", to]);
  return { [Symbol.dispose]: () => void execFileSync("umount", ["-l", to]) };
}
