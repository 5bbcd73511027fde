import type {
  ChannelStates,
  ChannelStores,
  Inbox,
  Outbox,
  OutboxItem,
  Pairing,
  Pairings,
} from "@elwood/runtime/ports/channel-ports";
import { checkTenant, pageLimit } from "@elwood/runtime/run/store-input";
import {
  hasMoreToShow,
  adoptedMessages,
  markedMessages,
  revisedMessages,
  withoutContent,
} from "@elwood/runtime/channels/outbox-messages";
import { type Database, query } from "./database.ts";
import { readStored } from "./stored-json.ts";

interface OutboxRow {
  readonly id: string;
  readonly channel: string;
  readonly chat: string;
  readonly kind: OutboxItem["kind"];
  readonly subject: string;
  readonly run_id: string | null;
  readonly reply_to: string | null;
  readonly state: OutboxItem["state"];
  readonly messages: string;
  readonly ready_at: number | null;
  readonly not_before: number | null;
  readonly failures: number;
  readonly problem: string | null;
  readonly reason: OutboxItem["reason"] | null;
  readonly created_at: number;
  readonly settled_at: number | null;
}

interface PairingRow {
  readonly channel: string;
  readonly sender_id: string;
  readonly name: string;
  readonly state: Pairing["state"];
  readonly code_hash: string | null;
  readonly expires_at: number | null;
  readonly at: number;
}

const ITEM = `id, channel, chat, kind, subject, run_id, reply_to, state, messages, ready_at, not_before,
  failures, problem, reason, created_at, settled_at`;
const PAIRING = "channel, sender_id, name, state, code_hash, expires_at, at";

