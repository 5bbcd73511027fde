import { LIMITS } from "@elwood/core/base/limits";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";
import { erased } from "./erased.ts";

export interface NoteCopy {
  readonly key: string;
  readonly before: string | null;
  readonly afterSha: string;
}

/** Copies of notes as they were before a call, for a while and never more than so many; forgetting a note takes them along. */
export interface NoteCopies {
  /** On disk when it resolves. */
  put(tenant: string, callKey: string, copy: NoteCopy, at: number): Promise<void>;
  get(tenant: string, callKey: string): NoteCopy | undefined;
  forget(tenant: string, key: string): void;
}

export const NOTE_COPY_SQL = {
  put: `INSERT INTO note_copies (tenant, call_key, key, before, after_sha, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  get: query<{
    key: string;
    before: string | null;
    after_sha: string;
  }>("SELECT key, before, after_sha FROM note_copies WHERE tenant = ? AND call_key = ?"),
  sweep: `DELETE FROM note_copies WHERE tenant = ?1 AND at <= max(?2, coalesce(
    (SELECT at FROM note_copies WHERE tenant = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?3), 0))`,
  forget: "DELETE FROM note_copies WHERE tenant = ? AND key = ?",
};

export function sqliteNoteCopies(db: Database): NoteCopies {
  return {
    async put(tenant, callKey, { key, before, afterSha }, at) {
      checkTenant(tenant);
      await db.grouped(() => {
        db.run(NOTE_COPY_SQL.sweep, tenant, at - LIMITS.noteCopiesMs, LIMITS.noteCopiesMax - 1);
        db.run(NOTE_COPY_SQL.put, tenant, callKey, key, before, afterSha, at);
      });
    },
    get(tenant, callKey) {
      checkTenant(tenant);
      const row = db.get(NOTE_COPY_SQL.get, tenant, callKey);
      return row && { key: row.key, before: row.before, afterSha: row.after_sha };
    },
    forget(tenant, key) {
      checkTenant(tenant);
      erased(db, () => db.transaction(() => db.run(NOTE_COPY_SQL.forget, tenant, key)) > 0);
    },
  };
}
