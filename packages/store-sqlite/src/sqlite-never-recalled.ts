import type { Sha256 } from "@elwood/core/receipts/receipt";
import { checkTenant } from "@elwood/runtime/run/store-input";
import type { Database } from "./database.ts";
import { AnyRows } from "./kept-rows.ts";

/** What the owner does not want recalled by itself. It is known by what it says, wherever that stands. */
export interface NeverRecalled {
  has(tenant: string, text: string): boolean;
  /** Asked before every message, so that nobody pays for what they do not use. */
  isEmpty(tenant: string): boolean;
  set(tenant: string, text: string, never: boolean, at: number): void;
}

export const NEVER_SQL = {
  has: "SELECT 1 FROM never_recalled WHERE tenant = ? AND text_sha = ?",
  any: "SELECT 1 FROM never_recalled WHERE tenant = ? LIMIT 1",
  put: "INSERT INTO never_recalled (tenant, text_sha, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  drop: "DELETE FROM never_recalled WHERE tenant = ? AND text_sha = ?",
};

export function sqliteNeverRecalled(db: Database, sha256: Sha256): NeverRecalled {
  const any = new AnyRows(db, NEVER_SQL.any);
  const hash = (text: string) => sha256(`elwood.never-recalled.v1\n${text.normalize("NFC").trim()}`);
  return {
    has(tenant, text) {
      checkTenant(tenant);
      return db.get(NEVER_SQL.has, tenant, hash(text)) !== undefined;
    },
    isEmpty(tenant) {
      checkTenant(tenant);
      return !any.of(tenant);
    },
    set(tenant, text, never, at) {
      checkTenant(tenant);
      db.transaction(() => {
        if (never) db.run(NEVER_SQL.put, tenant, hash(text), at);
        else db.run(NEVER_SQL.drop, tenant, hash(text));
        any.changed();
      });
    },
  };
}
