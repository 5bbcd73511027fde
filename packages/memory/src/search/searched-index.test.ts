import { DatabaseSync } from "node:sqlite";
import { keyMatcher } from "@elwood/core/memory/key-match";
import { queryWords } from "@elwood/core/memory/query-words";
import { expect, onTestFinished, test } from "vitest";
import { IndexWriter } from "../index/index-writer.ts";
import { createSchema, PRAGMAS } from "../index/schema.ts";
import { findByKey, querySpeakers, readPaths } from "./find-candidates.ts";
import { NOTE_ROWS_MAX, SearchedIndex } from "./searched-index.ts";

/** An index in which a note has some lines, and how often rows are read from it. */
function scene(lines: number, { keeps = true } = {}) {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  db.exec(PRAGMAS);
  createSchema(db, {});
  const writer = new IndexWriter(db);
  const place = {
    line: 1,
    lineTo: 1,
    byteStart: 0,
    byteEnd: 0,
    ts: 0,
    origin: "owner",
  } as const;
  const add = (path: string, kind: "note" | "transcript", texts: readonly string[], speaker = "you") => {
    const { id } = writer.source(path) ?? writer.addSource(path, kind);
    const role = kind === "note" ? "note" : "user";
    writer.transaction(() =>
      writer.addTurns(
        id,
        texts.map((text) => ({ ...place, role, speaker, text })),
      ),
    );
  };
  add(
    "memory/default/anna.md",
    "note",
    Array.from({ length: lines }, (_, at) => `Likes jazz ${at}`),
  );
  const index = new SearchedIndex(db, { keeps });
  let reads = 0;
  const prepare = index.prepare.bind(index);
  index.prepare = (sql) => {
    if (sql.includes("JOIN turns t ON t.id = j.value")) reads += 1;
    return prepare(sql);
  };
  const textsOf = (...ids: readonly number[]) =>
    index.reading(() => index.rowsOf(ids).map(({ text }) => text));
  return { writer, index, add, textsOf, reads: () => reads };
}

test("a line of a note is read once, and what was said in each search", () => {
  const { add, textsOf, reads } = scene(2);
  add("sessions/default/a.jsonl", "transcript", ["Anna came"]);
  expect(textsOf(1, 2)).toEqual(["Likes jazz 0", "Likes jazz 1"]);
  expect(textsOf(2, 1)).toEqual(["Likes jazz 1", "Likes jazz 0"]);
  expect(reads()).toBe(1);
  expect([textsOf(3), textsOf(3), reads()]).toEqual([["Anna came"], ["Anna came"], 3]);
  // What is said next changes no line.
  add("memory/default/anna.md", "note", ["Likes tulips"]);
  expect([textsOf(1, 4), reads()]).toEqual([["Likes jazz 0", "Likes tulips"], 4]);
  expect([textsOf(4, 1), reads()]).toEqual([["Likes tulips", "Likes jazz 0"], 4]);
});

test("a line that is gone is not there any more, whatever came instead", () => {
  const { writer, add, textsOf } = scene(3);
  expect(textsOf(1, 2, 3)).toHaveLength(3);
  writer.transaction(() => writer.dropTurnsById([2]));
  add("memory/default/anna.md", "note", ["Likes tulips"]);
  expect(textsOf(1, 2, 3, 4)).toEqual(["Likes jazz 0", "Likes jazz 2", "Likes tulips"]);
});

test("which notes there are, their lines and who speaks is read again once that has changed, and not for what else is said", () => {
  const { writer, add, index } = scene(2);
  const here = { path: "sessions/default/a.jsonl", kind: "transcript" } as const;
  let reads = 0;
  const prepare = index.prepare.bind(index);
  index.prepare = (sql) => {
    if (/FROM sources|WHERE source_id = \? ORDER BY pos|min\(speaker\)/.test(sql)) reads += 1;
    return prepare(sql);
  };
  const garden = queryWords("anna garden");
  const known = () => {
    const notes = index.reading(() => findByKey(index, garden, keyMatcher(garden.words, "anna garden")));
    const speakers = index.reading(() => querySpeakers(index));
    const before = reads;
    reads = 0;
    return { lines: notes.map(({ ids }) => ids.length), speakers, reads: before };
  };
  expect(known()).toEqual({ lines: [2], speakers: ["you"], reads: 3 });
  expect(known().reads).toBe(0);
  add(here.path, here.kind, ["Anna came to the garden"]);
  expect(known()).toEqual({ lines: [2], speakers: ["you"], reads: 0 });
  add("memory/default/anna.md", "note", ["Likes tulips"]);
  expect(known()).toEqual({ lines: [3], speakers: ["you"], reads: 2 });
  add("memory/default/garden.md", "note", ["Tulips"]);
  expect(known()).toEqual({ lines: [3, 1], speakers: ["you"], reads: 2 });
  // Another line of a note that is known changes nothing of the others.
  add("memory/default/anna.md", "note", ["Likes lilies"]);
  expect(known()).toEqual({ lines: [4, 1], speakers: ["you"], reads: 1 });
  add(here.path, here.kind, ["So it is"], "Anna");
  expect(known()).toEqual({ lines: [4, 1], speakers: ["Anna", "you"], reads: 1 });
  writer.transaction(() => writer.dropTurnsById([1, 2, 4, 6]));
  expect(known()).toEqual({ lines: [1], speakers: ["Anna", "you"], reads: 3 });
  // What is as many as before is not the same.
  writer.transaction(() => writer.dropTurnsById([7]));
  add(here.path, here.kind, ["Yes"]);
  expect(known().speakers).toEqual(["you"]);
});

test("a path is read once, until a turn is gone with its file and leaves the number to another", () => {
  const { writer, add, index } = scene(1);
  let reads = 0;
  const prepare = index.prepare.bind(index);
  index.prepare = (sql) => {
    if (sql.includes("SELECT path FROM sources")) reads += 1;
    return prepare(sql);
  };
  const path = (id: number) => index.reading(() => readPaths(index, [id], undefined).get(id));
  add("sessions/default/a.jsonl", "transcript", ["Anna came"]);
  expect([path(2), path(2), reads]).toEqual(["sessions/default/a.jsonl", "sessions/default/a.jsonl", 1]);
  add("sessions/default/a.jsonl", "transcript", ["And left"]);
  expect([path(2), reads]).toEqual(["sessions/default/a.jsonl", 1]);
  writer.transaction(() => writer.dropSource(2));
  add("sessions/default/b.jsonl", "transcript", ["One", "Two"]);
  expect(path(2)).toBe("sessions/default/b.jsonl");
});

test("only so many lines are kept, those that were read last, none after a rest, and none where searches keep nothing", () => {
  const { index, textsOf, reads } = scene(NOTE_ROWS_MAX + 1);
  const all = Array.from({ length: NOTE_ROWS_MAX + 1 }, (_, at) => at + 1);
  textsOf(...all);
  expect([textsOf(2, NOTE_ROWS_MAX + 1).length, reads()]).toEqual([2, 1]);
  expect([textsOf(1).length, reads()]).toEqual([1, 2]);
  // The one that is read takes the place of another that is asked for, too.
  expect([textsOf(...all).length, reads()]).toEqual([all.length, 3]);
  index.letGo();
  expect([textsOf(3).length, reads()]).toEqual([1, 4]);
  const forgetful = scene(1, { keeps: false });
  expect([forgetful.textsOf(1), forgetful.textsOf(1), forgetful.reads()]).toEqual([
    ["Likes jazz 0"],
    ["Likes jazz 0"],
    2,
  ]);
});
