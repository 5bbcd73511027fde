import { fromCursor, toCursor } from "@elwood/core/base/cursor";
import { fail } from "@elwood/core/base/failure";
import { changedSettings, type Session } from "@elwood/core/message/session";
import { foldCase, plainLine, snippetAround } from "@elwood/core/message/session-text";
import type { SearchHit, SessionStore } from "@elwood/runtime/ports/ports";
import { checkTenant, pageLimit, searchWords } from "@elwood/runtime/run/store-input";
import { copied, keyOf, type MemoryState } from "./memory-state.ts";

export function memorySessions(state: MemoryState): SessionStore {
  const all = (tenant: string) =>
    [...state.sessions].filter(([key]) => key.startsWith(`${tenant} `)).map(([, session]) => session);

  function change(
    tenant: string,
    sessionId: string,
    how: (session: Session) => Session,
  ): Session | undefined {
    checkTenant(tenant);
    const session = state.sessions.get(keyOf(tenant, sessionId));
    if (!session) return undefined;
    const changed = how(session);
    state.sessions.set(keyOf(tenant, sessionId), changed);
    return copied(changed);
  }

  return {
    async create(tenant, { id, agentId, title, at, surface }) {
      checkTenant(tenant);
      const key = keyOf(tenant, id);
      if (state.sessions.has(key)) fail("CONFLICT", "A session with this id exists already.");
      const session: Session = {
        id,
        agentId,
        title,
        titledBy: "default",
        pinned: false,
        createdAt: at,
        updatedAt: at,
        messageCount: 0,
        preview: "",
        ...(surface === undefined ? {} : { surface }),
      };
      state.sessions.set(key, session);
      return copied(session);
    },

    async get(tenant, sessionId) {
      return change(tenant, sessionId, (session) => session);
    },

    async bind(tenant, sessionId, key) {
      const session = change(tenant, sessionId, (same) => same);
      if (!session) return undefined;
      for (const [bound, id] of state.chats) if (id === keyOf(tenant, sessionId)) state.chats.delete(bound);
      state.chats.set(JSON.stringify([tenant, key.channel, key.chat]), keyOf(tenant, sessionId));
      return session;
    },

    async keyOf(tenant, sessionId) {
      checkTenant(tenant);
      const bound = [...state.chats].find(([, id]) => id === keyOf(tenant, sessionId))?.[0];
      const [, channel, chat] = bound === undefined ? [] : (JSON.parse(bound) as string[]);
      return channel === undefined || chat === undefined ? undefined : { channel, chat };
    },

    async findByKey(tenant, { channel, chat }) {
      checkTenant(tenant);
      const session = state.sessions.get(state.chats.get(JSON.stringify([tenant, channel, chat])) ?? "");
      return session && session.deletedAt === undefined ? copied(session) : undefined;
    },

    async list(tenant, page) {
      checkTenant(tenant);
      const before = page.before === undefined ? undefined : fromCursor(page.before);
      const words = searchWords(page.query ?? "");
      const limit = pageLimit(page.limit);
      const at = (s: Session) => s.deletedAt ?? s.updatedAt;
      const found = all(tenant)
        .filter((s) => (s.deletedAt !== undefined) === (page.deleted ?? false))
        .filter((s) => {
          const isArchived = s.archivedAt !== undefined;
          return page.deleted || (page.archived ? isArchived : !isArchived || words !== "");
        })
        .filter((s) => !page.filed || (s.folder !== undefined && s.archivedAt === undefined))
        .filter((s) => foldCase(plainLine(s.title)).includes(words))
        .sort((a, b) => at(b) - at(a) || (a.id < b.id ? 1 : -1))
        .filter(
          (s) => before === undefined || at(s) < before.at || (at(s) === before.at && s.id < before.id),
        );
      const sessions = copied(found.slice(0, limit));
      const last = sessions.at(-1);
      return found.length > limit && last
        ? { sessions, next: toCursor({ at: at(last), id: last.id }) }
        : { sessions };
    },

    async rename(tenant, sessionId, title, by) {
      return change(tenant, sessionId, (s) =>
        s.titledBy === "owner" && by !== "owner" ? s : { ...s, title, titledBy: by },
      );
    },

    async pin(tenant, sessionId, pinned) {
      return change(tenant, sessionId, (s) => ({ ...s, pinned }));
    },

    async archive(tenant, sessionId, at) {
      return change(tenant, sessionId, ({ archivedAt: _archivedAt, ...s }) =>
        at === undefined ? s : { ...s, archivedAt: at },
      );
    },

    async move(tenant, sessionId, folder) {
      return change(tenant, sessionId, ({ folder: _folder, ...s }) =>
        folder === undefined ? s : { ...s, folder },
      );
    },

    async configure(tenant, sessionId, settings) {
      return change(tenant, sessionId, (s) => {
        const { model: _m, system: _s, temperature: _t, topP: _p, tools: _o, pins: _i, ...rest } = s;
        return { ...rest, ...changedSettings(s, settings) };
      });
    },

    async trash(tenant, sessionId, at) {
      return change(tenant, sessionId, (s) => ({ ...s, deletedAt: s.deletedAt ?? at }));
    },

    async restore(tenant, sessionId, at) {
      return change(tenant, sessionId, (s) => {
        if (s.deletedAt === undefined) return s;
        const { deletedAt: _deletedAt, ...kept } = s;
        return { ...kept, updatedAt: Math.max(s.updatedAt, at) };
      });
    },

    async trashed(tenant, before, limit) {
      checkTenant(tenant);
      const found = all(tenant)
        .filter((s) => s.deletedAt !== undefined && s.deletedAt < before)
        .sort((a, b) => a.deletedAt! - b.deletedAt! || (a.id < b.id ? -1 : 1));
      return copied(found.slice(0, pageLimit(limit)));
    },

    async purge(tenant, sessionId) {
      checkTenant(tenant);
      state.sessions.delete(keyOf(tenant, sessionId));
      state.trees.delete(keyOf(tenant, sessionId));
      state.runs = state.runs.filter((r) => r.tenant !== tenant || r.run.sessionId !== sessionId);
      state.said = state.said.filter((s) => s.tenant !== tenant || s.sessionId !== sessionId);
    },

    async search(tenant, query, limit) {
      checkTenant(tenant);
      const words = searchWords(query);
      if (words === "") return [];
      const hits: SearchHit[] = [];
      // Sorting is stable, so of two with the same time the later one comes first.
      for (const said of state.said.toReversed().sort((a, b) => b.ts - a.ts)) {
        const session = state.sessions.get(keyOf(tenant, said.sessionId));
        if (said.tenant !== tenant || !session || session.deletedAt !== undefined) continue;
        if (!foldCase(said.text).includes(words)) continue;
        const tree = state.trees.get(keyOf(tenant, said.sessionId)) ?? [];
        if (tree.some((run) => run.runId === said.runId && !run.shown)) continue;
        const { runId, ts, role } = said;
        hits.push({ session: copied(session), runId, ts, role, snippet: snippetAround(said.text, words) });
        if (hits.length === pageLimit(limit)) break;
      }
      return hits;
    },
  };
}
