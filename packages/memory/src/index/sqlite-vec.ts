import { createRequire } from "node:module";
import type { DatabaseSync } from "node:sqlite";

/** Path of the extension, or undefined where its package has none for this machine. */
export function sqliteVecPath(): string | undefined {
  try {
    const found = createRequire(import.meta.url)("sqlite-vec") as { getLoadablePath(): string };
    return found.getLoadablePath();
  } catch {
    // No build of it for this system: the same is computed in JavaScript.
    return undefined;
  }
}

/**
 * Loads sqlite-vec into a connection that was opened with `allowExtension`. False where that
 * is not possible; then nothing has changed. Nothing else can be loaded afterwards.
 */
export function loadSqliteVec(db: DatabaseSync, path = sqliteVecPath()): boolean {
  if (path === undefined) return false;
  try {
    db.enableLoadExtension(true);
    db.loadExtension(path);
    db.enableLoadExtension(false);
    return true;
  } catch {
    // Not allowed on this connection, or a library that does not fit this system.
    return false;
  }
}
