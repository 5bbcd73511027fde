import { fail } from "@elwood/core/base/failure";
import { closeSync, existsSync, openSync } from "node:fs";
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
    // Without a journal on disk: a full one has no room for it.
    db.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (codeOf(error) === SQLITE_BUSY) return undefined;
    if (codeOf(error) !== SQLITE_NOTADB) throw error;
    fail(
      "STORAGE",
      `${path} is not the file that Elwood left there. Nothing was started or changed. It holds nothing that is needed: remove it, then try again.`,
      { retryable: false },
    );
  }
  return { release: () => db.close() };
}

/**
 * Whether a process holds the lock of the state directory. Only reads: the probe takes a
 * shared lock for an instant and lets it go.
 */
export function isHeld(lockPath: string): boolean {
  if (!existsSync(lockPath)) return false;
  const db = new DatabaseSync(lockPath, { readOnly: true, timeout: 0 });
  try {
    db.exec("SELECT count(*) FROM sqlite_schema");
    return false;
  } catch (error) {
    if (codeOf(error) === SQLITE_BUSY) return true;
    throw error;
  } finally {
    db.close();
  }
}

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) % 256 : undefined;
}
