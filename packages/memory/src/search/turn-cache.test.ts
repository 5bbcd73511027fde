import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import type { MemoryHit, MemoryQuery } from "@elwood/core/memory/turn";
import { expect, onTestFinished, test } from "vitest";
import { keyMatcher } from "@elwood/core/memory/key-match";
import { queryWords } from "@elwood/core/memory/query-words";
import { findByKey, querySpeakers, SEARCH_LIMITS } from "./find-candidates.ts";
import { IndexWriter } from "../index/index-writer.ts";
import { createSchema, PRAGMAS } from "../index/schema.ts";
import { searchTurns } from "./search-turns.ts";
import { SearchedIndex } from "./searched-index.ts";
import type { TurnDraft } from "../turn-draft.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 15, 9);

function scene() {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  db.exec(PRAGMAS);
  createSchema(db, {});
  const writer = new IndexWriter(db);
  const sources = ["a", "b", "c"].map(
    (name) => writer.addSource(`sessions/default/${name}.jsonl`, "transcript").id,
  );
  const say = (source: number, more: Partial<TurnDraft> & { text: string }) =>
    writer.addTurns(sources[source]!, [
      {
        line: 1,
        lineTo: 1,
        byteStart: 0,
        byteEnd: 0,
        session: `ses_${source}`,
        ts: NOW - 30 * DAY,
        role: "user",
        speaker: "you",
        origin: "owner",
        ...more,
      },
    ]);
  return { db, writer, sources, say, kept: new SearchedIndex(db, { keeps: true }) };
}

/** Parts too, which are only written out when they are asked for. */
const plain = (hits: readonly MemoryHit[]) => hits.map(({ parts, ...hit }) => ({ ...hit, parts }));

const TEXTS = [
  "The garden needs water on Friday.",
  "Where did we plant the tomatoes?",
  "We planted tomatoes in the garden of Anna, in Graz.",
  "Wow, that's great!",
  "Zwei Tomaten, gestern gepflückt: die Ernte im Garten.",
  "庭のトマトに水をやる",
  "yes",
];
const turn = fc.record({
  source: fc.nat(2),
  text: fc.constantFrom(...TEXTS),
  ts: fc.integer({ min: 0, max: 60 }).map((days) => NOW - days * DAY),
  speaker: fc.constantFrom("you", "Elwood", "Anna"),
  origin: fc.constantFrom("owner" as const, "agent" as const, "untrusted" as const),
});
const query = fc.record(
  {
    text: fc.constantFrom(
      "When did we plant tomatoes in the garden?",
      "what did Anna water last week",
      "庭のトマト",
    ),
    limit: fc.integer({ min: 1, max: 20 }),
    tokensMax: fc.integer({ min: 10, max: 200 }),
    exceptSession: fc.constant("ses_1"),
    session: fc.constant("ses_0"),
    since: fc.constant(NOW - 40 * DAY),
    until: fc.constant(NOW - 5 * DAY),
    forRecall: fc.boolean(),
    origins: fc.constantFrom(["owner", "agent"] as const, ["untrusted"] as const),
  },
  { requiredKeys: ["text", "limit"] },
);

