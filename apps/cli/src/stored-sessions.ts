import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { openReadOnly } from "@elwood/store-sqlite/read-only-database";

/** A session as the database holds it, read past the gateway. */
export interface StoredSession {
  readonly sessionKey: string;
  readonly title: string;
  readonly updatedAt: number;
  readonly deletedAt?: number;
}

const LIVE = `SELECT id, title, updated_at, deleted_at FROM sessions
  WHERE tenant = ? AND deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT ?`;
const DELETED = `SELECT id, title, updated_at, deleted_at FROM sessions
  WHERE tenant = ? AND deleted_at IS NOT NULL ORDER BY deleted_at DESC, id DESC LIMIT ?`;

/**
 * Sessions from the file itself, newest first: for the shell's Tab key, which cannot wait
 * for a gateway. None where there is no database yet. Throws where it cannot be read.
 */
export function readStoredSessions(
  database: string,
  which: "live" | "deleted",
  limit: number,
): StoredSession[] {
  const db = openReadOnly(database);
  if (!db) return [];
  try {
    const rows = db.prepare(which === "live" ? LIVE : DELETED).all(DEFAULT_TENANT, limit);
    return rows.map((row) => ({
      sessionKey: String(row["id"]),
      title: String(row["title"]),
      updatedAt: Number(row["updated_at"]),
      ...(row["deleted_at"] === null ? {} : { deletedAt: Number(row["deleted_at"]) }),
    }));
  } finally {
    db.close();
  }
}