export const CHANNEL_SQL = {
  open: `INSERT INTO outbox (tenant, id, channel, chat, kind, subject, run_id, reply_to, state, messages, ready_at, created_at, closed)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?5 = 'notice') ON CONFLICT DO NOTHING`,
  lastReady: query<{ at: number | null }>(`SELECT max(ready_at) AS at FROM outbox
    WHERE tenant = ? AND channel = ? AND chat = ? AND state = 'ready'`),
  get: query<OutboxRow>(`SELECT ${ITEM} FROM outbox WHERE tenant = ? AND id = ?`),
  about: query<OutboxRow>(`SELECT ${ITEM} FROM outbox WHERE tenant = ? AND kind = ? AND subject = ?
    ORDER BY channel, chat`),
  aboutIn: query<OutboxRow>(`SELECT ${ITEM} FROM outbox
    WHERE tenant = ? AND kind = ? AND subject = ? AND channel = ? AND chat = ?`),
  ofMessage: query<{ id: string }>(`SELECT id FROM outbox_sent
    WHERE tenant = ? AND channel = ? AND chat = ? AND message_id = ?`),
  revise: `UPDATE outbox SET state = ?3, messages = ?4, ready_at = ?5, not_before = NULL, failures = 0,
    problem = NULL, reason = NULL, settled_at = NULL WHERE tenant = ?1 AND id = ?2`,
  setMessages: "UPDATE outbox SET messages = ?3 WHERE tenant = ?1 AND id = ?2",
  sent: `INSERT INTO outbox_sent (tenant, channel, chat, message_id, id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (tenant, channel, chat, message_id) DO UPDATE SET id = excluded.id`,
  postpone: `UPDATE outbox SET not_before = ?3, problem = ?4, failures = failures + 1
    WHERE tenant = ?1 AND id = ?2 AND settled_at IS NULL`,
  settle: `UPDATE outbox SET state = ?3, problem = ?4, reason = ?5, settled_at = ?6, messages = ?7, not_before = NULL
    WHERE tenant = ?1 AND id = ?2 AND settled_at IS NULL`,
  unsettled: query<OutboxRow>(`SELECT ${ITEM} FROM outbox INDEXED BY outbox_unsettled
    WHERE tenant = ? AND settled_at IS NULL
    ORDER BY state = 'writing', coalesce(ready_at, created_at), rowid LIMIT ?`),
  next: query<OutboxRow>(`SELECT ${ITEM} FROM outbox
    WHERE tenant = ? AND channel = ? AND chat = ? AND state = 'ready' ORDER BY ready_at, rowid LIMIT 1`),
  unclosed: query<OutboxRow>(`SELECT ${ITEM} FROM outbox INDEXED BY outbox_unclosed
    WHERE tenant = ? AND settled_at IS NOT NULL AND closed = 0 ORDER BY rowid LIMIT ?`),
  undelivered: query<OutboxRow>(`SELECT ${ITEM} FROM outbox INDEXED BY outbox_settled
    WHERE tenant = ?1 AND settled_at >= ?2 AND state = 'undeliverable' AND kind = 'reply' AND NOT EXISTS (
      SELECT 1 FROM outbox later INDEXED BY outbox_settled WHERE later.tenant = ?1
        AND later.settled_at > outbox.settled_at AND later.state = 'delivered'
        AND later.channel = outbox.channel AND later.chat = outbox.chat)
    ORDER BY settled_at DESC, rowid DESC LIMIT ?3`),
  close: "UPDATE outbox SET closed = 1 WHERE tenant = ? AND id = ?",
  moveItems: "UPDATE OR IGNORE outbox SET chat = ?4 WHERE tenant = ?1 AND channel = ?2 AND chat = ?3",
  moveSent: "UPDATE OR IGNORE outbox_sent SET chat = ?4 WHERE tenant = ?1 AND channel = ?2 AND chat = ?3",
  pruneSent: `DELETE FROM outbox_sent WHERE tenant = ?1 AND id IN (
    SELECT id FROM outbox WHERE tenant = ?1 AND settled_at IS NOT NULL AND settled_at < ?2)`,
  prune: "DELETE FROM outbox WHERE tenant = ? AND settled_at IS NOT NULL AND settled_at < ?",

  seen: query<{ done: number }>("SELECT done FROM inbox WHERE tenant = ? AND channel = ? AND event_id = ?"),
  plan: "INSERT INTO inbox (tenant, channel, event_id, done, plan, at) VALUES (?, ?, ?, 0, ?, ?) ON CONFLICT DO NOTHING",
  planned: query<{ plan: string | null }>(
    "SELECT plan FROM inbox WHERE tenant = ? AND channel = ? AND event_id = ?",
  ),
  note: `INSERT INTO inbox (tenant, channel, event_id, done, plan, at) VALUES (?, ?, ?, 1, NULL, ?)
    ON CONFLICT (tenant, channel, event_id) DO UPDATE SET done = 1, plan = NULL`,
  pruneInbox: "DELETE FROM inbox WHERE tenant = ? AND at < ?",

  readState: query<{ value: string }>(
    "SELECT value FROM channel_states WHERE tenant = ? AND channel = ? AND key = ?",
  ),
  writeState: `INSERT INTO channel_states (tenant, channel, key, value) VALUES (?, ?, ?, ?)
    ON CONFLICT (tenant, channel, key) DO UPDATE SET value = excluded.value`,

  pairing: query<PairingRow>(
    `SELECT ${PAIRING} FROM pairings WHERE tenant = ? AND channel = ? AND sender_id = ?`,
  ),
  pairings: query<PairingRow>(
    `SELECT ${PAIRING} FROM pairings WHERE tenant = ? ORDER BY at, channel, sender_id`,
  ),
  putPairing: `INSERT INTO pairings (tenant, ${PAIRING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, channel, sender_id) DO UPDATE SET name = excluded.name, state = excluded.state,
      code_hash = excluded.code_hash, expires_at = excluded.expires_at, at = excluded.at`,
  dropPairing: "DELETE FROM pairings WHERE tenant = ? AND channel = ? AND sender_id = ?",
};

export function sqliteChannels(db: Database): ChannelStores {
  return {
    outbox: sqliteOutbox(db),
    inbox: sqliteInbox(db),
    channelStates: sqliteStates(db),
    pairings: sqlitePairings(db),
  };
}

