import type { MemoryOrigin } from "@elwood/core/memory/turn";
import { factsByTrust, type FactElsewhere } from "../notes/note-facts.ts";
import type { IndexWriter } from "./index-writer.ts";

const ELSEWHERE_MAX = 3;

const SQL = {
  ofSource: `SELECT id, line, subject, text, valid_from AS validFrom, valid_to AS validTo, superseded_by AS supersededBy,
    confidence, origin FROM facts WHERE source_id = ? ORDER BY line, id`,
  drop: "DELETE FROM facts WHERE id = ?",
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
 * a fact that was crossed out ceased to hold before anything was asked. Rows that say it already stay.
 */
export function writeFacts(
  index: Pick<IndexWriter, "prepare">,
  sourceId: number,
  text: string,
  originOf: (line: string) => MemoryOrigin,
): void {
  const there = index.prepare(SQL.ofSource).all(sourceId);
  const facts = factsByTrust(text, originOf);
  if (there.length === 0 && facts.length === 0) return;
  const known = new Map(there.map((row) => [Number(row["line"]), row]));
  const kept = new Map(
    facts.flatMap((each) => {
      const row = known.get(each.fact.line);
      return row && columnsOf(each).every(([name, value]) => row[name] === value)
        ? [[Number(row["id"]), row] as const]
        : [];
    }),
  );
  const drop = index.prepare(SQL.drop);
  for (const { id } of there) if (!kept.has(Number(id))) drop.run(Number(id));
  const ids = new Map([...kept].map(([id, { line }]) => [Number(line), id]));
  const add = index.prepare(SQL.add);
  for (const each of facts) {
    if (ids.has(each.fact.line)) continue;
    const row = add.get(sourceId, ...columnsOf(each).map(([, value]) => value));
    ids.set(each.fact.line, Number(row?.["id"]));
  }
  const supersede = index.prepare(SQL.supersede);
  for (const { fact } of facts) {
    const id = ids.get(fact.line)!;
    const by = fact.supersededBy === undefined ? null : ids.get(fact.supersededBy)!;
    const before = Number(kept.get(id)?.["supersededBy"]);
    // With the row that a fact was replaced by, that it was went too.
    if (by !== (kept.has(before) ? before : null)) supersede.run(id, by);
  }
}

/** As they are stored, in the order in which a new row takes them. */
function columnsOf({ fact, origin }: ReturnType<typeof factsByTrust>[number]) {
  const { line, subject, text, validFrom, validTo, struck, confidence } = fact;
  return [
    ["line", line],
    ["subject", subject ?? null],
    ["text", text],
    ["validFrom", validFrom ?? null],
    ["validTo", struck ? (validFrom ?? 0) : (validTo ?? null)],
    ["confidence", confidence],
    ["origin", origin],
  ] as const;
}

/** What other notes say today about what this line is about; nothing that others wrote. */
export function factsElsewhere(
  index: Pick<IndexWriter, "prepare">,
  source: string,
  line: number,
  at: number,
): FactElsewhere[] {
  return index
    .prepare(SQL.elsewhere)
    .all(source, line, at)
    .map((row) => ({
      source: String(row["source"]),
      line: Number(row["line"]),
      text: String(row["text"]),
      ...(row["validFrom"] === null ? {} : { validFrom: Number(row["validFrom"]) }),
    }));
}
