import { DatabaseSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { ftsQuery, ftsWord } from "@elwood/core/memory/fts-query";
import { queryWords, type QueryWord } from "@elwood/core/memory/query-words";
import { wordMatcher } from "@elwood/core/memory/word-match";
import type { MemoryHit, MemoryQuery } from "@elwood/core/memory/turn";
import { describe, expect, onTestFinished, test } from "vitest";
import { SEARCH_LIMITS } from "./find-candidates.ts";
import { INDEX_LIMITS } from "../index/limits.ts";
import { IndexWriter } from "../index/index-writer.ts";
import { createSchema, PRAGMAS } from "../index/schema.ts";
import { readVarint } from "./index-size.ts";
import { SearchedIndex } from "./searched-index.ts";
import { searchTurns } from "./search-turns.ts";
import type { ScoredTurn } from "./word-places.ts";
import { WORD_TABLE_LIMITS, type WordTableLimits } from "./word-table.ts";

const NOW = Date.UTC(2026, 10, 15, 9);

function scene(limits: WordTableLimits = WORD_TABLE_LIMITS) {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  db.exec(PRAGMAS);
  createSchema(db, {});
  const writer = new IndexWriter(db);
  const [source, another] = ["a", "b"].map(
    (name) => writer.addSource(`sessions/default/${name}.jsonl`, "transcript").id,
  );
  const say = (...texts: readonly string[]) =>
    writer.transaction(() =>
      writer.addTurns(
        texts[0]!.length > INDEX_LIMITS.turnCharsMax ? another! : source!,
        texts.map((text) => ({
          line: 1,
          lineTo: 1,
          byteStart: 0,
          byteEnd: 0,
          session: "ses_a",
          ts: NOW,
          role: "user" as const,
          speaker: "you",
          origin: "owner" as const,
          text,
        })),
      ),
    );
  return { db, writer, say, index: new SearchedIndex(db, { keeps: true, limits }) };
}

/** What the full-text index itself answers. */
function asked(db: DatabaseSync, words: readonly QueryWord[]) {
  const rows = db
    .prepare("SELECT rowid AS id, -bm25(turns_fts) AS score FROM turns_fts WHERE turns_fts MATCH ?")
    .all(ftsQuery(words)) as unknown as { id: number; score: number }[];
  return rows.map(({ id, score }): ScoredTurn => [id, score]).sort(([a, x], [b, y]) => y - x || b - a);
}

const WORDS = [
  "go",
  "went",
  "gone",
  "garden",
  "Gardens",
  "café",
  "cafe",
  "Äpfel",
  "running",
  "ran",
  "tomato's",
  "x",
  "painter",
  "painted",
  "paintings",
];
const ODD = [
  "🌱",
  "naïve",
  "東京",
  "e\u0301t\u00e9",
  "I'm",
  "42",
  "3.14",
  "ﬁne",
  "Straße",
  "İzmir",
  "под",
  "_",
  "\u00ad",
];
const text = fc
  .array(fc.constantFrom(...WORDS, ...ODD, "tulips", "the", "of"), { minLength: 1, maxLength: 12 })
  .map((words) => words.join(" "));

test("counts and scores are those of the full-text index, digit by digit, whatever is said and erased between", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          said: fc.array(text, { maxLength: 8 }),
          gone: fc.array(fc.nat(12), { maxLength: 1 }),
          question: text,
        }),
        { minLength: 1, maxLength: 5 },
      ),
      // So little room that most of what is kept has to go.
      fc.constantFrom(WORD_TABLE_LIMITS, {
        ...WORD_TABLE_LIMITS,
        counts: 2,
        places: 6,
        placesPerWord: 1,
        placesOfWord: 5,
      }),
      (rounds, limits) => {
        const { db, writer, say, index } = scene(limits);
        for (const { said, gone, question } of rounds) {
          if (said.length > 0) say(...said);
          writer.transaction(() => writer.dropTurnsById(gone));
          const { words } = queryWords(question);
          if (words.length === 0) continue;
          index.reading(() => {
            const table = index.words()!;
            for (const word of words) {
              const counted = table.count(word, undefined);
              if (counted !== undefined) expect(counted).toBe(index.countNow(ftsWord(word)));
            }
            const found = table.match(words, 100, 100);
            if (found) expect(found).toEqual(asked(db, words));
            expect(index.size().turns).toBe(
              Number(db.prepare("SELECT count(*) AS n FROM turns").get()?.["n"]),
            );
          });
        }
      },
    ),
    { numRuns: 150 },
  );
});

