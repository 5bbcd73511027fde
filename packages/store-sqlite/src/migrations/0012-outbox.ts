import type { Migration } from "../migrations.ts";

/**
 * What channels owe, have had, and whom they know.
 *
 * `outbox.messages` holds texts only while they have yet to be shown. `outbox_sent` finds the item
 * of a message that somebody answers or presses a button of. A session may have a model of its own.
 */
export const outbox: Migration = {
  version: 12,
  name: "0012-outbox",
  sql: `
CREATE TABLE outbox (
  tenant      TEXT NOT NULL,
  id          TEXT NOT NULL,
  channel     TEXT NOT NULL,
  chat        TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('reply', 'card', 'notice')),
  subject     TEXT NOT NULL,
  run_id      TEXT,
  reply_to    TEXT,
  state       TEXT NOT NULL CHECK (state IN ('writing', 'ready', 'delivered', 'undeliverable')),
  messages    TEXT NOT NULL,
  ready_at    INTEGER,
  not_before  INTEGER,
  failures    INTEGER NOT NULL DEFAULT 0,
  problem     TEXT,
  reason      TEXT,
  created_at  INTEGER NOT NULL,
  settled_at  INTEGER,
  closed      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, id)
) STRICT;
CREATE UNIQUE INDEX outbox_by_subject ON outbox (tenant, kind, subject, channel, chat);
CREATE INDEX outbox_next ON outbox (tenant, channel, chat, ready_at) WHERE state = 'ready';
CREATE INDEX outbox_unsettled ON outbox (tenant) WHERE settled_at IS NULL;
CREATE INDEX outbox_unclosed ON outbox (tenant) WHERE settled_at IS NOT NULL AND closed = 0;
CREATE INDEX outbox_settled ON outbox (tenant, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX outbox_of_run ON outbox (tenant, run_id) WHERE run_id IS NOT NULL;

CREATE TABLE outbox_sent (
  tenant      TEXT NOT NULL,
  channel     TEXT NOT NULL,
  chat        TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  id          TEXT NOT NULL,
  PRIMARY KEY (tenant, channel, chat, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_sent_of ON outbox_sent (tenant, id);

CREATE TABLE inbox (
  tenant      TEXT NOT NULL,
  channel     TEXT NOT NULL,
  event_id    TEXT NOT NULL,
  done        INTEGER NOT NULL,
  plan        TEXT,
  at          INTEGER NOT NULL,
  PRIMARY KEY (tenant, channel, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_by_age ON inbox (tenant, at);

CREATE TABLE channel_states (
  tenant      TEXT NOT NULL,
  channel     TEXT NOT NULL,
  key         TEXT NOT NULL,
  value       TEXT NOT NULL,
  PRIMARY KEY (tenant, channel, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE pairings (
  tenant      TEXT NOT NULL,
  channel     TEXT NOT NULL,
  sender_id   TEXT NOT NULL,
  name        TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('asked', 'paired')),
  code_hash   TEXT,
  expires_at  INTEGER,
  at          INTEGER NOT NULL,
  PRIMARY KEY (tenant, channel, sender_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE sessions ADD COLUMN model TEXT;
`,
};
