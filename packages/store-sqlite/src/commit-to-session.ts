import type { Message } from "@elwood/core/message/message";
import { previewFrom, titleFrom } from "@elwood/core/message/session-text";
import { type Database, query } from "./database.ts";
import { indexMessage } from "./message-search.ts";
import { foldedTitle } from "./session-rows.ts";

export const COMMIT_SQL = {
  session: query<{
    titled_by: string;
  }>(`UPDATE sessions SET updated_at = max(updated_at, ?3), message_count = message_count + ?4,
      preview = coalesce(?5, preview) WHERE tenant = ?1 AND id = ?2 RETURNING titled_by`),
  title:
    "UPDATE sessions SET title = ?3, title_folded = ?4, titled_by = 'message' WHERE tenant = ?1 AND id = ?2",
};

/** What a committed run changes beside itself: its session's row and the searchable text. Inside the commit's transaction. */
export function commitToSession(
  db: Database,
  tenant: string,
  sessionId: string,
  runId: string,
  messages: readonly Message[],
  at: number,
): void {
  const preview = previewFrom(messages) ?? null;
  const session = db.get(COMMIT_SQL.session, tenant, sessionId, at, messages.length, preview);
  if (session?.titled_by === "default") nameSession(db, tenant, sessionId, messages);
  indexMessage(db, tenant, sessionId, runId, messages);
}

/** A session that nobody named is called after its first words. */
export function nameSession(
  db: Database,
  tenant: string,
  sessionId: string,
  messages: readonly Message[],
): void {
  const title = titleFrom(messages);
  if (title !== undefined) db.run(COMMIT_SQL.title, tenant, sessionId, title, foldedTitle(title));
}
