import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { MemoryIndex } from "../memory-index.ts";
import { ANSWER, found, indexScene, line, query } from "./test-index-scene.ts";

const PLACES = ["Lisbon", "Oslo", "Quito", "Hanoi", "Perth"];

function filled() {
  const scene = indexScene();
  for (const place of PLACES) {
    scene.say(`ses_${place}`, `My sister moved to ${place} in spring`, `Good to know about ${place}.`);
  }
  scene.write("family", PLACES.map((place) => `- Aunt in ${place} likes tea\n`).join(""));
  return scene;
}

async function answers(index: MemoryIndex) {
  const all = [];
  for (const place of PLACES) {
    const hits = await index.search(query(`who moved to ${place}`));
    all.push(hits.map(({ turn }) => `${turn.source}#${turn.line} ${turn.text}`));
  }
  return all;
}

/** What stands in the files, whatever happened to the index. */
function filesUnder(home: string): Map<string, string> {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  const sources = names.filter((name) => /\.(?:jsonl|md)$/.test(name)).toSorted((a, b) => (a < b ? -1 : 1));
  return new Map(sources.map((name) => [name, readFileSync(join(home, name), "utf8")]));
}

type Harm = (path: string) => void;

const HARMS: Readonly<Record<string, Harm>> = {
  "is garbage": (path) => writeFileSync(path, "this is no database at all, and was never one. ".repeat(500)),
  "is empty": (path) => truncateSync(path, 0),
  "was cut in half": (path) => truncateSync(path, statSync(path).size >> 1),
  "has garbage in its middle": (path) => overwrite(path, 0.2, 0.8),
  "has garbage in its first page": (path) => overwrite(path, 0.001, 0.02),
  "was deleted": (path) => rmSync(path),
  "is of another version": (path) => inDatabase(path, "UPDATE meta SET v = '0' WHERE k = 'tokenizer'"),
  "was made with other redaction": (path) => inDatabase(path, "UPDATE meta SET v = 'x' WHERE k = 'redactor'"),
  "lost a table": (path) => inDatabase(path, "DROP TABLE meta"),
  "belongs to another program": (path) => {
    rmSync(path);
    inDatabase(path, "CREATE TABLE theirs (a); PRAGMA application_id = 7");
  },
};

function overwrite(path: string, from: number, to: number): void {
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  const at = Math.floor(size * from);
  writeSync(file, Buffer.alloc(Math.floor(size * to) - at, 0x5a), 0, undefined, at);
}

function inDatabase(path: string, sql: string): void {
  const db = new DatabaseSync(path, { defensive: false });
  db.exec(sql);
  db.close();
}

describe("an index that is found at the start", () => {
  test.each(Object.entries(HARMS))("and %s: the same answers, and nothing lost", async (_what, harm) => {
    const { open, path, home } = filled();
    const before = filesUnder(home);
    const first = open();
    const expected = await answers(first);
    await first.close();
    harm(path);
    for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    const index = open();
    expect(await answers(index)).toEqual(expected);
    expect(filesUnder(home)).toEqual(before);
    // It is whole, and stays so.
    index.read((db) => db.exec("INSERT INTO turns_fts (turns_fts, rank) VALUES ('integrity-check', 1)"));
    expect(index.read((db) => db.prepare("PRAGMA integrity_check").get())).toEqual({ integrity_check: "ok" });
  });

  test("and was not closed is read through first, where it is small", async () => {
    const { open, path, complaints } = filled();
    const first = open();
    const expected = await answers(first);
    await first.close();
    // Nothing that opening the file would notice: one page of the full-text index, and no mark of a clean end.
    inDatabase(
      path,
      "UPDATE meta SET v = '0' WHERE k = 'clean'; UPDATE turns_fts_data SET block = zeroblob(40) WHERE id > 10",
    );
    const index = open();
    expect(await answers(index)).toEqual(expected);
    expect(complaints).toEqual([
      "the index of memory could not be read; it was put aside and is built anew from files",
    ]);
    expect(existsSync(`${path}.corrupt`)).toBe(true);
  });

  test("and is damaged is kept beside, one of them at most", async () => {
    const { open, path } = filled();
    for (const words of ["first", "second"]) {
      writeFileSync(path, words.repeat(1_000));
      const index = open();
      await index.start();
      await index.close();
    }
    expect(readFileSync(`${path}.corrupt`, "utf8")).toContain("second");
    expect(
      readdirSync(join(path, ".."))
        .filter((name) => name.startsWith("memory.db"))
        .toSorted(),
    ).toEqual(["memory.db", "memory.db.corrupt"]);
  });
});

