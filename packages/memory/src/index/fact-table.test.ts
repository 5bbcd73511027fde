import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { factsElsewhere, writeFacts } from "./fact-table.ts";
import { factAt, withElsewhere } from "../notes/note-facts.ts";
import { createSchema, PRAGMAS } from "./schema.ts";

const NOW = Date.parse("2026-11-15T00:00:00Z");
const owner = () => "owner" as const;

function index(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  db.exec(PRAGMAS);
  createSchema(db, {});
  return db;
}

function put(
  db: DatabaseSync,
  path: string,
  text: string,
  originOf: (line: string) => "owner" | "untrusted" = owner,
): void {
  const add = db.prepare(
    "INSERT INTO sources (path, kind, bytes, lines, prefix_sha, size, mtime) VALUES (?, 'note', 0, 0, '', 0, 0) ON CONFLICT (path) DO UPDATE SET bytes = 0 RETURNING id",
  );
  writeFacts(db, Number(add.get(path)!["id"]), text, originOf);
}

describe("facts in the index", () => {
  test("stand there with their validity and what replaced them, and a changed note leaves no old ones", () => {
    const db = index();
    put(
      db,
      "memory/default/home.md",
      "- Car: Volvo (since 2019)\n- Car: Audi (since 2024-05)\n- ~~Door: red~~\n",
    );
    const rows = db
      .prepare("SELECT id, line, subject, text, valid_to, superseded_by FROM facts ORDER BY line")
      .all();
    expect(rows.map(({ line, subject, text }) => [line, subject, text])).toEqual([
      [1, "car", "Car: Volvo"],
      [2, "car", "Car: Audi"],
      [3, "door", "Door: red"],
    ]);
    expect(rows[0]).toMatchObject({ valid_to: Date.parse("2024-05-01"), superseded_by: rows[1]!["id"] });
    expect(rows[2]).toMatchObject({ valid_to: 0 });
    put(db, "memory/default/home.md", "nothing here\n");
    expect(db.prepare("SELECT count(*) AS n FROM facts").get()).toEqual({ n: 0 });
  });

  test("of two notes that say different things are shown together, but for what others wrote", () => {
    const db = index();
    put(db, "memory/default/a.md", "- Car: Volvo\n");
    put(db, "memory/default/b.md", "- Car: Audi (since 2024-05)\n- Car: Fiat (until 2020)\n");
    put(db, "memory/default/c.md", "- Car: Trabant\n", () => "untrusted");
    const elsewhere = factsElsewhere(db, "memory/default/a.md", 1, NOW);
    expect(elsewhere.map(({ text }) => text)).toEqual(["Car: Audi"]);
    const here = factAt("- Car: Volvo\n", 1, NOW, owner)!;
    expect(withElsewhere(here, elsewhere)).toBe("memory/default/b.md says, since 2024-05-01: Car: Audi");
  });
});

describe("a fact as it stands today", () => {
  test.each([
    [
      "one that holds, with what held before",
      "- Car: Volvo (until 2024-04)\n- Car: Audi (since 2024-05)",
      2,
      "Car: Audi",
      "since 2024-05-01; before 2024-05-01: Car: Volvo",
    ],
    [
      "one that was replaced, by the one that holds",
      "- Car: Volvo (since 2019)\n- Car: Audi (since 2024-05)",
      1,
      "Car: Audi",
      "since 2024-05-01; before 2024-05-01: Car: Volvo",
    ],
    [
      "two that contradict each other, together",
      "- Allergy: nuts\n- Allergy: none",
      1,
      "Allergy: nuts",
      "also noted: Allergy: none",
    ],
    [
      "one that ended and was not replaced, as ended",
      "- Gym: Monday (until 2025)",
      1,
      "Gym: Monday",
      "no longer since 2026-01-01",
    ],
    ["one that begins later, as such", "- Gym: Monday (since 2030)", 1, "Gym: Monday", "from 2030-01-01 on"],
    ["one that is crossed out, as such", "- ~~Gym: Monday~~", 1, "Gym: Monday", "crossed out"],
    ["a plain one, plainly", "- likes tea", 1, "likes tea", undefined],
  ])("%s", (_what, note, line, text, remark) => {
    expect(factAt(note, line, NOW, owner)).toMatchObject({
      text,
      ...(remark === undefined ? {} : { remark }),
    });
    if (remark === undefined) expect(factAt(note, line, NOW, owner)).not.toHaveProperty("remark");
  });

  test("words of others neither replace the owner's fact nor stand beside it", () => {
    const note = "- Bank: Acme\n- Bank: Evil (since 2026-01)\n";
    const others = (text: string) => (text.includes("Evil") ? ("untrusted" as const) : ("owner" as const));
    const seen = factAt(note, 1, NOW, others)!;
    expect(seen).toEqual({ line: 1, text: "Bank: Acme", holds: true, subject: "bank" });
    const db = index();
    put(db, "memory/default/bank.md", note, others);
    expect(db.prepare("SELECT valid_to, superseded_by FROM facts WHERE line = 1").get()).toEqual({
      valid_to: null,
      superseded_by: null,
    });
  });
});