const idsIn = (db: DatabaseSync) =>
  db
    .prepare("SELECT id FROM turns ORDER BY id")
    .all()
    .map(({ id }) => Number(id));

/** Those of the turns that hold the word, as far as what is kept can tell. */
const holding = (index: SearchedIndex, word: QueryWord, ids: readonly number[]) =>
  index
    .words()!
    .held({ words: [word], weights: [1], tells: [true], least: 1, weight: 1 })
    .among(ids);

test("a word is held where the index finds it, and where its text does in other forms, whatever is said next", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(text, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      text,
      // So little room that what was kept last goes first.
      fc.constantFrom(WORD_TABLE_LIMITS, { ...WORD_TABLE_LIMITS, places: 20, placesPerWord: 3 }),
      (rounds, question, limits) => {
        const { db, say, index } = scene(limits);
        for (const said of rounds) {
          say(...said);
          const texts = db.prepare("SELECT id, text FROM turns ORDER BY id DESC").all();
          index.reading(() => {
            for (const word of queryWords(question).words) {
              const found = index
                .words()!
                .match([word], 100, 100)
                ?.map(([id]) => id);
              if (!found) continue;
              const matches = wordMatcher([word]);
              const held = texts.filter(
                (turn) => found.includes(Number(turn["id"])) || matches(String(turn["text"])).length > 0,
              );
              expect(holding(index, word, idsIn(db))).toEqual(held.map(({ id }) => Number(id)));
            }
          });
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("where other forms of a word stand in too many places, those that the index knows have to do", () => {
  const { db, say, index } = scene({ ...WORD_TABLE_LIMITS, placesOfOthers: 2 });
  say("Nachbar", "Nachbarn", "Nachbarn", "Gartenzaun", "Nachbarin");
  const held = (word: string) => index.reading(() => holding(index, { word, forms: [] }, idsIn(db)));
  expect([held("nachbar"), held("garten")]).toEqual([[1], [4]]);
  say("Gartenzwerg", "Gartenarbeit");
  expect([held("nachbar"), held("garten")]).toEqual([[1], [6, 4]]);
});

test("of those that hold enough the best are found, as if all were found and the others left out", () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 20 }),
      text,
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 16, maxLength: 16 }),
      fc.nat(4),
      fc.constantFrom(WORD_TABLE_LIMITS, { ...WORD_TABLE_LIMITS, placesOfWord: 5 }),
      (said, question, numbers, least, limits) => {
        const { db, say, index } = scene(limits);
        say(...said);
        const { words } = queryWords(question);
        if (words.length === 0) return;
        const weights = words.map((_, at) => numbers[at % 16]!);
        const tells = words.map((_, at) => numbers[(at + 3) % 16]! > 0);
        const needed = { words, weights, tells, least, weight: numbers[15]! };
        index.reading(() => {
          const table = index.words()!;
          const held = table.held(needed);
          const ids = idsIn(db);
          const known = words.map((word) => holding(index, word, ids));
          const isEnough = (id: number) => {
            const at = known.flatMap((holds, word) => (holds.includes(id) ? [word] : []));
            const weight = at.reduce((sum, word) => sum + weights[word]!, 0);
            return at.some((word) => tells[word]) && at.length >= least && weight >= needed.weight;
          };
          const some = ids.filter((_, at) => numbers[at % 16]! > 1);
          expect(held.among(some)).toEqual(some.filter(isEnough).toReversed());
          const found = table.match(words, 100, 100);
          expect(table.match(words, 100, 100, held)).toEqual(found?.filter(([id]) => isEnough(id)));
        });
      },
    ),
    { numRuns: 300 },
  );
});

