import type { Migration } from "../migrations.ts";

/** Connections and actions in versions, what their executions used, and answers that are kept for a while. */
export const actions: Migration = {
  version: 16,
  name: "0016-actions",
  sql: `
CREATE TABLE resource_versions (
  tenant     TEXT NOT NULL,
  type       TEXT NOT NULL CHECK (type IN ('connection', 'action')),
  name       TEXT NOT NULL,
  version    INTEGER NOT NULL CHECK (version > 0),
  spec       TEXT NOT NULL,
  digest     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  PRIMARY KEY (tenant, type, name, version)
) STRICT;
CREATE TRIGGER resource_versions_stay BEFORE UPDATE ON resource_versions
BEGIN SELECT RAISE(ABORT, 'a version never changes'); END;

CREATE TABLE resource_heads (
  tenant     TEXT NOT NULL,
  type       TEXT NOT NULL,
  name       TEXT NOT NULL,
  newest     INTEGER NOT NULL,
  current    INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, type, name),
  FOREIGN KEY (tenant, type, name, newest) REFERENCES resource_versions (tenant, type, name, version),
  FOREIGN KEY (tenant, type, name, current) REFERENCES resource_versions (tenant, type, name, version)
) STRICT;

CREATE TABLE executions (
  tenant     TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  action     TEXT NOT NULL,
  token_id   TEXT NOT NULL,
  surface    TEXT NOT NULL,
  status     TEXT NOT NULL,
  model      TEXT,
  usage      TEXT,
  cost_usd   REAL,
  cached     TEXT,
  reason     TEXT,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL,
  PRIMARY KEY (tenant, seq),
  UNIQUE (tenant, id)
) STRICT;
CREATE INDEX executions_by_time ON executions (tenant, started_at);

CREATE TABLE keyed_requests (
  tenant       TEXT NOT NULL,
  token_id     TEXT NOT NULL,
  key          TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  process_id   TEXT NOT NULL,
  repeatable   INTEGER NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('in-flight', 'answered', 'forgotten')),
  status       INTEGER,
  body         TEXT,
  at           INTEGER NOT NULL,
  PRIMARY KEY (tenant, token_id, key)
) STRICT;
CREATE INDEX keyed_requests_by_time ON keyed_requests (tenant, at);

CREATE TABLE cached_answers (
  tenant     TEXT NOT NULL,
  key        TEXT NOT NULL,
  scope      TEXT NOT NULL,
  body       TEXT NOT NULL,
  vector     BLOB,
  at         INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, key)
) STRICT;
CREATE INDEX cached_answers_of_scope ON cached_answers (tenant, scope, at) WHERE vector IS NOT NULL;
CREATE INDEX cached_answers_by_time ON cached_answers (tenant, at);
`,
};
