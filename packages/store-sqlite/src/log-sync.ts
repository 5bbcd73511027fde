import { closeSync, fdatasync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { endianness } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { FailureError } from "@elwood/core/base/failure";
import { errorCode } from "@elwood/platform/system-error";
import { FOLDER_CANNOT_SYNC } from "./file-operations.ts";
import { isBusy, isLackOfRoom, storageFailure } from "./storage-failure.ts";

/** What is asked of the disk and the clock; tests bring a disk without room. */
export interface Disk {
  sync(file: number): Promise<void>;
  wait(ms: number): Promise<void>;
}

const syncData = promisify(fdatasync);

/** Nothing is kept alive by a wait for room. */
const REAL_DISK: Disk = { sync: syncData, wait: (ms) => sleep(ms, undefined, { ref: false }) };

/** What is asked of the connection whose log it is. */
interface LogOwner {
  /** Nobody writes meanwhile. */
  alone<T>(work: () => T): T;
  checkpoint(): void;
}

const UNCERTAIN =
  "The disk reported an error, so it is not certain that this was stored. Look at the disk, then start Elwood again.";
const NOT_STORED = "Nothing was stored.";

/** Without room it is tried again after so long, each time twice as long up to the second: for a day, all in all. */
const ROOM_WAIT_MS = 500;
const ROOM_WAIT_MAX_MS = 30_000;
const ROOM_TRIES_MAX = 2_880;

/**
 * Syncs SQLite's log beside SQLite, in another thread. A file of our own makes no difference to
 * the kernel, which syncs what was written through any; nor to SQLite, whose locks are on other files.
 *
 * L1 After a sync that failed, none counts any more until the database is opened again: the kernel may have
 *    dropped what it could not write and then report success, and what follows a hole in the log is lost with it.
 * L2 Where there was only no room, whoever waits for the sync goes on waiting, and everybody else is refused.
 *    The log is read back, held against SQLite's own checksum of it, written again byte for byte and synced:
 *    then all of it is on disk, whatever the kernel had dropped. Until then nobody outside was told anything, so
 *    nothing has to be taken back. Where a byte differs, L1 holds; so it does after a sync of
 *    SQLite's own, which does not say why it failed.
 * L3 One at a time: the kernel reports a failure once, so that a sync beside one that fails may seem to succeed. Whoever
 *    comes while one is under way waits for the next, since what they wrote may be behind it.
 */
export class LogSync {
  readonly #path: string;
  readonly #owner: LogOwner;
  readonly #disk: Disk;
  #file: number | undefined;
  #isClosed = false;
  #syncing = 0;
  /** The sync under way, and the one that follows it for all who came meanwhile. */
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #refusal: { readonly error: unknown } | undefined;

  constructor(path: string, owner: LogOwner, disk: Disk = REAL_DISK) {
    this.#path = path;
    this.#owner = owner;
    this.#disk = disk;
  }

  /** L3 */
  sync(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#current) return this.#begin();
    this.#next = this.#current.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<void> {
    const syncing = this.#sync();
    const over = () => {
      this.#current = undefined;
    };
    this.#current = syncing.then(over, over);
    return syncing;
  }

  async #sync(): Promise<void> {
    // Closing the database has synced everything.
    if (this.#isClosed) return;
    this.mustBeWhole();
    this.#syncing += 1;
    try {
      this.#file ??= this.#open();
      await this.#disk.sync(this.#file);
    } catch (error) {
      // SQLite's own sync may have failed meanwhile.
      this.mustBeWhole();
      if (this.#file === undefined || !isLackOfRoom(error)) throw this.failed(error);
      await this.#whenThereIsRoom(this.#file, error);
    } finally {
      this.#syncing -= 1;
      if (this.#isClosed) this.#release();
    }
  }

  /** Throws where a sync has failed: nothing may be written behind what may be missing. */
  mustBeWhole(): void {
    if (this.#refusal) throw this.#refusal.error;
  }

  /** L1. Answers what whoever waited is to be told. */
  failed(error: unknown): unknown {
    this.#refusal = { error: storageFailure(error, UNCERTAIN) };
    return this.#refusal.error;
  }

  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  /** L2 */
  async #whenThereIsRoom(file: number, first: unknown): Promise<void> {
    this.#refusal = { error: storageFailure(first, NOT_STORED) };
    let last = first;
    let waitMs = ROOM_WAIT_MS;
    for (let tries = 0; tries < ROOM_TRIES_MAX; tries++) {
      await this.#disk.wait(waitMs);
      if (this.#isClosed) throw this.failed(first);
      waitMs = Math.min(waitMs * 2, ROOM_WAIT_MAX_MS);
      try {
        if (!this.#owner.alone(() => rewriteLog(this.#path, file))) throw this.failed(first);
        await this.#disk.sync(file);
        this.#refusal = undefined;
        this.#showSqlite();
        return;
      } catch (error) {
        last = error;
        if (!isLackOfRoom(error) && !isBusy(error)) throw this.failed(error);
      }
    }
    throw this.failed(last);
  }

  /** Each file that was open is told once of the sync that failed; SQLite's is, where it costs nothing. */
  #showSqlite(): void {
    try {
      this.#owner.checkpoint();
    } catch (error) {
      // The next one copies what this one did not: the log is whole, and stays until then.
      if (!(storageFailure(error, NOT_STORED) instanceof FailureError)) throw error;
    }
  }

  #open(): number {
    const file = openSync(`${this.#path}-wal`, "r+");
    // The log was made anew when the database was opened; that it is there must be on disk too.
    const folder = openSync(dirname(this.#path), "r");
    try {
      fsyncSync(folder);
    } catch (error) {
      if (!FOLDER_CANNOT_SYNC.has(errorCode(error))) throw error;
    } finally {
      closeSync(folder);
    }
    return file;
  }

  #release(): void {
    if (this.#file === undefined || this.#syncing > 0) return;
    closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Sizes and places in SQLite's log and in the index of it; see sqlite.org/walformat.html. */
const LOG = { header: 32, frameHeader: 24, pageSize: 8, salts: 16, checksum: 24 } as const;
const FRAME = { checked: 8, salts: 8, checksum: 16 } as const;
const INDEX = { header: 48, frames: 16, checksum: 24, salts: 32 } as const;
/** In the log's first number: its checksums are of numbers whose first byte is the largest. */
const BIG_ENDIAN_BIT = 1;

/** Writes the log again as it is. False, and nothing is written, where it is not what SQLite wrote. */
export function rewriteLog(path: string, file: number): boolean {
  const index = openSync(`${path}-shm`, "r");
  let known: Buffer | undefined;
  try {
    known = readWhole(index, INDEX.header);
  } finally {
    closeSync(index);
  }
  const head = readWhole(file, LOG.header);
  if (!known || !head) return false;
  const isBig = endianness() === "BE";
  const number = (at: number) => (isBig ? known.readUInt32BE(at) : known.readUInt32LE(at));
  const frames = number(INDEX.frames);
  const log = readWhole(
    file,
    LOG.header + frames * (LOG.frameHeader + (head.readUInt32BE(LOG.pageSize) || 65_536)),
  );
  const salts = known.subarray(INDEX.salts, INDEX.salts + 8);
  if (frames === 0 || !log || !log.subarray(LOG.salts, LOG.salts + 8).equals(salts)) return false;
  const [first, second] = checksumOf(log);
  if (first !== number(INDEX.checksum) || second !== number(INDEX.checksum + 4)) return false;
  for (let at = 0; at < log.length;) at += writeSync(file, log, at, log.length - at, at);
  return true;
}

/** Of all frames, each of which has to hold its own. */
function checksumOf(log: Buffer): readonly [number, number] | readonly [undefined, undefined] {
  const isBig = (log.readUInt32BE(0) & BIG_ENDIAN_BIT) === 1;
  const pageSize = log.readUInt32BE(LOG.pageSize);
  let [a, b] = [0, 0];
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at += 8) {
      a = (a + (isBig ? log.readUInt32BE(at) : log.readUInt32LE(at)) + b) >>> 0;
      b = (b + (isBig ? log.readUInt32BE(at + 4) : log.readUInt32LE(at + 4)) + a) >>> 0;
    }
  };
  const holds = (at: number) => log.readUInt32BE(at) === a && log.readUInt32BE(at + 4) === b;
  add(0, LOG.checksum);
  if (!holds(LOG.checksum)) return [undefined, undefined];
  const salts = log.subarray(LOG.salts, LOG.salts + 8);
  const size = LOG.frameHeader + pageSize;
  for (let at = LOG.header; at + size <= log.length; at += size) {
    add(at, at + FRAME.checked);
    add(at + LOG.frameHeader, at + size);
    const isOfThisLog = log.subarray(at + FRAME.salts, at + FRAME.salts + 8).equals(salts);
    if (!isOfThisLog || !holds(at + FRAME.checksum)) return [undefined, undefined];
  }
  return [a, b];
}

/** undefined where there is less. */
function readWhole(file: number, bytes: number): Buffer | undefined {
  const read = Buffer.alloc(bytes);
  for (let at = 0; at < bytes;) {
    const got = readSync(file, read, at, bytes - at, at);
    if (got === 0) return undefined;
    at += got;
  }
  return read;
}