test("how many words a turn has counts for its score, in one byte of the index or in more", () => {
  const { db, say, index } = scene();
  say(
    "tulip",
    `tulip ${"and ".repeat(200)}`,
    `${"or ".repeat(20_000 / 3)} tulip`,
    `tulip ${"x ".repeat(126)}`,
  );
  const { words } = queryWords("tulip");
  expect(index.reading(() => index.words()!.match(words, 10, 10))).toEqual(asked(db, words));
});

test("what is known of a word is not asked again, and what is said next is added to it", () => {
  const { say, index } = scene();
  say("tulips in the garden", "Anna went home", "a garden of herbs");
  const { words } = queryWords("gardens going");
  const look = () =>
    index.reading(() => {
      const table = index.words()!;
      return [
        words.map((word) => table.count(word, undefined)),
        table.match(words, 10, 10)?.map(([id]) => id),
      ];
    });
  expect(look()).toEqual([[2, 1], expect.arrayContaining([1, 2, 3])]);
  index.countNow = () => expect.unreachable("it was counted before");
  say("she has gone to the gardens", "nothing of it");
  expect(look()).toEqual([[3, 2], expect.arrayContaining([1, 2, 3, 4])]);
});

test("the newest are looked at, and the best of them returned", () => {
  const { say, index } = scene();
  say("tulip", "tulip and much else besides", "tulip tulip", "roses");
  const match = (newest: number, most: number) =>
    index.reading(() =>
      index
        .words()!
        .match(queryWords("tulip").words, newest, most)
        ?.map(([id]) => id),
    );
  expect(match(10, 10)).toEqual([3, 1, 2]);
  expect(match(10, 2)).toEqual([3, 1]);
  expect(match(2, 10)).toEqual([3, 2]);
});

/** How often the places of words were read from the index. */
function readsOfPlaces(index: SearchedIndex): () => number {
  let reads = 0;
  const prepare = index.prepare.bind(index);
  index.prepare = (sql) => {
    if (sql.includes("temp.places")) reads += 1;
    return prepare(sql);
  };
  return () => reads;
}

test("where there is no room, the places of the word go that nobody asked for longest", () => {
  const { say, index } = scene({ ...WORD_TABLE_LIMITS, places: 6, placesPerWord: 1 });
  say("tulip rose lily", "tulip rose lily");
  const reads = readsOfPlaces(index);
  const match = (word: string) =>
    index.reading(() => index.words()!.match([{ word, forms: [] }], 10, 10)?.length);
  expect(["tulip", "rose", "tulip", "lily"].map(match)).toEqual([2, 2, 2, 2]);
  expect(reads()).toBe(3);
  expect([match("tulip"), reads()]).toEqual([2, 3]);
  expect([match("rose"), reads()]).toEqual([2, 4]);
  // What is said next takes room, too.
  say("tulip rose", "tulip rose");
  expect([match("rose"), reads()]).toEqual([4, 4]);
  expect([match("tulip"), reads()]).toEqual([4, 5]);
});

test("a word takes room of its own, so that thousands that stand nowhere are not kept for ever", () => {
  const { say, index } = scene({ ...WORD_TABLE_LIMITS, places: 10, placesPerWord: 5 });
  say("tulip");
  const reads = readsOfPlaces(index);
  const match = (word: string) => index.reading(() => index.words()!.match([{ word, forms: [] }], 10, 10));
  for (const word of ["one", "two", "two", "three", "two", "three"]) expect(match(word)).toEqual([]);
  expect(reads()).toBe(3);
  match("one");
  expect(reads()).toBe(4);
});

