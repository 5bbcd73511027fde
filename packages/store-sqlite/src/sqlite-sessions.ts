import { fromCursor, toCursor } from "@elwood/core/base/cursor";
import { fail } from "@elwood/core/base/failure";
import { changedSettings, type Session } from "@elwood/core/message/session";
import type { SessionStore } from "@elwood/runtime/ports/ports";
import { checkTenant, pageLimit, searchWords } from "@elwood/runtime/run/store-input";
import { erased } from "./erased.ts";
import { type Database, query } from "./database.ts";
import type { KeptOfSessions } from "./kept-of-sessions.ts";
import { searchMessages } from "./message-search.ts";
import { foldedTitle, SESSION_BY_ID, SESSION_COLUMNS, toSession, type SessionRow } from "./session-rows.ts";

const COLUMNS = SESSION_COLUMNS.join(", ");

export const SESSION_SQL = {
  create:
    query<SessionRow>(`INSERT INTO sessions (tenant, id, agent_id, title, title_folded, titled_by, created_at, updated_at, surface)
    VALUES (?1, ?2, ?3, ?4, ?5, 'default', ?6, ?6, ?7) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`),
  unbind: "UPDATE sessions SET channel = NULL, chat = NULL WHERE tenant = ?1 AND channel = ?2 AND chat = ?3",
  bind: "UPDATE sessions SET channel = ?3, chat = ?4 WHERE tenant = ?1 AND id = ?2",
  byKey: query<SessionRow>(`SELECT ${COLUMNS} FROM sessions
    WHERE tenant = ? AND channel = ? AND chat = ? AND deleted_at IS NULL`),
  keyOf: query<{ channel: string; chat: string }>(
    "SELECT channel, chat FROM sessions WHERE tenant = ? AND id = ? AND channel IS NOT NULL",
  ),
  list: query<SessionRow>(`SELECT ${COLUMNS} FROM sessions
    WHERE tenant = ? AND deleted_at IS NULL AND (updated_at, id) < (?, ?) AND instr(title_folded, ?) > 0
      AND (archived_at IS NOT NULL) BETWEEN ? AND ?
    ORDER BY updated_at DESC, id DESC LIMIT ?`),
  listFiled: query<SessionRow>(`SELECT ${COLUMNS} FROM sessions INDEXED BY sessions_filed
    WHERE tenant = ? AND folder IS NOT NULL AND deleted_at IS NULL AND (updated_at, id) < (?, ?)
      AND archived_at IS NULL
    ORDER BY updated_at DESC, id DESC LIMIT ?`),
  listDeleted: query<SessionRow>(`SELECT ${COLUMNS} FROM sessions
    WHERE tenant = ? AND deleted_at IS NOT NULL AND (deleted_at, id) < (?, ?) AND instr(title_folded, ?) > 0
    ORDER BY deleted_at DESC, id DESC LIMIT ?`),
  rename: `UPDATE sessions SET title = ?3, title_folded = ?4, titled_by = ?5
    WHERE tenant = ?1 AND id = ?2 AND (titled_by <> 'owner' OR ?5 = 'owner')`,
  configure: "UPDATE sessions SET model = ?3, settings = ?4 WHERE tenant = ?1 AND id = ?2",
  pin: "UPDATE sessions SET pinned = ?3 WHERE tenant = ?1 AND id = ?2",
  archive: "UPDATE sessions SET archived_at = ?3 WHERE tenant = ?1 AND id = ?2",
  move: "UPDATE sessions SET folder = ?3 WHERE tenant = ?1 AND id = ?2",
  trash: "UPDATE sessions SET deleted_at = ?3 WHERE tenant = ?1 AND id = ?2 AND deleted_at IS NULL",
  restore: `UPDATE sessions SET deleted_at = NULL, updated_at = max(updated_at, ?3)
    WHERE tenant = ?1 AND id = ?2 AND deleted_at IS NOT NULL`,
  trashed:
    query<SessionRow>(`SELECT ${COLUMNS} FROM sessions WHERE tenant = ? AND deleted_at IS NOT NULL AND deleted_at < ?
    ORDER BY deleted_at, id LIMIT ?`),
  // What its receipts commit to: they stay, and what they commit to goes.
  eraseBodies: `DELETE FROM bodies WHERE tenant = ?1 AND commitment IN (
    SELECT json_each.value FROM receipts, json_each(CASE WHEN json_valid(payload) THEN payload ELSE '{}' END)
    WHERE receipts.tenant = ?1 AND json_each.key LIKE '%Commit'
      AND run_id IN (SELECT id FROM runs WHERE tenant = ?1 AND session_id = ?2))`,
  // What is owed to chats for its runs goes with them.
  purgeOwed: `DELETE FROM outbox WHERE tenant = ?1 AND run_id IN (SELECT id FROM runs WHERE tenant = ?1 AND session_id = ?2)`,
  purge: "DELETE FROM sessions WHERE tenant = ? AND id = ?",
};

/** Whether it is archived, from and to. */
const NOT_ARCHIVED = [0, 0] as const;
const ARCHIVED = [1, 1] as const;
const BOTH = [0, 1] as const;

/** Before every place in the list. */
const NEWEST = { at: Number.MAX_SAFE_INTEGER, id: "" };

