import { fail } from "@elwood/core/base/failure";
import { isUndoNote, type Message } from "@elwood/core/message/message";
import { changedSettings } from "@elwood/core/message/session";
import { previewFrom } from "@elwood/core/message/session-text";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";
import type { ForkStore } from "./fork-store.ts";
import { indexMessage } from "./message-search.ts";
import { foldedTitle, SESSION_COLUMNS, toSession, type SessionRow } from "./session-rows.ts";

export const FORK_SQL = {
  begin: "INSERT INTO forks_begun (tenant, session_id, at) VALUES (?, ?, ?)",
  done: "DELETE FROM forks_begun WHERE tenant = ? AND session_id = ?",
  abandoned: query<{
    session_id: string;
  }>("SELECT session_id FROM forks_begun WHERE tenant = ? AND at < ? ORDER BY at LIMIT 1000"),
  create:
    query<SessionRow>(`INSERT INTO sessions (tenant, id, agent_id, title, title_folded, titled_by, created_at, updated_at,
      message_count, preview, forked_from, forked_at_run, model, settings)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
    ON CONFLICT DO NOTHING RETURNING ${SESSION_COLUMNS.join(", ")}`),
  addRun: "INSERT INTO forked_runs (tenant, session_id, n, run_id, opening) VALUES (?, ?, ?, ?, ?)",
};

/** `finished` is called once a session has runs of another. */
export function sqliteForks(db: Database, finished: () => void): ForkStore {
  return {
    async begin(tenant, sessionId, at) {
      checkTenant(tenant);
      db.transaction(() => db.run(FORK_SQL.begin, tenant, sessionId, at));
    },

    async finish(tenant, { id, from, atRun, title, titledBy, runs, at }) {
      checkTenant(tenant);
      const messages = runs.flatMap((run) => run.messages);
      const copied = new Set(runs.map(({ runId }) => runId));
      const pins = (from.pins ?? []).filter((runId) => copied.has(runId));
      const { model, ...settings } = changedSettings(from, { pins: pins.length === 0 ? null : pins });
      const session = db.transaction(() => {
        const row = db.get(
          FORK_SQL.create,
          tenant,
          id,
          from.agentId,
          title,
          foldedTitle(title),
          titledBy,
          at,
          messages.length,
          previewFrom(messages) ?? "",
          from.id,
          atRun,
          model ?? null,
          Object.keys(settings).length === 0 ? null : JSON.stringify(settings),
        );
        if (!row) fail("CONFLICT", "A session with this id exists already. Nothing was changed.");
        for (const [n, run] of runs.entries()) {
          const opening = JSON.stringify(run.messages.filter(isOpening));
          db.run(FORK_SQL.addRun, tenant, id, n, run.runId, opening);
          indexMessage(db, tenant, id, run.runId, run.messages);
        }
        db.run(FORK_SQL.done, tenant, id);
        return toSession(row);
      });
      finished();
      return session;
    },

    async abandoned(tenant, before) {
      checkTenant(tenant);
      return db.all(FORK_SQL.abandoned, tenant, before).map(({ session_id }) => session_id);
    },

    async forget(tenant, sessionId) {
      checkTenant(tenant);
      db.transaction(() => db.run(FORK_SQL.done, tenant, sessionId));
    },
  };
}

/** What a run is given before it says anything itself. */
function isOpening(message: Message, index: number): boolean {
  return index === 0 || message.origin === "recalled" || isUndoNote(message);
}