function sqliteOutbox(db: Database): Outbox {
  function find(tenant: string, id: string): OutboxItem | undefined {
    const row = db.get(CHANNEL_SQL.get, tenant, id);
    return row && toItem(row);
  }

  /** A clock that was set back puts nothing before what waits already. */
  function readyAt(tenant: string, channel: string, chat: string, at: number): number {
    const last = db.get(CHANNEL_SQL.lastReady, tenant, channel, chat)?.at ?? null;
    return last === null ? at : Math.max(at, last + 1);
  }

  return {
    async open(tenant, item) {
      checkTenant(tenant);
      const { id, channel, chat, kind, subject, at } = item;
      const messages = revisedMessages([], item.messages ?? []);
      const store = (): OutboxItem => {
        const more = [item.runId ?? null, item.replyTo ?? null] as const;
        const stored = JSON.stringify(messages);
        db.run(
          CHANNEL_SQL.open,
          tenant,
          id,
          channel,
          chat,
          kind,
          subject,
          ...more,
          item.messages ? "ready" : "writing",
          stored,
          item.messages ? readyAt(tenant, channel, chat, at) : null,
          at,
        );
        return toItem(db.get(CHANNEL_SQL.aboutIn, tenant, kind, subject, channel, chat)!);
      };
      return item.messages ? db.grouped(store) : db.unsynced(store);
    },

    async get(tenant, id) {
      checkTenant(tenant);
      return find(tenant, id);
    },

    async about(tenant, kind, subject) {
      checkTenant(tenant);
      return db.all(CHANNEL_SQL.about, tenant, kind, subject).map(toItem);
    },

    async ofMessage(tenant, { channel, chat, messageId }) {
      checkTenant(tenant);
      const found = db.get(CHANNEL_SQL.ofMessage, tenant, channel, chat, messageId);
      return found && find(tenant, found.id);
    },

    async revise(tenant, id, { messages, at, writing = false }) {
      checkTenant(tenant);
      return db.unsynced(() => {
        const item = find(tenant, id);
        if (!item) return undefined;
        const revised = JSON.stringify(revisedMessages(item.messages, messages));
        if (writing) db.run(CHANNEL_SQL.setMessages, tenant, id, revised);
        else {
          const when = readyAt(tenant, item.channel, item.chat, at);
          db.run(CHANNEL_SQL.revise, tenant, id, "ready", revised, when);
        }
        return find(tenant, id);
      });
    },

    async mark(tenant, id, index, change) {
      checkTenant(tenant);
      return db.grouped(() => {
        const item = find(tenant, id);
        if (!item) return undefined;
        const messages = markedMessages(item.messages, index, change);
        db.run(CHANNEL_SQL.setMessages, tenant, id, JSON.stringify(messages));
        if (typeof change.messageId === "string")
          db.run(CHANNEL_SQL.sent, tenant, item.channel, item.chat, change.messageId, id);
        return find(tenant, id);
      });
    },

    async adopt(tenant, id, messageId) {
      checkTenant(tenant);
      return db.grouped(() => {
        const item = find(tenant, id);
        if (!item) return undefined;
        const messages = adoptedMessages(item.messages, messageId);
        db.run(CHANNEL_SQL.setMessages, tenant, id, JSON.stringify(messages));
        db.run(CHANNEL_SQL.sent, tenant, item.channel, item.chat, messageId, id);
        return find(tenant, id);
      });
    },

    async postpone(tenant, id, { notBefore, problem }) {
      checkTenant(tenant);
      await db.grouped(() => db.run(CHANNEL_SQL.postpone, tenant, id, notBefore, problem));
    },

    async settle(tenant, id, change) {
      checkTenant(tenant);
      return db.unsynced(() => {
        const item = find(tenant, id);
        if (!item) return undefined;
        if (change.state === "delivered" && hasMoreToShow(item)) return item;
        const messages = JSON.stringify(item.messages.map(withoutContent));
        const [problem, reason] =
          change.state === "delivered" ? [null, null] : [change.problem, change.reason];
        db.run(CHANNEL_SQL.settle, tenant, id, change.state, problem, reason, change.at, messages);
        return find(tenant, id);
      });
    },

    async next(tenant, channel, chat) {
      checkTenant(tenant);
      const row = db.get(CHANNEL_SQL.next, tenant, channel, chat);
      return row && toItem(row);
    },

    async unsettled(tenant, limit) {
      checkTenant(tenant);
      return db.all(CHANNEL_SQL.unsettled, tenant, limit).map(toItem);
    },

    async unclosed(tenant, limit) {
      checkTenant(tenant);
      return db.all(CHANNEL_SQL.unclosed, tenant, pageLimit(limit)).map(toItem);
    },

    async undelivered(tenant, since, limit) {
      checkTenant(tenant);
      return db.all(CHANNEL_SQL.undelivered, tenant, since, pageLimit(limit)).map(toItem);
    },

    async close(tenant, id) {
      checkTenant(tenant);
      db.unsynced(() => db.run(CHANNEL_SQL.close, tenant, id));
    },

    async moveChat(tenant, channel, from, to) {
      checkTenant(tenant);
      await db.grouped(() => {
        db.run(CHANNEL_SQL.moveItems, tenant, channel, from, to);
        return db.run(CHANNEL_SQL.moveSent, tenant, channel, from, to);
      });
    },

    async prune(tenant, before) {
      checkTenant(tenant);
      return db.transaction(() => {
        db.run(CHANNEL_SQL.pruneSent, tenant, before);
        return db.run(CHANNEL_SQL.prune, tenant, before);
      });
    },
  };
}

