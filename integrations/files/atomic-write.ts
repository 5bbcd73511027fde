import { constants, type BigIntStats } from "node:fs";
import { open, rename, unlink, type FileHandle } from "node:fs/promises";
import { errorCode, FileProblem, isMissing, problemOf } from "./file-problem.ts";
import type { Opener, Spot } from "./safe-open.ts";
import { identityOf } from "./scope.ts";

/** The steps that can meet a full or broken disk. */
export interface Disk {
  write(handle: FileHandle, bytes: Uint8Array): Promise<void>;
  sync(handle: FileHandle): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

export const realDisk: Disk = {
  write: (handle, bytes) => handle.writeFile(bytes),
  sync: (handle) => handle.sync(),
  rename,
};

const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const NEW_FILE_MODE = 0o666;
const PERMISSION_BITS = 0o777;

/**
 * Puts bytes at a spot, whole or not at all, and durably. They are written beside it under
 * another name and then take its place, so that no reader ever sees half a file and a hard
 * link is never written through.
 *
 * `expected` is what was at the spot when the content was worked out; if something else is
 * there now, nothing is written.
 */
export async function writeWhole(
  opener: Opener,
  disk: Disk,
  spot: Spot,
  bytes: Uint8Array,
  options: { readonly key: string; readonly expected: BigIntStats | undefined; readonly mode?: number },
): Promise<void> {
  const { folder, name, place } = spot;
  const beside = folder.at(besideName(options.key));
  const mode =
    options.mode ?? (options.expected ? Number(options.expected.mode) & PERMISSION_BITS : undefined);
  let handle: FileHandle | undefined;
  try {
    handle = await createNew(beside, mode ?? NEW_FILE_MODE);
    await folder.check();
    if (mode !== undefined) await handle.chmod(mode);
    await disk.write(handle, bytes);
    await disk.sync(handle);
    if (!sameFile(await opener.look(spot), options.expected)) throw changedMeanwhile(place.shown);
    await disk.rename(beside, folder.at(name));
  } catch (error) {
    if (handle !== undefined) await removeIfThere(beside);
    throw problemOf(error, place.shown);
  } finally {
    await handle?.close();
  }
  await disk.sync(folder.handle);
}

/** The name depends on the call alone, so that whoever settles a call after a crash finds what it left. */
export function besideName(key: string): string {
  return `.elwood-${key.slice(0, 24)}.tmp`;
}

export async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export function sameFile(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    identityOf(a) === identityOf(b) && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs
  );
}

export function changedMeanwhile(shown: string): FileProblem {
  return new FileProblem(
    "conflict",
    `${shown} was changed by something else meanwhile. Nothing was written; read it again.`,
  );
}

/** A file of this name can only be what an earlier try of the same call left behind. */
async function createNew(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, NEW_FILE_FLAGS, mode);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    await removeIfThere(path);
    return open(path, NEW_FILE_FLAGS, mode);
  }
}
