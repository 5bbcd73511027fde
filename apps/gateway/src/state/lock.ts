import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * One gateway per state directory.
 *
 * The lock is an exclusive SQLite transaction on a file of its own: the operating system
 * drops it when the process dies, however it dies, so that there are no stale locks to
 * clean and no pids to guess about. Nothing is ever written into the file.
 */
export interface StateLock {
  release(): void;
}

export function acquireLock(path: string): StateLock | undefined {
  // SQLite would make it readable for everybody.
  closeSync(openSync(path, "a", 0o600));
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => db.close() };
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return error instanceof Error && "errcode" in error && Number(error.errcode) % 256 === SQLITE_BUSY;
}
