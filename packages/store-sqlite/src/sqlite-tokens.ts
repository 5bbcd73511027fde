import { readStored } from "./stored-json.ts";
import { fail } from "@elwood/core/base/failure";
import type { TokenInfo, TokenStore } from "@elwood/runtime/ports/ports";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
  readonly public_key: string | null;
  readonly acts_for: string | null;
}

const COLUMNS = "id, name, scopes, created_at, last_used_at, expires_at, public_key, acts_for";

export const TOKEN_SQL = {
  add: `INSERT INTO tokens (tenant, hash, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  byHash: query<TokenRow>(`SELECT ${COLUMNS} FROM tokens WHERE tenant = ? AND hash = ?`),
  list: query<TokenRow>(`SELECT ${COLUMNS} FROM tokens WHERE tenant = ? ORDER BY created_at, id`),
  touch: `UPDATE tokens SET last_used_at = max(coalesce(last_used_at, 0), ?3) WHERE tenant = ?1 AND id = ?2`,
  revoke: "DELETE FROM tokens WHERE tenant = ? AND id = ?",
};

export function sqliteTokens(db: Database): TokenStore {
  return {
    async add(tenant, token) {
      checkTenant(tenant);
      const { id, name, scopes, hash, createdAt } = token;
      const times = [createdAt, token.lastUsedAt ?? null, token.expiresAt ?? null] as const;
      if (token.actsFor !== undefined) checkTenant(token.actsFor);
      const added = db.transaction(() =>
        db.run(
          TOKEN_SQL.add,
          tenant,
          hash,
          id,
          name,
          JSON.stringify(scopes),
          ...times,
          token.publicKey ?? null,
          token.actsFor ?? null,
        ),
      );
      if (added === 0) fail("CONFLICT", "This token exists already. Nothing was changed.");
    },

    async findByHash(tenant, hash) {
      checkTenant(tenant);
      const row = db.get(TOKEN_SQL.byHash, tenant, hash);
      return row && toInfo(row);
    },

    async list(tenant) {
      checkTenant(tenant);
      return db.all(TOKEN_SQL.list, tenant).map(toInfo);
    },

    async touch(tenant, id, at) {
      checkTenant(tenant);
      db.unsynced(() => db.run(TOKEN_SQL.touch, tenant, id, at));
    },

    async revoke(tenant, id) {
      checkTenant(tenant);
      return db.transaction(() => db.run(TOKEN_SQL.revoke, tenant, id)) > 0;
    },
  };
}

function toInfo(row: TokenRow): TokenInfo {
  return {
    id: row.id,
    name: row.name,
    scopes: readStored("scopes", row.scopes, `The token ${row.id}`),
    createdAt: row.created_at,
    ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.public_key === null ? {} : { publicKey: row.public_key }),
    ...(row.acts_for === null ? {} : { actsFor: row.acts_for }),
  };
}
