import {
  chmod,
  lchown,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  symlink,
  utimes,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { acquireLock, isHeld } from "@elwood/platform/lock";
import type { StatePaths } from "@elwood/platform/state-paths";
import { storageFailure } from "@elwood/platform/storage-failure";
import { errorCode, isMissing } from "@elwood/platform/system-error";
import type { BackupHeader, BackupManifest } from "./backup-format.ts";
import { readBackup } from "./read-backup.ts";
import { namesIn, unfinishedRestore } from "./unfinished-restore.ts";
import { checkUnpacked, unpack, verifyBackup, type VerifiedBackup } from "./verify-backup.ts";

export interface RestoreRequest {
  readonly backup: string;
  readonly paths: StatePaths;
  readonly passphrase?: string;
  /** What is there now is put aside, in a folder of its own; without it only an empty one is filled. */
  readonly replace: boolean;
  readonly now: number;
}

export interface Restored extends VerifiedBackup {
  /** Where what was there before lies now; undefined where there was nothing. */
  readonly replaced?: string;
}

/** What a swap leaves where it is: the lock, backups, and folders of this and earlier restores. */
const STAYS = /^(?:gateway\.lock.*|backups|\.restore-.*|replaced-.*|lost\+found)$/;

/**
 * Puts a backup in place of a state directory.
 *
 * R1 Everything is unpacked inside the state directory and checked before anything else is touched.
 *    It is the same disk, so what follows are renames, which need no space.
 * R2 Then what was there is moved aside, and what was unpacked is moved in. The name of the
 *    unpacked folder says how far that has come: `unpacking` (nothing was changed), `aside` (moving
 *    aside), `in` (moving in). Whatever stops it, `finishRestore` goes on from there.
 * R3 The gateway's lock is held all the while, and no gateway starts on a restore that is not
 *    finished (`unfinishedRestore`).
 * R4 Nothing is deleted: what was there lies in `replaced-<time>`.
 */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const { paths, backup } = request;
  const { home } = paths;
  const existed = await isThere(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    using _ = lockOf(paths);
    await refuseUnfinished(home);
    const there = await ownOf(home);
    if (there.length > 0 && !request.replace) refuseUsed(home);
    const time = new Date(request.now).toISOString().replace(/[-:.]/g, "");
    const folder = await mkdtemp(join(home, `.restore-${time}-`));
    const restored = await unpackChecked(request, folder);
    await rename(join(folder, "unpacking"), join(folder, "aside"));
    await syncFolder(folder);
    const replaced = await swap(home, folder, `replaced-${time}`);
    return { ...restored, ...(replaced === undefined ? {} : { replaced: join(home, replaced) }) };
  } catch (error) {
    if (!existed) await rm(home, { recursive: true, force: true });
    throw inWords(error, home, backup);
  }
}

/** Says what a restore would do, from a backup that was read and checked whole. Changes nothing. */
export async function rehearseRestore(
  request: Omit<RestoreRequest, "now">,
): Promise<VerifiedBackup & { readonly replaces: number; readonly problem?: string }> {
  const { backup, paths, passphrase, replace } = request;
  const verified = await verifyBackup(backup, passphrase === undefined ? {} : { passphrase });
  const there = (await isThere(paths.home)) ? await ownOf(paths.home) : [];
  const held = await problemOf(paths, there.length > 0 && !replace, verified.header);
  return { ...verified, replaces: there.length, ...(held === undefined ? {} : { problem: held }) };
}

async function problemOf(
  paths: StatePaths,
  used: boolean,
  header: BackupHeader,
): Promise<string | undefined> {
  try {
    if (await isThere(paths.home)) {
      if (isHeld(paths.gatewayLock)) running(paths.home);
      await refuseUnfinished(paths.home);
    }
    if (used) refuseUsed(paths.home);
    await refuseTooSmall(await nearest(paths.home), header);
    return undefined;
  } catch (error) {
    if (error instanceof FailureError) return error.failure.message;
    throw error;
  }
}

async function nearest(path: string): Promise<string> {
  return (await isThere(path)) ? path : nearest(dirname(path));
}