describe("an index in use", () => {
  test("that turns out to be damaged is replaced, and the search is answered all the same", async () => {
    const { open, path, complaints } = filled();
    const index = open();
    const expected = await answers(index);
    index.truncateLog();
    overwrite(path, 0.05, 0.95);
    // What SQLite has in memory hides it for a while; another reader would not see it.
    index.read((db) => db.exec("PRAGMA shrink_memory"));
    for (const place of PLACES) await index.search(query(place));
    expect(await answers(index)).toEqual(expected);
    expect(complaints).toContain(
      "the index of memory could not be read; it was put aside and is built anew from files",
    );
    expect(index.status()).toMatchObject({ conversations: PLACES.length, notes: 1, behind: 0 });
  });

  test("that somebody else holds keeps nobody waiting, and has everything as soon as it is let go", async () => {
    const { open, path, say, write, transcript, complaints } = filled();
    const index = open();
    await index.start();
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const from = statSync(transcript("ses_zz"), { throwIfNoEntry: false })?.size ?? 0;
    say("ses_zz", "the octopus lives in Malta");
    write("held", "- the tapir lives in Lima\n");
    const to = statSync(transcript("ses_zz")).size;
    const began = performance.now();
    index.transcriptChanged({ tenant: "default", sessionId: "ses_zz", what: "appended", from, to });
    await index.refresh("memory/default/held.md");
    await index.search(query("octopus Malta"));
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(index.status().lastError).toContain("locked");
    expect(complaints).toContain("the index of memory is behind; it is tried again");
    other.exec("ROLLBACK");
    other.close();
    expect(await found(index, "octopus Malta")).toContain("the octopus lives in Malta");
    expect(await found(index, "tapir Lima")).toContain("the tapir lives in Lima");
    expect(index.status()).toMatchObject({ behind: 0 });
    expect(index.status().lastError).toBeUndefined();
  });

  test("that somebody deleted is made anew by the next sweep", async () => {
    const { open, path } = filled();
    const index = open();
    const expected = await answers(index);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    await index.sweep();
    expect(existsSync(path)).toBe(true);
    expect(await answers(index)).toEqual(expected);
  });

  test("is built anew on demand, and answers meanwhile", async () => {
    const { open, path } = filled();
    const index = open();
    const expected = await answers(index);
    const rebuilt = index.rebuild();
    expect(await answers(index)).toEqual(expected);
    await rebuilt;
    expect(await answers(index)).toEqual(expected);
    expect(index.status()).toMatchObject({ rebuilding: false, behind: 0 });
    expect(existsSync(`${path}.new`)).toBe(false);
  });
});