/** `purged` is called once runs are gone: nothing that was read of them before may be used any more. */
export function sqliteSessions(db: Database, purged: () => void, kept: KeptOfSessions): SessionStore {
  /** Inside a transaction: what is read there may be taken back. */
  function find(tenant: string, sessionId: string): Session | undefined {
    const row = db.get(SESSION_BY_ID, tenant, sessionId);
    return row && toSession(row);
  }

  /** Runs one UPDATE and answers with the row as it then stands, changed or not. */
  function change(sql: string, tenant: string, sessionId: string, ...values: (string | number | null)[]) {
    checkTenant(tenant);
    return db.transaction(() => {
      db.run(sql, tenant, sessionId, ...values);
      kept.rows.drop(tenant, sessionId);
      return find(tenant, sessionId);
    });
  }

  return {
    async create(tenant, { id, agentId, title, at, surface, firstMessage = false }) {
      checkTenant(tenant);
      const insert = () => {
        kept.rows.drop(tenant, id);
        return db.get(
          SESSION_SQL.create,
          tenant,
          id,
          agentId,
          title,
          foldedTitle(title),
          at,
          surface ?? null,
        );
      };
      const row = firstMessage ? db.unsynced(insert) : db.transaction(insert);
      if (!row) fail("CONFLICT", "A session with this id exists already. Nothing was changed.");
      return toSession(row);
    },

    async get(tenant, sessionId) {
      checkTenant(tenant);
      const [row] = kept.ofSession(tenant, sessionId);
      return row && toSession(row);
    },

    async bind(tenant, sessionId, { channel, chat }) {
      checkTenant(tenant);
      return db.transaction(() => {
        if (!find(tenant, sessionId)) return undefined;
        db.run(SESSION_SQL.unbind, tenant, channel, chat);
        db.run(SESSION_SQL.bind, tenant, sessionId, channel, chat);
        return find(tenant, sessionId);
      });
    },

    async keyOf(tenant, sessionId) {
      checkTenant(tenant);
      return db.get(SESSION_SQL.keyOf, tenant, sessionId);
    },

    async findByKey(tenant, { channel, chat }) {
      checkTenant(tenant);
      const row = db.get(SESSION_SQL.byKey, tenant, channel, chat);
      return row && toSession(row);
    },

    async list(tenant, page) {
      checkTenant(tenant);
      const { at, id } = page.before === undefined ? NEWEST : fromCursor(page.before);
      const limit = pageLimit(page.limit);
      const words = searchWords(page.query ?? "");
      const shown = page.archived ? ARCHIVED : words === "" ? NOT_ARCHIVED : BOTH;
      const rows = page.deleted
        ? db.all(SESSION_SQL.listDeleted, tenant, at, id, words, limit + 1)
        : page.filed
          ? db.all(SESSION_SQL.listFiled, tenant, at, id, limit + 1)
          : db.all(SESSION_SQL.list, tenant, at, id, words, ...shown, limit + 1);
      const sessions = rows.slice(0, limit).map(toSession);
      const last = sessions.at(-1);
      return rows.length > limit && last
        ? { sessions, next: toCursor({ at: last.deletedAt ?? last.updatedAt, id: last.id }) }
        : { sessions };
    },

    async rename(tenant, sessionId, title, by) {
      return change(SESSION_SQL.rename, tenant, sessionId, title, foldedTitle(title), by);
    },

    async pin(tenant, sessionId, pinned) {
      return change(SESSION_SQL.pin, tenant, sessionId, pinned ? 1 : 0);
    },

    async archive(tenant, sessionId, at) {
      return change(SESSION_SQL.archive, tenant, sessionId, at ?? null);
    },

    async move(tenant, sessionId, folder) {
      return change(SESSION_SQL.move, tenant, sessionId, folder ?? null);
    },

    async configure(tenant, sessionId, change) {
      checkTenant(tenant);
      return db.transaction(() => {
        const session = find(tenant, sessionId);
        if (!session) return undefined;
        const { model, ...settings } = changedSettings(session, change);
        const stored = Object.keys(settings).length === 0 ? null : JSON.stringify(settings);
        db.run(SESSION_SQL.configure, tenant, sessionId, model ?? null, stored);
        kept.rows.drop(tenant, sessionId);
        return find(tenant, sessionId);
      });
    },

    async trash(tenant, sessionId, at) {
      return change(SESSION_SQL.trash, tenant, sessionId, at);
    },

    async restore(tenant, sessionId, at) {
      return change(SESSION_SQL.restore, tenant, sessionId, at);
    },

    async trashed(tenant, before, limit) {
      checkTenant(tenant);
      return db.all(SESSION_SQL.trashed, tenant, before, pageLimit(limit)).map(toSession);
    },

    async purge(tenant, sessionId) {
      checkTenant(tenant);
      erased(db, () =>
        db.transaction(() => {
          db.run(SESSION_SQL.eraseBodies, tenant, sessionId);
          const owed = db.run(SESSION_SQL.purgeOwed, tenant, sessionId);
          return db.run(SESSION_SQL.purge, tenant, sessionId) + owed > 0;
        }),
      );
      purged();
    },

    async search(tenant, query, limit) {
      checkTenant(tenant);
      return searchMessages(db, tenant, searchWords(query), pageLimit(limit));
    },
  };
}
