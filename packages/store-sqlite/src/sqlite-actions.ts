import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type {
  ActionStore,
  Execution,
  ResourceChange,
  ResourceHead,
  ResourceVersion,
} from "@elwood/runtime/ports/action-ports";
import { checkTenant, pageLimit } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";
import { SpentSince } from "./spent-since.ts";
import { readStored } from "./stored-json.ts";

interface HeadRow {
  readonly type: ResourceHead["type"];
  readonly name: string;
  readonly newest: number;
  readonly digest: string;
  readonly current: number;
  readonly updated_at: number;
}

interface VersionRow {
  readonly type: ResourceVersion["type"];
  readonly name: string;
  readonly version: number;
  readonly spec: string;
  readonly digest: string;
  readonly created_at: number;
  readonly created_by: string;
}

interface ExecutionRow {
  readonly id: string;
  readonly action: string;
  readonly token_id: string;
  readonly surface: string;
  readonly status: Execution["status"];
  readonly model: string | null;
  readonly usage: string | null;
  readonly cost_usd: number | null;
  readonly cached: string | null;
  readonly reason: string | null;
  readonly started_at: number;
  readonly ended_at: number;
  readonly profile: string | null;
}

interface KeyRow {
  readonly request_hash: string;
  readonly process_id: string;
  readonly repeatable: number;
  readonly state: "in-flight" | "answered" | "forgotten";
  readonly status: number | null;
  readonly body: string | null;
}

const HEAD = `h.type, h.name, h.newest, v.digest, h.current, h.updated_at FROM resource_heads h
  JOIN resource_versions v ON v.tenant = h.tenant AND v.type = h.type AND v.name = h.name AND v.version = h.newest`;
const VERSION = "type, name, version, spec, digest, created_at, created_by";
const EXECUTION = `id, action, token_id, surface, status, model, usage, cost_usd, cached, reason, started_at, ended_at, profile`;

