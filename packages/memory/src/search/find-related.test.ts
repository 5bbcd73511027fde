import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { MemoryQuery } from "@elwood/core/memory/turn";
import { bestRelated, findRelated, RELATED_LIMITS, searchTurns } from "./search-turns.ts";
import { IndexWriter } from "../index/index-writer.ts";
import { createSchema, PRAGMAS } from "../index/schema.ts";
import type { TurnDraft } from "../turn-draft.ts";

const NOW = Date.UTC(2026, 10, 15, 9);
const QUIET = Array.from({ length: 60 }, (_, n) => `Nothing much, number ${n} was quiet.`);

function saying(texts: readonly string[], more: Partial<TurnDraft> = {}): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  db.exec(PRAGMAS);
  createSchema(db, {});
  const writer = new IndexWriter(db);
  writer.transaction(() => {
    const source = writer.addSource("sessions/default/ses_0.jsonl", "transcript");
    const drafts = texts.map((text, index): TurnDraft => ({
      line: index + 1,
      lineTo: index + 1,
      byteStart: 0,
      byteEnd: 0,
      session: "ses_0",
      ts: NOW - 1_000_000 + index,
      role: "user",
      speaker: "you",
      origin: "owner",
      text,
      ...more,
    }));
    writer.addTurns(source.id, drafts);
  });
  return db;
}

const ask = (db: DatabaseSync, text: string, more: Partial<MemoryQuery> = {}) =>
  searchTurns(db, { text, limit: 5, now: NOW, ...more });

test.each([
  ["Which musical instruments do I play?", "I bought a cello in Graz."],
  ["Any pets?", "The kitten sleeps on the stove."],
  ["Habe ich Geschwister?", "Mein Bruder wohnt in Linz."],
])("what was said in narrower words is found by the wider one: %s", (question, text) => {
  const db = saying([...QUIET, text, ...QUIET]);
  const [best] = ask(db, question);
  expect(best?.turn.text).toBe(text);
  expect(best?.parts["related"]).toBeGreaterThan(0);
  expect(best?.parts["words"]).toBeUndefined();
});

test("the asked word counts for more than one in its place", () => {
  const db = saying([...QUIET, "We saw a parrot there.", ...QUIET, "We saw a pet there.", ...QUIET]);
  const hits = ask(db, "pet", { limit: 20 });
  const parrot = hits.find(({ turn }) => turn.text === "We saw a parrot there.");
  expect(hits[0]?.turn.text).toBe("We saw a pet there.");
  expect(parrot?.parts["related"]).toBeGreaterThan(0);
  expect(parrot?.parts["related"]).toBeLessThan((hits[0]?.parts["words"] ?? 0) / 2);
});

test("many words of a kind count as the rarest of them", () => {
  const db = saying([...QUIET, "Dog, cat, hamster, rabbit.", "One hamster.", ...QUIET]);
  const found = [...findRelated(db, [["dog", "cat", "hamster", "rabbit"]], 122).values()];
  expect(found).toHaveLength(2);
  expect(found[0]).toBeLessThan(2 * found[1]!);
});

test("a word in the place of another that many turns hold is not looked at", () => {
  const many = Array.from({ length: RELATED_LIMITS.matchesMin + 1 }, (_, n) => `A dog, number ${n}.`);
  const db = saying([...many, "A hamster."]);
  expect(findRelated(db, [["dog", "hamster"]], many.length + 1).size).toBe(1);
  expect(findRelated(db, [["dog", "hamster"]], 1_000).size).toBe(many.length + 1);
});

test("only so many turns are added, the best and newest, and none that was found anyway", () => {
  const related = new Map(Array.from({ length: 200 }, (_, id) => [id, id < 10 ? 9 : 1]));
  const best = bestRelated(related, new Map([[3, 1]]));
  expect(best).toHaveLength(RELATED_LIMITS.found);
  expect(best.slice(0, 10)).toEqual([9, 8, 7, 6, 5, 4, 2, 1, 0, 199]);
});

test("no word is syntax, and phrases are found whole", () => {
  const db = saying([...QUIET, "She passed away.", "It passed, and went away."]);
  const found = findRelated(db, [["passed away"], ['a" OR "quiet', "NEAR(", "x*"]], 122);
  expect([...found.keys()]).toHaveLength(1);
});

test("what a query may not see is not found by other words either", () => {
  const db = saying([...QUIET, "The kitten sleeps."], { origin: "untrusted" });
  expect(ask(db, "pets", { origins: ["owner"] })).toEqual([]);
});
