import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";
import { NOT_DONE } from "./run-sql.ts";
import type { Insight, Spent } from "./insight.ts";

interface SpentRow {
  readonly cost: number;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly laps: number;
  readonly unpriced: number;
}

const SUMS = `coalesce(sum(u.cost_usd), 0) AS cost, coalesce(sum(u.input_tokens), 0) AS input,
  coalesce(sum(u.output_tokens), 0) AS output, coalesce(sum(u.cache_read_tokens), 0) AS cache_read,
  coalesce(sum(u.cache_write_tokens), 0) AS cache_write, count(*) AS laps, count(*) - count(u.cost_usd) AS unpriced`;

export const INSIGHT_SQL = {
  beginnings: query<{
    id: string;
    text: string | null;
  }>(`SELECT s.run_id AS id, substr(json_extract(s.message, '$.blocks[0].text'), 1, ?3) AS text
    FROM json_each(?2) AS j CROSS JOIN steps AS s ON s.tenant = ?1 AND s.run_id = j.value AND s.n = 0`),
  notDone: query<{
    id: string;
    count: number;
  }>(`SELECT c.run_id AS id, count(*) AS count FROM json_each(?2) AS j CROSS JOIN calls AS c INDEXED BY calls_of_run
    ON c.tenant = ?1 AND c.run_id = j.value WHERE ${NOT_DONE} GROUP BY c.run_id`),
  /** What was refused, denied or expired touched nothing; what was taken back says so at the call itself. */
  fileCalls: query<{
    id: string;
    run_id: string;
    created_at: number;
  }>(`SELECT c.id, c.run_id, c.created_at FROM runs AS r CROSS JOIN calls AS c INDEXED BY calls_of_run
      ON c.tenant = r.tenant AND c.run_id = r.id
    WHERE r.tenant = ? AND r.session_id = ? AND c.undoes IS NULL AND c.state NOT IN ('refused', 'denied', 'expired')
      AND ((c.risk <> 'read' AND c.tool_id LIKE 'files.%') OR (instr(c.outcome, '"blobId"') > 0
        AND coalesce(json_extract(c.outcome, '$.images[0]'), json_extract(c.outcome, '$.files[0]')) IS NOT NULL))
      AND (c.created_at, c.id) < (?, ?)
    ORDER BY c.created_at DESC, c.id DESC LIMIT ?`),
  byModel: query<
    SpentRow & { model: string }
  >(`SELECT u.model, ${SUMS} FROM spent_requests AS u WHERE u.tenant = ? AND u.at >= ? AND u.at < ?
    GROUP BY u.model ORDER BY cost DESC, u.model`),
  byAction: query<SpentRow & { action: string }>(`SELECT u.action, ${SUMS} FROM spent_requests AS u
    WHERE u.tenant = ? AND u.at >= ? AND u.action IS NOT NULL GROUP BY u.action ORDER BY cost DESC, u.action LIMIT ?`),
  byProfile: query<SpentRow & { profile: string | null }>(`SELECT u.profile, ${SUMS} FROM spent_requests AS u
    WHERE u.tenant = ? AND u.at >= ? GROUP BY u.profile ORDER BY cost DESC, u.profile`),
  /** Without a limit of time an index would be no help: there are few tenants, and each is summed up by itself. */
  ofTenant: query<SpentRow>(`SELECT ${SUMS} FROM spent_requests AS u WHERE u.tenant = ? AND u.at >= ?`),
  tenantsWith: (table: "sessions" | "executions") =>
    query<{ tenant: string }>(`WITH RECURSIVE each_one (tenant) AS (
      SELECT min(tenant) FROM ${table} UNION ALL
      SELECT (SELECT min(tenant) FROM ${table} WHERE tenant > each_one.tenant) FROM each_one WHERE tenant IS NOT NULL
    ) SELECT tenant FROM each_one WHERE tenant IS NOT NULL`),
  bySession: query<
    SpentRow & { session_id: string | null; title: string | null; runs: number }
  >(`SELECT r.session_id, x.title, count(DISTINCT u.run_id) AS runs, ${SUMS} FROM usage AS u
    LEFT JOIN runs AS r ON r.tenant = u.tenant AND r.id = u.run_id
    LEFT JOIN sessions AS x ON x.tenant = r.tenant AND x.id = r.session_id
    WHERE u.tenant = ? AND u.at >= ? GROUP BY r.session_id
    ORDER BY cost DESC, sum(u.input_tokens + u.output_tokens) DESC LIMIT ?`),
};

/** Tenants that have anything, by name; read from indexes alone. */
export function tenantsIn(db: Pick<Database, "all">): readonly string[] {
  const found = (["sessions", "executions"] as const).flatMap((table) =>
    db.all(INSIGHT_SQL.tenantsWith(table)).map(({ tenant }) => tenant),
  );
  return [...new Set(found)].toSorted();
}

export function sqliteInsight(db: Pick<Database, "all" | "get">): Insight {
  return {
    async beginnings(tenant, runIds, chars) {
      checkTenant(tenant);
      const rows = db.all(INSIGHT_SQL.beginnings, tenant, JSON.stringify(runIds), chars);
      return new Map(rows.flatMap(({ id, text }) => (text === null ? [] : [[id, text]])));
    },

    async notDone(tenant, runIds) {
      checkTenant(tenant);
      const rows = db.all(INSIGHT_SQL.notDone, tenant, JSON.stringify(runIds));
      return new Map(rows.map(({ id, count }) => [id, count]));
    },

    async fileCalls(tenant, sessionId, { before, limit }) {
      checkTenant(tenant);
      return db
        .all(INSIGHT_SQL.fileCalls, tenant, sessionId, before.at, before.id, limit)
        .map(({ id, run_id, created_at }) => ({ id, runId: run_id, at: created_at }));
    },

    async usageByModel(tenant, since, until) {
      checkTenant(tenant);
      const rows = db.all(INSIGHT_SQL.byModel, tenant, since, until);
      return rows.map(({ model, ...row }) => ({ model, ...toSpent(row) }));
    },

    async usageByAction(tenant, since, limit) {
      checkTenant(tenant);
      const rows = db.all(INSIGHT_SQL.byAction, tenant, since, limit);
      return rows.map(({ action, ...row }) => ({ action, ...toSpent(row) }));
    },

    async usageByProfile(tenant, since) {
      checkTenant(tenant);
      const rows = db.all(INSIGHT_SQL.byProfile, tenant, since);
      return rows.map(({ profile, ...row }) => ({
        ...(profile === null ? {} : { profile }),
        ...toSpent(row),
      }));
    },

    async usageByTenant(since) {
      return tenantsIn(db).flatMap((tenant) => {
        const row = db.get(INSIGHT_SQL.ofTenant, tenant, since);
        return row && row.laps > 0 ? [{ tenant, ...toSpent(row) }] : [];
      });
    },

    async usageBySession(tenant, since, limit) {
      checkTenant(tenant);
      return db
        .all(INSIGHT_SQL.bySession, tenant, since, limit)
        .map(({ session_id, title, runs, ...row }) => ({
          ...(session_id === null ? {} : { sessionId: session_id }),
          ...(title === null ? {} : { title }),
          runs,
          ...toSpent(row),
        }));
    },
  };
}

function toSpent({ cost, input, output, cache_read, cache_write, laps, unpriced }: SpentRow): Spent {
  return {
    costUsd: cost,
    tokens: input + output + cache_read + cache_write,
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cache_read,
    cacheWriteTokens: cache_write,
    laps,
    unpriced,
  };
}