describe("a process that is killed while it indexes", () => {
  const CHILD = fileURLToPath(new URL("./test-killed-indexer.ts", import.meta.url));

  test.each([1, 2, 5, 13])(
    "at its transaction %i: the next one goes on from there and finds everything once",
    async (nth) => {
      const scene = indexScene();
      const { home, open, transcript } = scene;
      mkdirSync(join(home, "sessions/default"), { recursive: true });
      const texts = Array.from({ length: 3_000 }, (_, i) =>
        `Entry ${i} speaks of topic${i % 50} at some length. `.repeat(4),
      );
      for (const session of ["ses_one", "ses_two"]) {
        writeFileSync(transcript(session), texts.map((text, i) => line(text, i % 2 ? ANSWER : {})).join(""));
      }
      const child = spawn(process.execPath, [CHILD, home, String(nth)], {
        stdio: ["ignore", "inherit", "inherit"],
      });
      const [, signal] = (await once(child, "exit")) as [number | null, string | null];
      expect(signal).toBe("SIGKILL");
      const index = open();
      await index.start();
      expect(index.status()).toMatchObject({ turns: 6_000, conversations: 2, behind: 0, skipped: 0 });
      const lines = index.read((db) =>
        db.prepare("SELECT count(DISTINCT source_id || ' ' || line) AS n, max(pos) AS last FROM turns").get(),
      );
      expect(lines).toEqual({ n: 6_000, last: 2_999 });
      index.read((db) => db.exec("INSERT INTO turns_fts (turns_fts, rank) VALUES ('integrity-check', 1)"));
      expect((await found(index, "topic17")).length).toBeGreaterThan(0);
    },
    30_000,
  );

  test.each([1, 4, 12])(
    "at transaction %i of reading an edited file anew: the next one ends with what stands there",
    async (nth) => {
      const { home, open, transcript } = indexScene();
      mkdirSync(join(home, "sessions/default"), { recursive: true });
      const texts = Array.from({ length: 1_500 }, (_, i) =>
        `Entry ${i} speaks of topic${i % 50}. `.repeat(4),
      );
      writeFileSync(transcript("ses_one"), texts.map((text) => line(text)).join(""));
      const first = open();
      await first.start();
      await first.close();
      const edited = readFileSync(transcript("ses_one"), "utf8").replaceAll(
        "Entry 0 speaks",
        "Entry zero spoke",
      );
      writeFileSync(transcript("ses_one"), edited);
      const child = spawn(process.execPath, [CHILD, home, String(nth)], {
        stdio: ["ignore", "inherit", "inherit"],
      });
      const [, signal] = (await once(child, "exit")) as [number | null, string | null];
      expect(signal).toBe("SIGKILL");
      const index = open();
      await index.start();
      expect(index.status()).toMatchObject({ turns: 1_500, conversations: 1, behind: 0 });
      index.read((db) => db.exec("INSERT INTO turns_fts (turns_fts, rank) VALUES ('integrity-check', 1)"));
      expect((await index.get("sessions/default/ses_one.jsonl", 1, 1))[0]?.text).toContain(
        "Entry zero spoke",
      );
      index.truncateLog();
      expect(readFileSync(join(home, "memory.db")).includes("Entry 0 speaks")).toBe(false);
    },
    30_000,
  );
});

test("a transcript of 50 MB is read in pieces, and everybody else gets their turn", async () => {
  const { open, transcript, home } = indexScene();
  mkdirSync(join(home, "sessions/default"), { recursive: true });
  let bytes = 0;
  let count = 0;
  for (let i = 0; bytes < 50 * 1024 * 1024; i += 500) {
    const many = Array.from({ length: 500 }, (_, j) =>
      line(`Message ${i + j}: ${"lorem ipsum dolor ".repeat(60)}`),
    ).join("");
    appendFileSync(transcript("ses_big"), many);
    bytes += many.length;
    count += 500;
  }
  appendFileSync(transcript("ses_big"), '{"torn": \n');
  appendFileSync(transcript("ses_big"), line("the needle is a thimble"));
  const index = open();
  let turns = 0;
  const done = new AbortController();
  const others = (async () => {
    while (!done.signal.aborted) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await index.start();
  done.abort();
  await others;
  // One turn of the event loop for each piece of 64 kB, at least.
  expect(turns).toBeGreaterThan(bytes / (64 * 1024));
  expect(index.status()).toMatchObject({ turns: count + 1, skipped: 1, behind: 0 });
  expect((await found(index, "needle thimble"))[0]).toBe("the needle is a thimble");
});
