import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SECRET_PATTERNS } from "@elwood/core/base/redact";
import type { Log } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";
import { createSchema, INDEX_APPLICATION_ID, INDEX_VERSIONS, PRAGMAS } from "./schema.ts";
import { isMissing } from "@elwood/platform/system-error";

export interface OpenedIndex {
  readonly db: DatabaseSync;
  /** Nothing is in it yet: it is new, or the one before was of no use. */
  readonly fresh: boolean;
  /** Whoever had it last did not close it; `checkIndex` says whether it is whole. */
  readonly unclean: boolean;
}

/** Beside the index: the last one that could not be read, kept for whoever wants to know why. It is never read again. */
export function corruptPath(path: string): string {
  return `${path}.corrupt`;
}

/** Where a new index is built while the old one still answers. */
export function nextPath(path: string): string {
  return `${path}.new`;
}

/**
 * Opens the index, whatever is found in its place. A file that is damaged or not an index
 * is put aside; one of another version is dropped. Both lose nothing, since everything in it is
 * read from files again. It throws only where the disk itself refuses.
 */
export function openIndex(path: string, log: Log): OpenedIndex {
  removeIndex(nextPath(path));
  try {
    const found = tryOpen(path);
    if (found !== "of another version") return found;
    log.info("the index of memory is of another version; it is built anew from files");
    removeIndex(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    setAside(path, log, error);
  }
  const made = tryOpen(path);
  if (made === "of another version") throw new Error("a new index is of another version");
  return made;
}

/** A new file; whatever was there is removed. */
export function createIndex(path: string): DatabaseSync {
  removeIndex(path);
  const made = tryOpen(path);
  if (made === "of another version") throw new Error("a new index is of another version");
  return made.db;
}

/** Marks the index as left in order, and empties its log. */
export function closeIndex(db: DatabaseSync): void {
  if (!db.isOpen) return;
  try {
    db.exec("INSERT OR REPLACE INTO meta (k, v) VALUES ('clean', '1')");
  } finally {
    db.close();
  }
}

/** Damaged, or not a database at all. Other failures (a full disk, a lock) say nothing about the file. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedIndex) return true;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return false;
  return DAMAGE.has(errcode & 0xff) || errcode === SHORT_READ;
}

/** Reads the index through. Takes a second or so for each hundred megabytes. */
export function checkIndex(db: DatabaseSync): void {
  const wrong = db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (wrong !== "ok") throw new DamagedIndex(String(wrong));
  db.exec("INSERT INTO turns_fts (turns_fts) VALUES ('integrity-check')");
  db.exec("INSERT INTO turns_tri (turns_tri) VALUES ('integrity-check')");
}

/** Closes nothing: whoever has the file open closes it first. At most one is kept. */
export function setAside(path: string, log: Log, error: unknown): void {
  const detail = error instanceof Error ? error.message : String(error);
  log.warn("the index of memory could not be read; it was put aside and is built anew from files", {
    kept: corruptPath(path),
    detail,
  });
  rmSync(corruptPath(path), { force: true });
  try {
    renameSync(path, corruptPath(path));
  } catch (failed) {
    if (!isMissing(failed)) throw failed;
  }
  removeIndex(path);
}

export function removeIndex(path: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${end}`, { force: true });
}

/** Redaction has no number of its own to forget: a changed pattern is another version. */
export function versionsNow(): Record<string, string> {
  const patterns = SECRET_PATTERNS.map(
    ({ kind, expression }) => `${kind} ${expression.source} ${expression.flags}`,
  );
  return { ...INDEX_VERSIONS, redactor: sha256(patterns.join("\n")) };
}

export class DamagedIndex extends Error {}

const SQLITE_ERROR = 1;
const SHORT_READ = 522;
/** Corrupt, and not a database. */
const DAMAGE = new Set([11, 26]);

function tryOpen(path: string): OpenedIndex | "of another version" {
  makePrivate(path);
  // For sqlite-vec, which is loaded where the owner named an embedder; SQL alone can load nothing.
  const db = new DatabaseSync(path, { allowExtension: true });
  try {
    db.exec(PRAGMAS);
    const tables = Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.["n"]);
    if (tables === 0) {
      createSchema(db, versionsNow());
      return { db, fresh: true, unclean: false };
    }
    const owner = Number(db.prepare("PRAGMA application_id").get()?.["application_id"]);
    if (owner !== INDEX_APPLICATION_ID) throw new DamagedIndex("it is not an index of Elwood's");
    const meta = readMeta(db);
    const now = Object.entries(versionsNow());
    if (now.some(([name, version]) => meta.get(name) !== version)) {
      db.close();
      return "of another version";
    }
    const unclean = meta.get("clean") !== "1";
    db.exec("INSERT OR REPLACE INTO meta (k, v) VALUES ('clean', '0')");
    return { db, fresh: false, unclean };
  } catch (error) {
    if (db.isOpen) db.close();
    throw error;
  }
}

function readMeta(db: DatabaseSync): Map<string, string> {
  try {
    const rows = db.prepare("SELECT k, v FROM meta").all();
    return new Map(rows.map((row) => [String(row["k"]), String(row["v"])]));
  } catch (error) {
    // A database of ours without its table: half of the file is another's.
    const { errcode } = error as { errcode?: unknown };
    if (errcode === SQLITE_ERROR) throw new DamagedIndex("it has no versions");
    throw error;
  }
}

function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}