async function unpackChecked(request: RestoreRequest, folder: string): Promise<VerifiedBackup> {
  const target = join(folder, "unpacking");
  try {
    await mkdir(target, { mode: 0o700 });
    const read = await readBackup(request.backup, request.passphrase, {
      begin: (header) => refuseTooSmall(folder, header),
      file: (path, content) => unpack(join(target, path), content),
    });
    const receipts = await checkUnpacked(target, read.manifest, request.backup);
    await finishFiles(target, read.manifest, await stat(request.paths.home));
    return { ...read, receipts };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Modes, times, folders and links as they were; then all of it is on disk. */
async function finishFiles(
  target: string,
  { files, folders, links }: BackupManifest,
  home: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const root = process.getuid?.() === 0;
  // Of a service that runs as a user of its own; restored by root it must still be that user's.
  const own = async (path: string) => void (root && (await lchown(path, home.uid, home.gid)));
  for (const { path } of folders) await mkdir(join(target, path), { recursive: true, mode: 0o700 });
  for (const { path, mode, modifiedAt } of files) {
    const file = join(target, path);
    await chmod(file, mode & 0o777);
    await utimes(file, modifiedAt / 1000, modifiedAt / 1000);
    await own(file);
    await syncPath(file);
  }
  // Last: nothing is ever written through them.
  for (const { path, target: to } of links) {
    await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 });
    await symlink(to, join(target, path));
    await own(join(target, path));
  }
  for (const { path, mode } of folders.toReversed()) {
    await own(join(target, path));
    await chmod(join(target, path), mode & 0o777);
  }
  await own(target);
  await syncFolder(target);
}

/** Goes on with a restore that was broken off. Answers where what was there before lies. */
export async function finishRestore(paths: StatePaths): Promise<string | undefined> {
  const { home } = paths;
  using _ = lockOf(paths);
  const name = await unfinishedRestore(home);
  if (name === undefined)
    return fail("NOT_FOUND", `No restore of ${home} was broken off. Nothing was changed.`);
  const time = name.split("-")[1] ?? "";
  try {
    const replaced = await swap(home, join(home, name), `replaced-${time}`);
    return replaced === undefined ? undefined : join(home, replaced);
  } catch (error) {
    throw inWords(error, home, "the backup");
  }
}

async function swap(home: string, folder: string, replaced: string): Promise<string | undefined> {
  const [aside, into] = [join(folder, "aside"), join(folder, "in")];
  if ((await namesIn(folder)).includes("aside")) {
    const there = await ownOf(home);
    if (there.length > 0) await mkdir(join(home, replaced), { recursive: true, mode: 0o700 });
    for (const name of there) await rename(join(home, name), join(home, replaced, name));
    await syncFolder(home);
    await rename(aside, into);
    await syncFolder(folder);
  }
  for (const name of await namesIn(into)) await rename(join(into, name), join(home, name));
  await syncFolder(home);
  await rmdir(into);
  await rmdir(folder);
  return (await namesIn(home)).includes(replaced) ? replaced : undefined;
}

async function ownOf(home: string): Promise<string[]> {
  return (await namesIn(home)).filter((name) => !STAYS.test(name));
}

function lockOf(paths: StatePaths): Disposable {
  const lock = acquireLock(paths.gatewayLock) ?? running(paths.home);
  return { [Symbol.dispose]: () => lock.release() };
}

function running(home: string): never {
  return fail(
    "CONFLICT",
    `Elwood is running on ${home}. Nothing was changed. Stop it first (Ctrl+C, or systemctl --user stop elwood), then restore.`,
  );
}

async function refuseUnfinished(home: string): Promise<void> {
  if ((await unfinishedRestore(home)) !== undefined)
    fail(
      "CONFLICT",
      `An earlier restore of ${home} was broken off. Finish it first with: elwood backup restore --finish`,
    );
}

function refuseUsed(home: string): never {
  return fail(
    "CONFLICT",
    `${home} is in use: Elwood has data there. Nothing was changed. Name another folder with --home, or add --replace: what is there now is then put aside, not deleted.`,
  );
}

async function refuseTooSmall(folder: string, { bytes }: BackupHeader): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes)
    fail(
      "STORAGE_FULL",
      `The backup needs ${megabytes(bytes)} and the disk of ${folder} has ${megabytes(bavail * bsize)} left. Nothing was changed. Free some space and try again.`,
    );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  try {
    await syncPath(path);
  } catch (error) {
    // Some mounts cannot sync a folder.
    if (!["EINVAL", "EPERM", "ENOTSUP", "EISDIR"].includes(errorCode(error) ?? "")) throw error;
  }
}

function inWords(error: unknown, home: string, backup: string): unknown {
  if (error instanceof FailureError || errorCode(error) === undefined) return error;
  const next = `Nothing was restored from ${backup}; what was there is unchanged.`;
  return new FailureError(storageFailure(error, home, next));
}