test("turns that are kept are found as those that are read anew, whatever came and went between", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          said: fc.array(turn, { maxLength: 12 }),
          gone: fc.array(fc.nat(30), { maxLength: 3 }),
          query,
        }),
        { minLength: 1, maxLength: 4 },
      ),
      (rounds) => {
        const { db, writer, say, kept } = scene();
        for (const { said, gone, query: asked } of rounds) {
          for (const { source, ...more } of said) say(source, more);
          writer.dropTurnsById(gone);
          const wanted: MemoryQuery = { now: NOW, timeZone: "Europe/Vienna", ...asked };
          expect(plain(searchTurns(db, wanted, {}, kept))).toEqual(plain(searchTurns(db, wanted)));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("what was forgotten is not kept", () => {
  const { writer, say, kept } = scene();
  say(0, { text: "The safe opens with 4711." });
  expect(kept.kept()?.get(1)?.text).toContain("4711");
  writer.dropTurnsById([1]);
  expect(kept.kept()?.get(1)).toBeUndefined();
  expect(kept.kept()?.size).toBe(0);
});

test("what is left when a note is saved again is not read again", () => {
  const { writer, say, kept } = scene();
  say(0, { text: "The safe opens with 4711." });
  say(1, { text: "Anna likes tulips.", speaker: "Anna" });
  const before = kept.kept()?.get(1);
  writer.dropTurnsById([2]);
  expect(kept.kept()?.get(1)).toBe(before);
  expect(kept.kept()?.speakers).toEqual(["you"]);
  say(1, { text: "Anna likes lilies.", speaker: "Anna" });
  expect(kept.kept()?.size).toBe(2);
  expect(kept.kept()?.speakers).toEqual(["Anna", "you"]);
});

test("an index that has grown large is not kept, and one whose turns are long is not either", () => {
  const { writer, say, kept } = scene();
  say(0, { text: "x".repeat(SEARCH_LIMITS.keptChars) });
  expect(kept.kept()?.size).toBe(1);
  say(1, { text: "y" });
  expect(kept.kept()).toBeUndefined();
  writer.dropTurnsById([1]);
  expect(kept.kept()?.size).toBe(1);
  writer.transaction(() => {
    for (let n = 0; n < SEARCH_LIMITS.keptTurns; n += 1) say(2, { text: "z" });
  });
  expect(kept.kept()).toBeUndefined();
});

test("what is let go is not kept any longer, and is read again when it is wanted", () => {
  const { say, kept } = scene();
  for (const text of TEXTS) say(0, { text });
  const cache = kept.kept();
  expect(cache?.size).toBe(TEXTS.length);
  kept.letGo();
  expect([cache?.size, cache?.speakers]).toEqual([0, []]);
  expect(kept.kept()?.size).toBe(TEXTS.length);
});

test("what is kept from search to search is let go as soon as anybody writes, over this connection or another", () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const open = () => {
    const db = new DatabaseSync(join(folder, "memory.db"));
    onTestFinished(() => db.close());
    db.exec(PRAGMAS);
    return db;
  };
  const [here, elsewhere] = [open(), open()];
  createSchema(here, {});
  const index = new SearchedIndex(here);
  const say = (db: DatabaseSync, path: string, speaker: string, text: string) => {
    const writer = new IndexWriter(db);
    const { id } = writer.addSource(path, path.startsWith("memory/") ? "note" : "transcript");
    const place = { line: 1, lineTo: 1, byteStart: 0, byteEnd: 0, ts: NOW - DAY };
    writer.addTurns(id, [{ ...place, role: "user", speaker, origin: "owner", text }]);
    return id;
  };
  const garden = queryWords("garden");
  const seen = () =>
    index.reading(() => [
      index.count('"tomatoes"'),
      index.count('"tomatoes"', 1),
      querySpeakers(index),
      findByKey(index, garden, keyMatcher(garden.words, "garden")).map(({ ids }) => ids.length),
    ]);
  say(here, "sessions/default/a.jsonl", "Anna", "We planted tomatoes.");
  expect([seen(), seen()]).toEqual([
    [1, 1, ["Anna"], []],
    [1, 1, ["Anna"], []],
  ]);
  say(elsewhere, "memory/default/garden.md", "Bert", "The tomatoes stand on the left.");
  expect(seen()).toEqual([2, 1, ["Anna", "Bert"], [1]]);
  const note = say(here, "sessions/default/b.jsonl", "Clara", "More tomatoes.");
  expect(seen()).toEqual([3, 1, ["Anna", "Bert", "Clara"], [1]]);
  elsewhere.exec(`DELETE FROM turns WHERE source_id = ${note}`);
  elsewhere.exec("DELETE FROM turns WHERE speaker = 'Bert'");
  expect(seen()).toEqual([1, 1, ["Anna"], []]);
  // Outside of a search nothing is kept: nobody would notice that it has changed.
  expect(index.count('"tomatoes"')).toBe(1);
});