export const ACTION_SQL = {
  heads: query<HeadRow>(`SELECT ${HEAD} WHERE h.tenant = ? AND h.type = ? ORDER BY h.name`),
  head: query<HeadRow>(`SELECT ${HEAD} WHERE h.tenant = ? AND h.type = ? AND h.name = ?`),
  version: query<VersionRow>(`SELECT ${VERSION} FROM resource_versions
    WHERE tenant = ? AND type = ? AND name = ? AND version = ?`),
  versions: query<VersionRow>(`SELECT ${VERSION} FROM resource_versions
    WHERE tenant = ? AND type = ? AND name = ? ORDER BY version DESC LIMIT ?`),
  add: `INSERT INTO resource_versions (tenant, ${VERSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  addHead: `INSERT INTO resource_heads (tenant, type, name, newest, current, updated_at) VALUES (?1, ?2, ?3, ?4, ?4, ?5)
    ON CONFLICT DO UPDATE SET newest = ?4, current = ?4, updated_at = ?5`,
  point: `UPDATE resource_heads SET current = ?4, updated_at = ?5 WHERE tenant = ?1 AND type = ?2 AND name = ?3
    AND EXISTS (SELECT 1 FROM resource_versions v WHERE v.tenant = ?1 AND v.type = ?2 AND v.name = ?3 AND v.version = ?4)`,
  note: `INSERT INTO executions (tenant, seq, ${EXECUTION})
    VALUES (?1, (SELECT coalesce(max(seq), 0) + 1 FROM executions WHERE tenant = ?1)${", ?".repeat(13)})`,
  executions: query<ExecutionRow>(
    `SELECT ${EXECUTION} FROM executions WHERE tenant = ? ORDER BY seq DESC LIMIT ?`,
  ),
  key: query<KeyRow>(`SELECT request_hash, process_id, repeatable, state, status, body FROM keyed_requests
    WHERE tenant = ? AND token_id = ? AND key = ?`),
  beginKey: `INSERT INTO keyed_requests (tenant, token_id, key, request_hash, process_id, repeatable, state, at)
    VALUES (?, ?, ?, ?, ?, ?, 'in-flight', ?)
    ON CONFLICT DO UPDATE SET process_id = excluded.process_id, at = excluded.at`,
  answerKey: `UPDATE keyed_requests SET state = 'answered', status = ?4, body = ?5, at = ?6
    WHERE tenant = ?1 AND token_id = ?2 AND key = ?3`,
  freeKey: "DELETE FROM keyed_requests WHERE tenant = ? AND token_id = ? AND key = ?",
  pruneKeys: "DELETE FROM keyed_requests WHERE tenant = ? AND at < ?",
  exact: query<{ body: string }>(
    "SELECT body FROM cached_answers WHERE tenant = ? AND key = ? AND expires_at > ?",
  ),
  scope: query<{ vector: Uint8Array; body: string }>(`SELECT vector, body FROM cached_answers
    WHERE tenant = ? AND scope = ? AND vector IS NOT NULL AND expires_at > ? ORDER BY at DESC LIMIT ?`),
  keep: `INSERT INTO cached_answers (tenant, key, scope, body, vector, at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET body = excluded.body, vector = excluded.vector, at = excluded.at,
      expires_at = excluded.expires_at`,
  pruneCache: `DELETE FROM cached_answers WHERE tenant = ?1 AND (expires_at <= ?2 OR at <= coalesce((
    SELECT at FROM cached_answers WHERE tenant = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?3), -1))`,
};

/** The stores are one process's alone, and SQLite is synchronous: what is read within a method stays true until its end. */
export function sqliteActions(db: Database, spent: SpentSince = new SpentSince()): ActionStore {
  return {
    async heads(tenant, type) {
      checkTenant(tenant);
      return db.all(ACTION_SQL.heads, tenant, type).map(toHead);
    },

    async head(tenant, type, name) {
      checkTenant(tenant);
      const row = db.get(ACTION_SQL.head, tenant, type, name);
      return row && toHead(row);
    },

    async version(tenant, type, name, version) {
      checkTenant(tenant);
      const wanted = version === "latest" ? db.get(ACTION_SQL.head, tenant, type, name)?.current : version;
      const row = wanted === undefined ? undefined : db.get(ACTION_SQL.version, tenant, type, name, wanted);
      return row && toVersion(row);
    },

    async versions(tenant, type, name) {
      checkTenant(tenant);
      return db.all(ACTION_SQL.versions, tenant, type, name, LIMITS.pageSizeMax).map(toVersion);
    },

    async apply(tenant, changes, by, at) {
      checkTenant(tenant);
      db.transaction(() => {
        for (const change of changes) applyChange(db, tenant, change, by, at);
      });
    },

    async noteExecution(tenant, execution) {
      checkTenant(tenant);
      const { model, usage, cached, costUsd, startedAt } = execution;
      try {
        await db.grouped(() => {
          db.run(ACTION_SQL.note, tenant, ...executionValues(execution));
          if (model !== undefined && usage && cached === undefined)
            spent.add(tenant, { usage, at: startedAt, ...(costUsd === undefined ? {} : { costUsd }) });
        });
      } catch (error) {
        spent.forget(tenant);
        throw error;
      }
    },

    async executions(tenant, limit) {
      checkTenant(tenant);
      return db.all(ACTION_SQL.executions, tenant, pageLimit(limit)).map(toExecution);
    },

    async begin(tenant, { tokenId, key, requestHash, processId, repeatable }, at) {
      checkTenant(tenant);
      return db.transaction(() => {
        db.run(ACTION_SQL.pruneKeys, tenant, at - LIMITS.keptAnswerMs);
        const row = db.get(ACTION_SQL.key, tenant, tokenId, key);
        if (row && row.request_hash !== requestHash) return { kind: "other-request" } as const;
        if (row?.state === "answered")
          return { kind: "answered", answer: { status: row.status ?? 200, body: row.body ?? "" } } as const;
        if (row?.state === "forgotten") return { kind: "unknown" } as const;
        if (row?.process_id === processId) return { kind: "in-flight" } as const;
        if (row && row.repeatable === 0) return { kind: "unknown" } as const;
        db.run(ACTION_SQL.beginKey, tenant, tokenId, key, requestHash, processId, repeatable ? 1 : 0, at);
        return { kind: "fresh" } as const;
      });
    },

    async finish(tenant, { tokenId, key }, answer, at) {
      checkTenant(tenant);
      db.transaction(() =>
        answer === undefined
          ? db.run(ACTION_SQL.freeKey, tenant, tokenId, key)
          : db.run(ACTION_SQL.answerKey, tenant, tokenId, key, answer.status, answer.body, at),
      );
    },

    async findExact(tenant, key, at) {
      checkTenant(tenant);
      return db.get(ACTION_SQL.exact, tenant, key, at)?.body;
    },

    async findScope(tenant, scope, at, limit) {
      checkTenant(tenant);
      const rows = db.all(ACTION_SQL.scope, tenant, scope, at, pageLimit(limit));
      return rows.map(({ vector, body }) => ({ vector: floats(vector), body }));
    },

    async keep(tenant, { scope, key, body, vector, expiresAt }, at) {
      checkTenant(tenant);
      const bytes = vector ? new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength) : null;
      // A cache may be lost with the power.
      db.unsynced(() => {
        db.run(ACTION_SQL.keep, tenant, key, scope, body, bytes, at, expiresAt);
        db.run(ACTION_SQL.pruneCache, tenant, at, LIMITS.cachedAnswersMax);
      });
    },
  };
}

function applyChange(db: Database, tenant: string, change: ResourceChange, by: string, at: number): void {
  const { type, name, version } = change;
  if (change.kind === "point") {
    if (db.run(ACTION_SQL.point, tenant, type, name, version, at) === 0)
      fail("NOT_FOUND", `There is no version ${version} of ${name}. Nothing was changed.`);
    return;
  }
  const spec = JSON.stringify(change.spec);
  const newest = db.get(ACTION_SQL.head, tenant, type, name)?.newest ?? 0;
  const added =
    version === newest + 1 &&
    db.run(ACTION_SQL.add, tenant, type, name, version, spec, change.digest, at, by) > 0;
  if (!added)
    fail("CONFLICT", `${name} was changed by somebody else meanwhile. Nothing was imported; try again.`);
  db.run(ACTION_SQL.addHead, tenant, type, name, version, at);
}

function toHead({ type, name, newest, digest, current, updated_at: updatedAt }: HeadRow): ResourceHead {
  return { type, name, newest: { version: newest, digest }, current, updatedAt };
}

function toVersion(row: VersionRow): ResourceVersion {
  const { type, name, version, digest, created_at: createdAt, created_by: by } = row;
  const spec = readStored("resourceSpec", row.spec, `The ${type} ${name}`);
  return { type, name, version, spec, digest, createdAt, by };
}

function executionValues(e: Execution) {
  const { id, action, tokenId, surface, status, model, usage, costUsd, cached, reason } = e;
  return [
    id,
    action,
    tokenId,
    surface,
    status,
    model ?? null,
    usage ? JSON.stringify(usage) : null,
    costUsd ?? null,
    cached ?? null,
    reason ?? null,
    e.startedAt,
    e.endedAt,
    e.profile ?? null,
  ] as const;
}

function toExecution(row: ExecutionRow): Execution {
  const { id, action, surface, status, model, usage, cost_usd: costUsd, cached, reason } = row;
  return {
    id,
    action,
    tokenId: row.token_id,
    surface,
    status,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    ...(model === null ? {} : { model }),
    ...(row.profile === null ? {} : { profile: row.profile }),
    ...(usage === null ? {} : { usage: readStored("usage", usage, `The execution ${id}`) }),
    ...(costUsd === null ? {} : { costUsd }),
    ...(cached === "exact" || cached === "semantic" ? { cached } : {}),
    ...(reason === null ? {} : { reason }),
  };
}

function floats(bytes: Uint8Array): Float32Array {
  const whole = bytes.slice();
  return new Float32Array(whole.buffer, 0, Math.floor(whole.byteLength / Float32Array.BYTES_PER_ELEMENT));
}