test("a word that is counted and then looked for is asked of the index once", () => {
  const { say, index } = scene();
  say("tulip", "tulip 1984", "rose");
  const reads = readsOfPlaces(index);
  index.countNow = () => expect.unreachable("its places are as many");
  const look = (word: string) =>
    index.reading(() => {
      const [asked] = queryWords(word).words;
      return [index.words()!.count(asked!, 1), index.words()!.match([asked!], 10, 10)?.length];
    });
  expect([look("tulip"), look("1984"), look("1985")]).toEqual([
    [1, 2],
    [1, 1],
    [0, 0],
  ]);
  expect(reads()).toBe(3);
});

test("of a word that stands in too many places it is kept that it does", () => {
  const { say, index } = scene({ ...WORD_TABLE_LIMITS, placesOfWord: 2 });
  say("tulip", "tulip", "tulip", "rose");
  const reads = readsOfPlaces(index);
  const match = (word: string) => index.reading(() => index.words()!.match([{ word, forms: [] }], 10, 10));
  expect([match("tulip"), match("tulip"), reads()]).toEqual([undefined, undefined, 1]);
  index.letGo();
  expect([match("tulip"), match("rose")?.length, reads()]).toEqual([undefined, 1, 3]);
});

test("a word that stands almost everywhere is asked of the index, and so is what is no single word to it", () => {
  const { say, index } = scene();
  say(Array.from({ length: WORD_TABLE_LIMITS.placesOfWord + 1 }, () => "tulip").join(" "), "a rose");
  const match = (...words: readonly string[]) =>
    index.reading(() =>
      index.words()!.match(
        words.map((word) => ({ word, forms: [] })),
        10,
        10,
      ),
    );
  expect(match("rose")).toHaveLength(1);
  expect(match("rose", "tulip")).toBeUndefined();
  expect(match("rose's")).toBeUndefined();
  expect(match("…")).toBeUndefined();
  expect(index.reading(() => index.words()!.count({ word: "rose's", forms: [] }, undefined))).toBeUndefined();
});

test("a count that has reached its limit is not taken for all of them, nor for those of a higher limit", () => {
  const { say, index } = scene();
  say("tulip", "tulip", "tulip");
  const count = (most?: number) =>
    index.reading(() => index.words()!.count({ word: "tulip", forms: [] }, most));
  expect([count(2), count(2)]).toEqual([2, 2]);
  expect([count(8), count(2)]).toEqual([3, 2]);
  say("tulip");
  expect([count(2), count(8), count(), count(3)]).toEqual([2, 4, 4, 3]);
});

test("what is let go is read again, and outside of a search nothing is kept", () => {
  const { say, index } = scene();
  expect(index.words()).toBeUndefined();
  say("tulip");
  const count = () => index.reading(() => index.words()!.count({ word: "tulip", forms: [] }, undefined));
  expect(count()).toBe(1);
  index.letGo();
  say("tulip");
  expect(count()).toBe(2);
  expect(new SearchedIndex(index.db).words()).toBeUndefined();
});

test("of how many words turns are is read once for those that are scored, and again after it was let go", () => {
  const { db, say, index } = scene();
  say("a tulip", "a rose and a tulip and another rose", "nothing of that");
  const score = (word: string) => index.reading(() => index.words()!.match([{ word, forms: [] }], 10, 10)!);
  const before = score("tulip");
  expect(before).toEqual(asked(db, [{ word: "tulip", forms: [] }]));
  // What was read stays as it was, whatever is done to the table.
  db.enableDefensive(false);
  db.exec("UPDATE turns_fts_docsize SET sz = x'05' WHERE id = 1");
  expect(score("tulip")).toEqual(before);
  index.letGo();
  expect(score("tulip")).not.toEqual(before);
  db.exec("DELETE FROM turns_fts_docsize WHERE id = 2");
  index.letGo();
  // The index itself has to be asked.
  expect(index.reading(() => index.words()!.match([{ word: "rose", forms: [] }], 10, 10))).toBeUndefined();
});

