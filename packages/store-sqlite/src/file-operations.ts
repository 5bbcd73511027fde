import * as fs from "node:fs";
import { mkdir, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCode, isMissing } from "@elwood/platform/system-error";

/**
 * The few file operations that the stores use. The disk is one implementation; tests
 * hand in others that run out of space, write half of what they were given, or kill the process
 * between two operations.
 */
export interface FileOperations {
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
  /** Answers with the first folder that had to be made. */
  mkdir(path: string, options: { recursive: true; mode: number }): Promise<string | undefined>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  stat(path: string): Promise<{ readonly size: number }>;
}

export interface OpenFile {
  stat(): Promise<{ readonly size: number }>;
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  /** May write less than it was given. At its end, unless a position is named. */
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position?: number,
  ): Promise<{ readonly bytesWritten: number }>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The disk itself. What the system answers in microseconds is asked for at once, since another thread's help costs ten
 * times as much and every message needs a dozen of these; a sync and large pieces are left to the other thread.
 */
export const diskOperations: FileOperations = {
  open: async (path, flags, mode) => new DiskFile(fs.openSync(path, flags, mode)),
  stat: async (path) => fs.statSync(path),
  mkdir,
  rename,
  unlink,
};

/** Pieces above this are read and written by another thread. */
const AT_ONCE_BYTES_MAX = 64 * 1024;

const later = {
  read: promisify(fs.read),
  write: promisify(fs.write),
  sync: promisify(fs.fsync),
  truncate: promisify(fs.ftruncate),
};

class DiskFile implements OpenFile {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  async stat(): Promise<{ readonly size: number }> {
    return fs.fstatSync(this.#fd);
  }

  async read(buffer: Uint8Array, offset: number, length: number, position: number) {
    if (length > AT_ONCE_BYTES_MAX) return later.read(this.#fd, buffer, offset, length, position);
    return { bytesRead: fs.readSync(this.#fd, buffer, offset, length, position) };
  }

  async write(buffer: Uint8Array, offset: number, length: number, position?: number) {
    if (length > AT_ONCE_BYTES_MAX) return later.write(this.#fd, buffer, offset, length, position ?? null);
    return { bytesWritten: fs.writeSync(this.#fd, buffer, offset, length, position) };
  }

  truncate(size: number): Promise<void> {
    return later.truncate(this.#fd, size);
  }

  sync(): Promise<void> {
    return later.sync(this.#fd);
  }

  async close(): Promise<void> {
    fs.closeSync(this.#fd);
  }
}

export const FOLDER_CANNOT_SYNC = new Set<unknown>(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Writes all of it, however little each write takes. */
export async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written);
    // A disk that takes nothing and reports no error would keep us here for ever.
    if (bytesWritten === 0)
      throw Object.assign(new Error("wrote nothing"), { code: "EIO", syscall: "write" });
    written += bytesWritten;
  }
}

/** A new or renamed file is in its folder for good only once the folder itself is on disk. */
export async function syncFolder(files: FileOperations, folder: string): Promise<void> {
  const handle = await files.open(folder, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some mounts cannot do this for a folder; the file itself is safe by then.
    if (!FOLDER_CANNOT_SYNC.has(errorCode(error))) throw error;
  } finally {
    await handle.close();
  }
}

/** Opens a file with mode 0600; makes its folder, 0700, should that be missing. */
export async function openInFolder(files: FileOperations, path: string, flags: string): Promise<OpenFile> {
  try {
    return await files.open(path, flags, 0o600);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(files, dirname(path));
    return files.open(path, flags, 0o600);
  }
}

async function makeFolder(files: FileOperations, folder: string): Promise<void> {
  const first = await files.mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    await syncFolder(files, dirname(made));
  }
}

/** The bytes of a file, piece by piece; none where it is missing. A piece is valid until the next one. */
export async function* chunksOf(files: FileOperations, path: string): AsyncGenerator<Uint8Array> {
  const file = await openIfThere(files, path);
  if (!file) return;
  try {
    // Most conversations are small, and are read for every message: no more room than it takes.
    const buffer = new Uint8Array(Math.min(READ_BYTES, (await file.stat()).size + 1));
    for (let position = 0; ;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
}

const READ_BYTES = 256 * 1024;

async function openIfThere(files: FileOperations, path: string): Promise<OpenFile | undefined> {
  try {
    return await files.open(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** undefined where there is no such file. */
export async function sizeOf(files: FileOperations, path: string): Promise<number | undefined> {
  try {
    return (await files.stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function unlinkIfThere(files: FileOperations, path: string): Promise<boolean> {
  try {
    await files.unlink(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * A whole file or none: temporary file, fsync, rename, fsync of the folder. The temporary
 * name is always the same, so that what a crash left behind is written over the next time;
 * two writers of one path must therefore take turns.
 */
export async function replaceFile(
  files: FileOperations,
  path: string,
  pieces: Iterable<Uint8Array>,
): Promise<void> {
  const temporary = temporaryFor(path);
  const file = await openInFolder(files, temporary, "w");
  try {
    try {
      for (const piece of pieces) await writeAll(file, piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
  } catch (error) {
    await unlinkIfThere(files, temporary);
    throw error;
  }
  await syncFolder(files, dirname(path));
}

export function temporaryFor(path: string): string {
  return `${path}.tmp`;
}
