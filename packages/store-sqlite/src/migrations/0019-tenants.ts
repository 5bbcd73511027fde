import type { Migration } from "../migrations.ts";

/**
 * Tokens that act for a tenant, what requests hold of a tenant's caps, and whose account paid.
 * `spent_requests` is what runs and executions used, in one list; answers from a cache used nothing.
 */
export const tenants: Migration = {
  version: 19,
  name: "0019-tenants",
  sql: `
ALTER TABLE tokens ADD COLUMN acts_for TEXT;
ALTER TABLE usage ADD COLUMN profile TEXT;
ALTER TABLE executions ADD COLUMN profile TEXT;

CREATE TABLE held_costs (
  tenant     TEXT NOT NULL,
  id         TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  process_id TEXT NOT NULL,
  at         INTEGER NOT NULL,
  held       INTEGER NOT NULL CHECK (held IN (0, 1)),
  cost_usd   REAL NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_costs_by_time ON held_costs (tenant, at);
CREATE INDEX held_costs_of_run ON held_costs (tenant, run_id);

CREATE VIEW spent_requests AS
  SELECT tenant, at, run_id, NULL AS action, model, profile, input_tokens, output_tokens,
    cache_read_tokens, cache_write_tokens, cost_usd
  FROM usage
  UNION ALL
  SELECT tenant, started_at, id, action, model, profile,
    coalesce(json_extract(usage, '$.inputTokens'), 0), coalesce(json_extract(usage, '$.outputTokens'), 0),
    coalesce(json_extract(usage, '$.cacheReadTokens'), 0), coalesce(json_extract(usage, '$.cacheWriteTokens'), 0),
    cost_usd
  FROM executions WHERE model IS NOT NULL AND usage IS NOT NULL AND cached IS NULL;
`,
};