/** In MB, once what nobody holds is collected. */
function heapMb(): number {
  setFlagsFromString("--expose-gc");
  // Made by the flag above.
  const collect = runInNewContext("gc") as () => void;
  // What was let go of during the first time is collected the second time.
  collect();
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}

describe("what is said next and taken in leaves no more in memory than its words", () => {
  const heldAfter = (text: (n: number) => string, terms: number = WORD_TABLE_LIMITS.terms) => {
    const { say, writer, index } = scene({ ...WORD_TABLE_LIMITS, terms });
    const look = () => index.reading(() => index.words()!.count({ word: "tulip", forms: [] }, undefined));
    say("tulip", "rose");
    look();
    say("a tulip and another rose");
    look();
    const before = heapMb();
    say(...Array.from({ length: 900 }, (_, n) => text(n)));
    expect(look()).toBe(2);
    const after = heapMb();
    writer.transaction(() => writer.dropTurnsById([2]));
    expect(look()).toBe(2);
    return { added: after - before, leftOnceErased: heapMb() - before };
  };
  const words = (n: number) => Array.from({ length: 100 }, (_, at) => `w${n}x${at}`).join(" ");

  test("and not the texts of long ones", () => {
    expect(heldAfter((n) => `${"and so on ".repeat(900)} newlongword${n}`).added).toBeLessThan(3);
  });

  test("and none that is longer than words are", () => {
    expect(heldAfter((n) => `${n}${"x".repeat(9_000)}`).added).toBeLessThan(3);
  });

  test("and no more of them than there is room for, and nothing once something is erased", () => {
    expect(heldAfter(words, 100).added).toBeLessThan(3);
    const { added, leftOnceErased } = heldAfter(words, 100_000);
    expect(added).toBeGreaterThan(5);
    expect(leftOnceErased).toBeLessThan(3);
  });
});

test("a search of an index that is too large to be kept finds the same as one that keeps nothing", () => {
  const { db, writer, say, index } = scene();
  say("z".repeat(SEARCH_LIMITS.keptChars + 1));
  const texts = [
    "We planted tomatoes in the garden of Anna.",
    "Where did we plant the tomatoes?",
    "Anna went to Graz on Friday.",
    "The garden needs water.",
    "yes",
  ];
  const plain = (hits: readonly MemoryHit[]) => hits.map(({ parts, ...hit }) => ({ ...hit, parts }));
  const said = (hits: readonly MemoryHit[]) => hits.map(({ turn }) => turn.text).sort();
  for (let round = 0; round < 6; round += 1) {
    say(...texts.slice(round % 3));
    if (round === 4) writer.transaction(() => writer.dropTurnsById([3, 5]));
    for (const query of ["Where are the tomatoes of Anna?", "going to Graz", "tomatoes, garden and water"])
      for (const more of [
        {},
        { forRecall: true },
        { forRecall: true, origins: ["owner", "agent"], exceptSession: "ses_b" },
        { session: "ses_a", limit: 2 },
        { exceptSession: "ses_a" },
      ] satisfies Partial<MemoryQuery>[]) {
        const wanted: MemoryQuery = { text: query, limit: 20, tokensMax: 500, now: NOW, ...more };
        expect(index.reading(() => index.kept())).toBeUndefined();
        const [found, anew] = [searchTurns(db, wanted, {}, index), searchTurns(db, wanted)];
        // What holds too little to be told is not found for a recall, and adds nothing to what stands beside it.
        if (wanted.forRecall === true) expect(said(found)).toEqual(said(anew));
        else expect(plain(found)).toEqual(plain(anew));
      }
  }
});

test.each([
  [[0], 0, 1],
  [[127], 127, 1],
  [[0x81, 0x00], 128, 2],
  [[0xb2, 0x07], 6_407, 2],
  [[0x85, 0x8d, 0x31], 83_633, 3],
])("a packed number %j is %i", (bytes, value, end) => {
  expect(readVarint(Uint8Array.from(bytes), 0)).toEqual({ value, end });
});
