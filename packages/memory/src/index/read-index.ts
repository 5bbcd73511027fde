import type { DatabaseSync } from "node:sqlite";
import type { MemoryTurn } from "@elwood/core/memory/turn";

export interface IndexCounts {
  readonly turns: number;
  readonly conversations: number;
  readonly notes: number;
  /** Lines of conversations that hold no message and were left out. */
  readonly skipped: number;
}

const TURNS_MAX = 200;

/** In order of the file, at most a page of them. */
export function readTurns(db: DatabaseSync, source: string, fromLine: number, toLine: number): MemoryTurn[] {
  const rows = db
    .prepare(
      `SELECT s.path AS source, t.line, t.session, t.run, t.ts, t.role, t.speaker, t.origin, t.text
       FROM turns t JOIN sources s ON s.id = t.source_id
       WHERE s.path = ? AND t.line <= ? AND t.line_to >= ? ORDER BY t.pos LIMIT ?`,
    )
    .all(source, toLine, fromLine, TURNS_MAX);
  // The columns are those of a STRICT table, with its own checks of role and origin.
  return rows.map(({ session, run, ...turn }) => ({
    ...(turn as unknown as Omit<MemoryTurn, "session" | "run">),
    ...(typeof session === "string" ? { session } : {}),
    ...(typeof run === "string" ? { run } : {}),
  }));
}

export function readCounts(db: DatabaseSync): IndexCounts {
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM turns) AS turns, count(*) FILTER (WHERE kind = 'transcript') AS conversations,
        count(*) FILTER (WHERE kind = 'note') AS notes, coalesce(sum(skipped), 0) AS skipped FROM sources`,
    )
    .get();
  const number = (name: keyof IndexCounts) => Number(row?.[name] ?? 0);
  return {
    turns: number("turns"),
    conversations: number("conversations"),
    notes: number("notes"),
    skipped: number("skipped"),
  };
}
