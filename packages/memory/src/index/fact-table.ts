import type { DatabaseSync } from "node:sqlite";
import type { MemoryOrigin } from "@elwood/core/memory/turn";
import { factsByTrust, type FactElsewhere } from "../notes/note-facts.ts";

const ELSEWHERE_MAX = 3;

const SQL = {
  drop: "DELETE FROM facts WHERE source_id = ?",
  add: `INSERT INTO facts (source_id, line, subject, text, valid_from, valid_to, confidence, origin)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
  supersede: "UPDATE facts SET superseded_by = ?2 WHERE id = ?1",
  elsewhere: `SELECT s.path AS source, o.line, o.text, o.valid_from AS validFrom
    FROM facts f JOIN sources m ON m.id = f.source_id
    JOIN facts o ON o.subject = f.subject AND o.source_id <> f.source_id
    JOIN sources s ON s.id = o.source_id
    WHERE m.path = ?1 AND f.line = ?2 AND o.origin IN ('owner', 'agent') AND o.superseded_by IS NULL
      AND (o.valid_from IS NULL OR o.valid_from <= ?3) AND (o.valid_to IS NULL OR o.valid_to > ?3)
    ORDER BY o.valid_from DESC NULLS LAST, s.path, o.line LIMIT ${ELSEWHERE_MAX}`,
} as const;

/**
 * Puts the facts of a note into the index, in the transaction of its turns. `text` is redacted;
 * a fact that was crossed out ceased to hold before anything was asked.
 */
export function writeFacts(
  db: DatabaseSync,
  sourceId: number,
  text: string,
  originOf: (line: string) => MemoryOrigin,
): void {
  db.prepare(SQL.drop).run(sourceId);
  const facts = factsByTrust(text, originOf);
  if (facts.length === 0) return;
  const ids = new Map<number, number>();
  const add = db.prepare(SQL.add);
  for (const { fact, origin } of facts) {
    const { line, subject, text: words, validFrom, validTo, struck, confidence } = fact;
    const ended = struck ? (validFrom ?? 0) : (validTo ?? null);
    const row = add.get(sourceId, line, subject ?? null, words, validFrom ?? null, ended, confidence, origin);
    ids.set(line, Number(row?.["id"]));
  }
  const supersede = db.prepare(SQL.supersede);
  for (const { fact } of facts)
    if (fact.supersededBy !== undefined) supersede.run(ids.get(fact.line)!, ids.get(fact.supersededBy)!);
}

/** What other notes say today about what this line is about; nothing that others wrote. */
export function factsElsewhere(db: DatabaseSync, source: string, line: number, at: number): FactElsewhere[] {
  return db
    .prepare(SQL.elsewhere)
    .all(source, line, at)
    .map((row) => ({
      source: String(row["source"]),
      line: Number(row["line"]),
      text: String(row["text"]),
      ...(row["validFrom"] === null ? {} : { validFrom: Number(row["validFrom"]) }),
    }));
}
