import { LIMITS } from "@elwood/core/base/limits";
import { isBetweenLaps, textOf, type Message } from "@elwood/core/message/message";
import { foldCase, plainLine, snippetAround } from "@elwood/core/message/session-text";
import type { SearchHit } from "@elwood/runtime/ports/ports";
import { type Database, query } from "./database.ts";
import { isHiddenSql } from "./run-tree-rows.ts";
import { SESSION_COLUMNS, toSession, type SessionRow } from "./session-rows.ts";

interface SaidRow extends SessionRow {
  readonly doc: number;
  readonly run_id: string;
  readonly ts: number;
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** Rows of the index that can share one millisecond; a number up to the year 2248 holds time and row. */
const DOCS_PER_MS = 1024;
const TS_MAX = Math.floor(Number.MAX_SAFE_INTEGER / DOCS_PER_MS) - 1;

/** Rows that wait for the index; a search looks through them one by one. */
export const SAID_PENDING_MAX = 64;

/** The index knows groups of three characters; a shorter query has to be looked for in the texts themselves. */
const INDEXED_CHARS_MIN = 3;

const HIT = `${SESSION_COLUMNS.map((column) => `x.${column}`).join(", ")}, s.doc, s.run_id, s.ts, s.role, s.text`;

export const MESSAGE_SEARCH_SQL = {
  lastDoc: query<{ doc: number | null }>("SELECT max(doc) AS doc FROM said WHERE doc BETWEEN ? AND ?"),
  add: `INSERT INTO said (tenant, session_id, run_id, i, doc, ts, role, text, folded)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  pending: query<{ n: number }>("SELECT count(*) AS n FROM said_pending"),
  indexPending: `INSERT INTO said_index (rowid, folded) SELECT s.doc, coalesce(s.folded, s.text)
    FROM said_pending AS p CROSS JOIN said AS s ON s.doc = p.doc ORDER BY p.doc`,
  dropPending: "DELETE FROM said_pending",
  // CROSS JOIN fixes the order: through the index, newest first, and no further than LIMIT.
  searchIndex: query<SaidRow>(`SELECT ${HIT} FROM said_index AS f
    CROSS JOIN said AS s ON s.doc = f.rowid
    CROSS JOIN sessions AS x ON x.tenant = s.tenant AND x.id = s.session_id
    WHERE said_index MATCH ?2 AND s.tenant = ?1 AND x.deleted_at IS NULL AND NOT ${isHiddenSql("s")}
    ORDER BY f.rowid DESC LIMIT ?3`),
  searchPending: query<SaidRow>(`SELECT ${HIT} FROM said_pending AS p
    CROSS JOIN said AS s ON s.doc = p.doc
    CROSS JOIN sessions AS x ON x.tenant = s.tenant AND x.id = s.session_id
    WHERE p.tenant = ?1 AND instr(coalesce(s.folded, s.text), ?2) > 0 AND x.deleted_at IS NULL
      AND NOT ${isHiddenSql("s")}
    ORDER BY p.doc DESC LIMIT ?3`),
  searchTexts: query<SaidRow>(`SELECT ${HIT} FROM said AS s
    CROSS JOIN sessions AS x ON x.tenant = s.tenant AND x.id = s.session_id
    WHERE s.tenant = ?1 AND instr(coalesce(s.folded, s.text), ?2) > 0 AND x.deleted_at IS NULL
      AND NOT ${isHiddenSql("s")}
    ORDER BY s.doc DESC LIMIT ?3`),
};

/**
 * Makes the words of a committed run searchable. Called inside the transaction that commits it. They are searched as
 * they stand until enough of them wait to be put into the index together, which takes a fraction of the time.
 */
export function indexMessage(
  db: Database,
  tenant: string,
  sessionId: string,
  runId: string,
  messages: readonly Message[],
): void {
  for (const [i, message] of messages.entries()) {
    if (message.role === "tool" || isBetweenLaps(message)) continue;
    const text = plainLine(textOf(message).slice(0, LIMITS.messageCharsMax));
    if (text === "") continue;
    const folded = foldCase(text);
    const ts = Math.min(Math.max(0, Math.floor(message.ts)), TS_MAX);
    const differs = folded === text ? null : folded;
    db.run(
      MESSAGE_SEARCH_SQL.add,
      tenant,
      sessionId,
      runId,
      i,
      freeDoc(db, ts),
      ts,
      message.role,
      text,
      differs,
    );
  }
  if ((db.get(MESSAGE_SEARCH_SQL.pending)?.n ?? 0) < SAID_PENDING_MAX) return;
  db.run(MESSAGE_SEARCH_SQL.indexPending);
  db.run(MESSAGE_SEARCH_SQL.dropPending);
}

/** `words` are folded; they are looked for as they stand, never read as query syntax. */
export function searchMessages(db: Database, tenant: string, words: string, limit: number): SearchHit[] {
  if (words === "") return [];
  const rows =
    Array.from(words).length < INDEXED_CHARS_MIN
      ? db.all(MESSAGE_SEARCH_SQL.searchTexts, tenant, words, limit)
      : searchIndexed(db, tenant, words, limit);
  return rows.map((row) => ({
    session: toSession(row),
    runId: row.run_id,
    ts: row.ts,
    role: row.role,
    snippet: snippetAround(row.text, words),
  }));
}

/** Newest first: what is in the index, and what still waits for it. */
function searchIndexed(db: Database, tenant: string, words: string, limit: number): readonly SaidRow[] {
  const waiting = db.all(MESSAGE_SEARCH_SQL.searchPending, tenant, words, limit);
  const indexed = db.all(MESSAGE_SEARCH_SQL.searchIndex, tenant, `"${words.replaceAll('"', '""')}"`, limit);
  if (waiting.length === 0) return indexed;
  return [...waiting, ...indexed].sort((a, b) => b.doc - a.doc).slice(0, limit);
}

/** The next free row for this millisecond; where all are taken, that of the next one. */
function freeDoc(db: Database, ts: number): number {
  for (let first = ts * DOCS_PER_MS; ; first += DOCS_PER_MS) {
    const last = first + DOCS_PER_MS - 1;
    const doc = db.get(MESSAGE_SEARCH_SQL.lastDoc, first, last)?.doc ?? first - 1;
    if (doc < last) return doc + 1;
  }
}
