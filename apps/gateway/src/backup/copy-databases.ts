import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { acquireLock, isHeld } from "@elwood/platform/lock";
import type { StatePaths } from "@elwood/platform/state-paths";
import { errorCode } from "@elwood/platform/system-error";
import { openReadOnly } from "@elwood/store-sqlite/read-only-database";
import { storageFailure } from "@elwood/store-sqlite/storage-failure";

export interface CopiedDatabases {
  /** Of `elwood.db`; 0 where there is none. */
  readonly schema: number;
  readonly head: { readonly seq: number; readonly hash?: string };
  readonly names: readonly string[];
  readonly leftOut: readonly string[];
  /** Whether a run's lines belong to its conversation's file by this copy. */
  isCommitted(tenant: string, run: string): boolean;
  hasSession(tenant: string, session: string): boolean;
  close(): void;
}

const NOT_COPIED = "The database could not be copied, so no backup was made; nothing was changed.";
const NAMES = { database: "elwood.db", memoryDatabase: "memory.db" } as const;
/** All pages in one step: a database that is written to meanwhile would make SQLite begin again. */
const ALL_PAGES = 1_000_000_000;
const SCHEMA_WITH_RECEIPTS = 2;

/**
 * Copies both databases into a folder, each as it is at one moment, whether or not a gateway is
 * writing to it. The index over memory comes second: it follows the other, and can be built again.
 */
export async function copyDatabases(paths: StatePaths, folder: string): Promise<CopiedDatabases> {
  const names: string[] = [];
  const leftOut: string[] = [];
  try {
    await reading(paths, paths.database, (db) => {
      const copy = join(folder, NAMES.database);
      // VACUUM INTO takes an empty file, which lets us choose its mode.
      closeSync(openSync(copy, "w", 0o600));
      db.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`);
      names.push(NAMES.database);
    });
  } catch (error) {
    throw storageFailure(error, NOT_COPIED);
  }
  try {
    // Page by page: its vectors are found by row numbers, which VACUUM may change.
    await reading(paths, paths.memoryDatabase, async (db) => {
      const copy = join(folder, NAMES.memoryDatabase);
      closeSync(openSync(copy, "w", 0o600));
      await backup(db, copy, { rate: ALL_PAGES });
      names.push(NAMES.memoryDatabase);
    });
  } catch (error) {
    if (isFull(error)) throw storageFailure(error, NOT_COPIED);
    const why = error instanceof Error ? error.message : "it cannot be read";
    leftOut.push(`${NAMES.memoryDatabase}: ${why}; the index is built again at the next start`);
  }
  return {
    names,
    leftOut,
    ...factsOf(names.includes(NAMES.database) ? join(folder, NAMES.database) : undefined),
  };
}

/**
 * A file that no gateway has open is read as one that does not change, under the gateway's own
 * lock: none can start in the middle. Where the folder is read-only none can run at all.
 */
async function reading(
  paths: StatePaths,
  path: string,
  work: (db: DatabaseSync) => void | Promise<void>,
): Promise<void> {
  const lock = lockUnlessReadOnly(paths.gatewayLock);
  const db = openReadOnly(path, lock === "held" ? "settled" : "still");
  try {
    if (db) await work(db);
  } finally {
    db?.close();
    if (typeof lock === "object") lock.release();
  }
}

function lockUnlessReadOnly(path: string): { release(): void } | "held" | "read-only" {
  try {
    return acquireLock(path) ?? "held";
  } catch (error) {
    const readOnly = ["EROFS", "EACCES", "EPERM"].includes(errorCode(error) ?? "");
    if (!readOnly) throw error;
    return isHeld(path) ? "held" : "read-only";
  }
}

function isFull(error: unknown): boolean {
  const full = 13;
  if (error instanceof Error && "errcode" in error) return Number(error.errcode) % 256 === full;
  return errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";
}

function factsOf(copy: string | undefined): Omit<CopiedDatabases, "names" | "leftOut"> {
  const db = copy === undefined ? undefined : openReadOnly(copy);
  const value = (sql: string, ...given: string[]) => db?.prepare(sql).get(...given);
  const schema = Number(value("PRAGMA user_version")?.["user_version"] ?? 0);
  const last =
    schema < SCHEMA_WITH_RECEIPTS
      ? undefined
      : value("SELECT seq, hash FROM receipts WHERE tenant = ? ORDER BY seq DESC LIMIT 1", DEFAULT_TENANT);
  return {
    schema,
    head: last ? { seq: Number(last["seq"]), hash: String(last["hash"]) } : { seq: 0 },
    isCommitted: (tenant, run) =>
      value("SELECT 1 FROM runs WHERE tenant = ? AND id = ? AND committed = 1", tenant, run) !== undefined,
    hasSession: (tenant, session) =>
      value("SELECT 1 FROM sessions WHERE tenant = ? AND id = ?", tenant, session) !== undefined,
    close: () => db?.close(),
  };
}