function toItem(row: OutboxRow): OutboxItem {
  return {
    id: row.id,
    channel: row.channel,
    chat: row.chat,
    kind: row.kind,
    subject: row.subject,
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.reply_to === null ? {} : { replyTo: row.reply_to }),
    state: row.state,
    messages: readStored("outboxMessages", row.messages, `What is owed to a chat (${row.id})`),
    ...(row.ready_at === null ? {} : { readyAt: row.ready_at }),
    ...(row.not_before === null ? {} : { notBefore: row.not_before }),
    failures: row.failures,
    ...(row.problem === null ? {} : { problem: row.problem }),
    ...(row.reason ? { reason: row.reason } : {}),
    createdAt: row.created_at,
    ...(row.settled_at === null ? {} : { settledAt: row.settled_at }),
  };
}

function sqliteInbox(db: Database): Inbox {
  return {
    async seen(tenant, channel, eventId) {
      checkTenant(tenant);
      return db.get(CHANNEL_SQL.seen, tenant, channel, eventId)?.done === 1;
    },

    async plan(tenant, channel, eventId, plan, at) {
      checkTenant(tenant);
      return db.grouped(() => {
        db.run(CHANNEL_SQL.plan, tenant, channel, eventId, plan, at);
        return db.get(CHANNEL_SQL.planned, tenant, channel, eventId)?.plan ?? plan;
      });
    },

    async note(tenant, channel, eventId, at) {
      checkTenant(tenant);
      db.unsynced(() => db.run(CHANNEL_SQL.note, tenant, channel, eventId, at));
    },

    async prune(tenant, before) {
      checkTenant(tenant);
      return db.transaction(() => db.run(CHANNEL_SQL.pruneInbox, tenant, before));
    },
  };
}

function sqliteStates(db: Database): ChannelStates {
  return {
    async read(tenant, channel, key) {
      checkTenant(tenant);
      return db.get(CHANNEL_SQL.readState, tenant, channel, key)?.value;
    },

    async write(tenant, channel, key, value) {
      checkTenant(tenant);
      await db.grouped(() => db.run(CHANNEL_SQL.writeState, tenant, channel, key, value));
    },
  };
}

function sqlitePairings(db: Database): Pairings {
  return {
    async find(tenant, channel, senderId) {
      checkTenant(tenant);
      const row = db.get(CHANNEL_SQL.pairing, tenant, channel, senderId);
      return row && toPairing(row);
    },

    async list(tenant) {
      checkTenant(tenant);
      return db.all(CHANNEL_SQL.pairings, tenant).map(toPairing);
    },

    async put(tenant, { channel, senderId, name, state, codeHash, expiresAt, at }) {
      checkTenant(tenant);
      const code = [codeHash ?? null, expiresAt ?? null] as const;
      await db.grouped(() =>
        db.run(CHANNEL_SQL.putPairing, tenant, channel, senderId, name, state, ...code, at),
      );
    },

    async remove(tenant, channel, senderId) {
      checkTenant(tenant);
      return db.transaction(() => db.run(CHANNEL_SQL.dropPairing, tenant, channel, senderId)) > 0;
    },
  };
}

function toPairing(row: PairingRow): Pairing {
  return {
    channel: row.channel,
    senderId: row.sender_id,
    name: row.name,
    state: row.state,
    ...(row.code_hash === null ? {} : { codeHash: row.code_hash }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    at: row.at,
  };
}
