import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { makeRedactor } from "@elwood/core/base/redact";
import { turnsOfNote } from "../notes/note-turns.ts";
import { writeFacts } from "./fact-table.ts";
import { IndexWriter } from "./index-writer.ts";
import { createSchema, PRAGMAS } from "./schema.ts";

const redact = makeRedactor([]);
const LONG = "The cellar holds jars of quinces from the year before. ".repeat(20);
const LINES = [
  "# Home",
  "- Car: Volvo (since 2019)",
  "- Car: Audi (since 2024-05)",
  "- Car: Fiat (until 2020)",
  "- ~~Door: red~~",
  "a paragraph about the hall",
  "",
  "トマトに水をやる",
  "- stranger: the door is blue",
  `- ${LONG}`,
];
const originOf = (line: string) => (line.includes("stranger") ? "untrusted" : "owner");

function index() {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  db.exec(PRAGMAS);
  createSchema(db, {});
  const writer = new IndexWriter(db);
  const { id } = writer.addSource("memory/default/home.md", "note");
  const save = (text: string, ts = 1_000) =>
    writer.transaction(() => {
      writer.replaceTurns(id, turnsOfNote(text, ts, redact, originOf));
      writeFacts(writer, id, text, originOf);
    });
  const all = (sql: string, ...params: string[]) => db.prepare(sql).all(...params);
  return { save, all };
}

/** All that an index knows of a note, without numbers that only tell in which order rows came. */
function contents({ all }: Pick<ReturnType<typeof index>, "all">) {
  return {
    turns: all(
      "SELECT pos, line, line_to, byte_start, byte_end, role, speaker, origin, cjk, text FROM turns",
    ),
    chunks: all(`SELECT c.chars, c.sha, f.pos AS first, l.pos AS last FROM chunks c
      JOIN turns f ON f.id = c.turn_from JOIN turns l ON l.id = c.turn_to ORDER BY f.pos`),
    words: ["volvo", "door", "hall", "quinces", "stranger"].map((word) =>
      all(
        "SELECT t.pos FROM turns_fts f JOIN turns t ON t.id = f.rowid WHERE turns_fts MATCH ? ORDER BY t.pos",
        word,
      ),
    ),
    unspaced: all(
      "SELECT t.pos FROM turns_tri f JOIN turns t ON t.id = f.rowid WHERE turns_tri MATCH 'トマト'",
    ),
    facts:
      all(`SELECT f.line, f.subject, f.text, f.valid_from, f.valid_to, f.confidence, f.origin, s.line AS by
      FROM facts f LEFT JOIN facts s ON s.id = f.superseded_by ORDER BY f.line`),
    whole: all("SELECT count(*) AS n FROM chunks"),
    /** Chunks that say something else of themselves than their turns do. */
    wrong: all(`SELECT c.id FROM chunks c LEFT JOIN (
        SELECT chunk_id, min(id) AS first, max(id) AS last, sum(length(text)) AS chars FROM turns GROUP BY chunk_id
      ) t ON t.chunk_id = c.id
      WHERE (c.turn_from, c.turn_to, c.chars) IS NOT (t.first, t.last, t.chars)`),
  };
}

test("a note that was changed again and again is indexed as if it had been read once", () => {
  const note = fc.array(fc.constantFrom(...LINES), { maxLength: 8 }).map((lines) => `${lines.join("\n")}\n`);
  fc.assert(
    fc.property(fc.array(note, { minLength: 2, maxLength: 6 }), (notes) => {
      const changed = index();
      for (const text of notes) changed.save(text);
      const fresh = index();
      fresh.save(notes.at(-1)!);
      expect(contents(changed)).toEqual(contents(fresh));
      expect(contents(changed).wrong).toEqual([]);
      changed.all("INSERT INTO turns_fts (turns_fts, rank) VALUES ('integrity-check', 1)");
    }),
    { numRuns: 60 },
  );
});

test("what is added to a note leaves its other lines as they are, with the time since which they are known", () => {
  const { save, all } = index();
  save("- Car: Volvo (since 2019)\n- The hall is damp\n", 1_000);
  const [rows, facts] = [all("SELECT * FROM turns ORDER BY pos"), all("SELECT * FROM facts ORDER BY line")];
  save("- Car: Volvo (since 2019)\n- The hall is damp\n- The router stands in the hall\n", 2_000);
  const after = all("SELECT * FROM turns ORDER BY pos");
  expect(after.slice(0, 2)).toEqual(rows);
  expect(after[2]).toMatchObject({ ts: 2_000, text: "The router stands in the hall" });
  expect(all("SELECT * FROM facts ORDER BY line").slice(0, 2)).toEqual(facts);
});

test("of a line that became another's words nothing of the old row stays", () => {
  const { save, all } = index();
  save(`- a\n- b\n- ${LONG}\n`);
  save("- a\n- stranger: b\n");
  expect(all("SELECT origin, text FROM turns ORDER BY pos")).toEqual([
    { origin: "owner", text: "a" },
    { origin: "untrusted", text: "stranger: b" },
  ]);
  expect(all("SELECT 1 FROM turns_fts WHERE turns_fts MATCH 'quinces'")).toEqual([]);
});
