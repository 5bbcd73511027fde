import type { Session } from "@elwood/core/message/session";
import { query } from "./database.ts";
import { readStored } from "./stored-json.ts";
import { foldCase, plainLine } from "@elwood/core/message/session-text";

export interface SessionRow {
  readonly id: string;
  readonly agent_id: string;
  readonly title: string;
  readonly titled_by: Session["titledBy"];
  readonly pinned: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly message_count: number;
  readonly preview: string;
  readonly deleted_at: number | null;
  readonly forked_from: string | null;
  readonly forked_at_run: string | null;
  readonly model: string | null;
  readonly settings: string | null;
  readonly surface: string | null;
  readonly archived_at: number | null;
  readonly folder: string | null;
}

export const SESSION_COLUMNS = [
  "id",
  "agent_id",
  "title",
  "titled_by",
  "pinned",
  "created_at",
  "updated_at",
  "message_count",
  "preview",
  "deleted_at",
  "forked_from",
  "forked_at_run",
  "model",
  "settings",
  "surface",
  "archived_at",
  "folder",
] as const satisfies (keyof SessionRow)[];

export const SESSION_BY_ID = query<SessionRow>(
  `SELECT ${SESSION_COLUMNS.join(", ")} FROM sessions WHERE tenant = ? AND id = ?`,
);

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    agentId: row.agent_id,
    title: row.title,
    titledBy: row.titled_by,
    pinned: row.pinned === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    messageCount: row.message_count,
    preview: row.preview,
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.settings === null
      ? {}
      : readStored("sessionSettings", row.settings, `The settings of session ${row.id}`)),
    ...(row.surface === null ? {} : { surface: row.surface }),
    ...(row.archived_at === null ? {} : { archivedAt: row.archived_at }),
    ...(row.folder === null ? {} : { folder: row.folder }),
    ...(row.deleted_at === null ? {} : { deletedAt: row.deleted_at }),
    ...(row.forked_from === null || row.forked_at_run === null
      ? {}
      : { forkedFrom: { sessionId: row.forked_from, runId: row.forked_at_run } }),
  };
}

/** Titles are found whatever their case, in any script; SQLite's own LIKE knows only that of ASCII. */
export function foldedTitle(title: string): string {
  return foldCase(plainLine(title));
}
