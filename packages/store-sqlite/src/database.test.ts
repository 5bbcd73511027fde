import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { FailureError } from "@elwood/core/base/failure";
import { failsWith } from "@elwood/testkit/store-script";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { APPLICATION_ID, type Database, openDatabase, query } from "./database.ts";

let folder: string;
const opened: Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "elwood-db-"));
});

afterEach(() => {
  for (const db of opened.splice(0)) db.close();
  rmSync(folder, { recursive: true });
});

function open(path = join(folder, "state", "elwood.db")): Database {
  const db = openDatabase(path);
  opened.push(db);
  return db;
}

function failureOf(work: () => unknown): FailureError {
  try {
    work();
  } catch (error) {
    if (error instanceof FailureError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

const modeOf = (path: string) => statSync(path).mode & 0o777;
const COUNT = query<{ n: number }>("SELECT count(*) AS n FROM t");

describe("reading", () => {
  test("rows are named by their columns, also after another process has changed the schema", () => {
    const db = open();
    db.exec("CREATE TABLE t (a INTEGER, b TEXT) STRICT; INSERT INTO t VALUES (1, 'x'), (2, NULL)");
    const rows = query<object>("SELECT * FROM t ORDER BY a");
    expect(db.all(rows)).toEqual([
      { a: 1, b: "x" },
      { a: 2, b: null },
    ]);
    expect(db.get(query("SELECT b, a AS other FROM t WHERE a = ?"), 1)).toEqual({ b: "x", other: 1 });
    expect(db.get(query("SELECT b FROM t WHERE a = ?"), 3)).toBeUndefined();
    open().exec("ALTER TABLE t ADD COLUMN c INTEGER; ALTER TABLE t DROP COLUMN b");
    open().exec("ALTER TABLE t ADD COLUMN d INTEGER DEFAULT 4");
    expect(db.get(rows)).toEqual({ a: 1, c: null, d: 4 });
  });

  test("that another process has written is known in the next turn of the event loop, and in a transaction at once", async () => {
    const db = open();
    db.exec("CREATE TABLE t (a INTEGER) STRICT");
    const other = open();
    const write = (by: Database) => by.transaction(() => by.run("INSERT INTO t VALUES (1)"));
    const first = db.version();
    write(db);
    await nextEventLoopTurn();
    expect(db.version()).toBe(first);
    write(other);
    const second = db.transaction(() => db.version());
    expect(second).not.toBe(first);
    expect(db.version()).toBe(second);
    write(other);
    await nextEventLoopTurn();
    const third = db.version();
    expect(third).not.toBe(second);
    write(other);
    expect(db.unsynced(() => db.version())).not.toBe(third);
  });
});

describe("opening", () => {
  test("the database and its logs are for the owner alone, in a folder that is too", () => {
    const db = open();
    db.exec("CREATE TABLE t (a INTEGER) STRICT");
    expect(modeOf(join(folder, "state"))).toBe(0o700);
    for (const end of ["", "-wal", "-shm"]) expect(modeOf(db.path + end)).toBe(0o600);
  });

  test("a database that others could read is closed to them", () => {
    const path = join(folder, "elwood.db");
    writeFileSync(path, "");
    chmodSync(path, 0o644);
    open(path);
    expect(modeOf(path)).toBe(0o600);
  });

  test("what was committed survives a pulled plug: WAL, synced on each commit, foreign keys held", () => {
    const db = open();
    const pragma = (name: string) => Object.values(db.get(query<object>(`PRAGMA ${name}`))!)[0] as unknown;
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("foreign_keys")).toBe(1);
    expect(pragma("busy_timeout")).toBe(5_000);
  });

  test("a damaged database is told with what to do, and left as it is", () => {
    const path = join(folder, "elwood.db");
    const garbage = Buffer.alloc(8_192, "this is no database ");
    writeFileSync(path, garbage);
    const { failure } = failureOf(() => open(path));
    expect(failure).toMatchObject({ reason: "STORAGE", retryable: false });
    expect(failure.message).toContain(path);
    expect(failure.message).toMatch(/damaged.*left it as it is.*backups folder/s);
    expect(readFileSync(path).equals(garbage)).toBe(true);
  });

  test("a database of another program is not switched to a log: refused later, it must be as it was", () => {
    const path = join(folder, "elwood.db");
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE recipes (name TEXT)");
    other.close();
    const before = readFileSync(path);
    open(path).close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("a process that is just making the database is waited for", async () => {
    const path = join(folder, "elwood.db");
    // In a new database, and only there, SQLite itself does not wait for such a writer.
    const writer = `
      const db = new (require("node:sqlite").DatabaseSync)(${JSON.stringify(path)});
      db.exec("PRAGMA application_id = ${APPLICATION_ID}; CREATE TABLE t (a INTEGER); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)");
      console.log("writing");
      setTimeout(() => { db.exec("COMMIT"); db.close(); }, 100);`;
    const child = spawn(process.execPath, ["-e", writer], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    expect(open(path).get(COUNT)).toEqual({ n: 1 });
    await once(child, "close");
  });

  test("a place where no database can be is told, not thrown as a system error", () => {
    mkdirSync(join(folder, "elwood.db"));
    expect(failureOf(() => open(join(folder, "elwood.db")))).toMatchObject(failsWith("STORAGE"));
    writeFileSync(join(folder, "file"), "");
    expect(failureOf(() => open(join(folder, "file", "elwood.db")))).toMatchObject(failsWith("STORAGE"));
  });
});

describe("a transaction", () => {
  test("happens whole, or not at all", () => {
    const db = open();
    db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY) STRICT");
    db.transaction(() => db.run("INSERT INTO t VALUES (1)"));
    expect(() =>
      db.transaction(() => {
        db.run("INSERT INTO t VALUES (2)");
        throw new Error("changed my mind");
      }),
    ).toThrow("changed my mind");
    expect(db.get(COUNT)).toEqual({ n: 1 });
    db.transaction(() => db.run("INSERT INTO t VALUES (3)"));
    expect(db.get(COUNT)).toEqual({ n: 2 });
  });

  test("that would contradict what is stored is refused as a conflict", () => {
    const db = open();
    db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY) STRICT");
    db.transaction(() => db.run("INSERT INTO t VALUES (1)"));
    const twice = () => db.transaction(() => db.run("INSERT INTO t VALUES (1)"));
    expect(failureOf(twice)).toMatchObject(failsWith("CONFLICT"));
  });

  test("on a full disk stores nothing, says so, and the next one works", () => {
    const db = open();
    db.exec("CREATE TABLE t (a BLOB) STRICT; PRAGMA max_page_count = 10");
    const big = new Uint8Array(100_000);
    const { failure } = failureOf(() =>
      db.transaction(() => {
        db.run("INSERT INTO t VALUES (?)", new Uint8Array(10));
        db.run("INSERT INTO t VALUES (?)", big);
      }),
    );
    expect(failure).toMatchObject({ reason: "STORAGE_FULL", retryable: true });
    expect(failure.message).toBe("Nothing was stored. The disk is full. Free some space and try again.");
    expect(db.get(COUNT)).toEqual({ n: 0 });
    db.exec("PRAGMA max_page_count = 100000");
    db.transaction(() => db.run("INSERT INTO t VALUES (?)", big));
    expect(db.get(COUNT)).toEqual({ n: 1 });
  });

  test("after the database was closed is told as stopping", () => {
    const db = open();
    db.close();
    db.close();
    expect(failureOf(() => db.transaction(() => 1))).toMatchObject(failsWith("STOPPING"));
    expect(failureOf(() => db.get(COUNT))).toMatchObject(failsWith("STOPPING"));
  });
});

describe("units that are grouped", () => {
  function table(): Database {
    const db = open();
    db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT");
    db.groupWhile(() => true);
    return db;
  }
  const insert = (db: Database, a: number) => () => db.run("INSERT INTO t (a) VALUES (?)", a);

  test("and wait at the same moment become durable together, in the order in which they came", async () => {
    const db = table();
    const other = open(db.path);
    const seen: unknown[] = [];
    const units = [1, 2, 3].map(async (a) => {
      await db.grouped(() => {
        seen.push(db.get(COUNT)?.n);
        return insert(db, a)();
      });
      return other.get(COUNT)?.n;
    });
    expect(other.get(COUNT)).toEqual({ n: 0 });
    expect(await Promise.all(units)).toEqual([3, 3, 3]);
    expect(seen).toEqual([0, 1, 2]);
  });

  test("are whole or not there, each for itself: one that fails leaves the others as they are", async () => {
    const db = table();
    const outcomes = await Promise.allSettled([
      db.grouped(insert(db, 1)),
      db.grouped(() => {
        insert(db, 2)();
        throw new Error("changed my mind");
      }),
      db.grouped(insert(db, 1)),
      db.grouped(insert(db, 3)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: new Error("changed my mind") });
    expect(outcomes[2]).toMatchObject({ reason: failsWith("CONFLICT") });
    expect(db.all("SELECT a FROM t")).toEqual([{ a: 1 }, { a: 3 }]);
  });

  test("are all refused where the disk is full, none passes for stored, and the next ones work", async () => {
    const db = table();
    db.exec("PRAGMA max_page_count = 10");
    const big = () => db.run("INSERT INTO t (a, b) VALUES (2, ?)", new Uint8Array(100_000));
    const outcomes = await Promise.allSettled([db.grouped(insert(db, 1)), db.grouped(big)]);
    const stored = db.get(COUNT)?.n;
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(stored ?? -1);
    expect(outcomes[1]).toMatchObject({ status: "rejected", reason: failsWith("STORAGE_FULL") });
    db.exec("PRAGMA max_page_count = 100000");
    await db.grouped(big);
    expect(db.get(COUNT)).toEqual({ n: (stored ?? 0) + 1 });
  });

  test("wait for nobody where there is nobody to share with", () => {
    const db = table();
    db.groupWhile(() => false);
    const unit = db.grouped(insert(db, 1));
    expect(db.get(COUNT)).toEqual({ n: 1 });
    return unit;
  });

  test("are there for others in the process while the disk is waited for, and told once it is done", async () => {
    const db = table();
    const told: string[] = [];
    const unit = db.grouped(insert(db, 1)).then(() => told.push("stored"));
    await nextEventLoopTurn();
    db.unsynced(insert(db, 2));
    expect(db.get(COUNT)).toEqual({ n: 2 });
    expect(told).toEqual([]);
    await unit;
    expect(told).toEqual(["stored"]);
  });

  test("whose log cannot be synced are told that this is not certain, never that it is stored", async () => {
    const db = table();
    rmSync(`${db.path}-wal`);
    const { reason } = (await db.grouped(insert(db, 1)).catch((error: unknown) => ({ reason: error }))) as {
      reason: unknown;
    };
    expect(reason).toMatchObject(failsWith("STORAGE"));
    expect(String(reason)).toMatch(/not certain that this was stored/);
    // A sync that would succeed now says nothing of what is missing before it.
    writeFileSync(`${db.path}-wal`, "");
    await expect(db.grouped(insert(db, 2))).rejects.toMatchObject(failsWith("STORAGE"));
    expect(() => db.transaction(insert(db, 3))).toThrow(/start Elwood again/);
  });

  test("are on disk once the database is closed while they wait for it", async () => {
    const db = table();
    const unit = db.grouped(insert(db, 1));
    await nextEventLoopTurn();
    db.close();
    await unit;
    expect(open(db.path).get(COUNT)).toEqual({ n: 1 });
  });

  test("are all done once they have settled, however many there are", async () => {
    const db = table();
    const units = Array.from({ length: 500 }, (_, a) => db.grouped(insert(db, a)));
    await db.settled();
    expect(db.get(COUNT)).toEqual({ n: 500 });
    await Promise.all(units);
  });

  test("after the database was closed are told as stopping", async () => {
    const db = table();
    const unit = db.grouped(insert(db, 1));
    db.close();
    await expect(unit).rejects.toMatchObject(failsWith("STOPPING"));
  });
});

describe("a write that others may follow before it is on disk", () => {
  function scene(sync: () => Promise<void> = async () => undefined) {
    const told: string[] = [];
    const db = openDatabase(join(folder, `ahead-${opened.length}.db`), {
      sync() {
        told.push("synced");
        return sync();
      },
      wait: async () => undefined,
    });
    opened.push(db);
    db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY) STRICT");
    const insert = (a: number) => () => db.add("INSERT INTO t VALUES (?)", a);
    const ahead = (follows: () => void = () => undefined) =>
      db.ahead(insert(1), () => (told.push("applied"), follows())).then(() => told.push("durable"));
    return { db, told, insert, ahead };
  }

  test("shares the sync of the one that follows at once, and is told as durable behind it", async () => {
    const { db, told, insert, ahead } = scene();
    await ahead(() => {
      db.transaction(insert(2));
      told.push("followed");
    });
    expect(told).toEqual(["applied", "followed", "durable"]);
    await db.settled();
    expect(told).not.toContain("synced");
    expect(open(db.path).get(COUNT)).toEqual({ n: 2 });
  });

  test("is synced by itself where none follows, or one that changes nothing or is not synced either", async () => {
    const { db, told, insert, ahead } = scene();
    const written = ahead(() => {
      db.transaction(() => db.run("DELETE FROM t WHERE a = 7"));
      // One row, and no byte of the file.
      db.transaction(() => db.run("UPDATE t SET a = 1 WHERE a = 1"));
      db.unsynced(insert(2));
    });
    expect(told).toEqual(["applied"]);
    await written;
    expect(told).toEqual(["applied", "synced", "durable"]);
  });

  test("is told of as failed where its sync fails, and nothing is written behind it", async () => {
    const { db, told, insert, ahead } = scene(async () => {
      throw Object.assign(new Error("broken"), { code: "EIO", syscall: "fdatasync" });
    });
    await expect(ahead()).rejects.toMatchObject(failsWith("STORAGE"));
    await db.settled();
    expect(told).toEqual(["applied", "synced"]);
    expect(() => db.transaction(insert(2))).toThrow(/start Elwood again/);
  });

  test("is done once the database has settled, also where its sync is under way", async () => {
    const { db, told, ahead } = scene();
    void ahead();
    await db.settled();
    await nextEventLoopTurn();
    expect(told).toEqual(["applied", "synced", "durable"]);
    const disk = Promise.withResolvers<void>();
    const slow = scene(() => disk.promise);
    void slow.ahead();
    await expect.poll(() => slow.told).toEqual(["applied", "synced"]);
    const settled = slow.db.settled().then(() => slow.told.push("settled"));
    await nextEventLoopTurn();
    expect(slow.told).toEqual(["applied", "synced"]);
    disk.resolve();
    await settled;
    expect(slow.told).toEqual(["applied", "synced", "durable", "settled"]);
  });

  test("what comes while its sync is under way is not told as durable by one that failed, alone or in a group", async () => {
    for (const isGroup of [false, true]) {
      const disk = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let asked = 0;
      const { db, told, insert, ahead } = scene(() => disk[asked++]!.promise);
      const first = ahead().catch(() => told.push("failed"));
      await expect.poll(() => asked).toBe(1);
      if (isGroup) db.groupWhile(() => true);
      const second = db
        .ahead(insert(2), () => undefined)
        .then(
          () => told.push("2 durable"),
          () => told.push("2 failed"),
        );
      await nextEventLoopTurn();
      await nextEventLoopTurn();
      // Beside the first it would report success for what lies behind a hole.
      expect(asked).toBe(1);
      disk[0]!.reject(Object.assign(new Error("broken"), { code: "EIO", syscall: "fdatasync" }));
      disk[1]!.resolve();
      await Promise.all([first, second]);
      expect(told.toSorted()).toEqual(["2 failed", "applied", "failed", "synced"]);
      await db.settled();
    }
  });

  test("waits like any other where a sync is shared, so that nothing is told of it before", async () => {
    const { db, told, ahead } = scene();
    db.groupWhile(() => true);
    await ahead();
    expect(told).toEqual(["synced", "applied", "durable"]);
  });

  test("of which nothing could be stored is told to nobody", async () => {
    const { db, told, insert, ahead } = scene();
    db.transaction(insert(1));
    await expect(ahead()).rejects.toMatchObject(failsWith("CONFLICT"));
    expect(told).toEqual([]);
  });
});

test("what needs no sync is written without one, and every later write has its own again", async () => {
  const db = open();
  db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY) STRICT");
  const mode = () => Object.values(db.get(query<object>("PRAGMA synchronous"))!)[0] as unknown;
  const NORMAL = 1;
  const FULL = 2;
  expect(
    db.unsynced(() => {
      db.run("INSERT INTO t VALUES (1)");
      return mode();
    }),
  ).toBe(NORMAL);
  expect(db.transaction(mode)).toBe(FULL);
  expect(() => db.unsynced(() => db.run("INSERT INTO t VALUES (1)"))).toThrow();
  expect(db.transaction(mode)).toBe(FULL);
  expect(db.unsynced(mode)).toBe(NORMAL);
  db.exec("CREATE TABLE u (a INTEGER) STRICT");
  expect(mode()).toBe(FULL);
  expect(db.unsynced(mode)).toBe(NORMAL);
  expect(await db.grouped(mode)).toBe(FULL);
  expect(open(db.path).get(COUNT)).toEqual({ n: 1 });
});

test("a mistake of ours does not pass for a storage failure", () => {
  const db = open();
  db.exec("CREATE TABLE t (a INTEGER) STRICT");
  const mistake = () => db.transaction(() => db.run("INSERT INTO t VALUES (?)", undefined as never));
  expect(mistake).toThrow(TypeError);
  expect(db.get(COUNT)).toEqual({ n: 0 });
});

test("a database that becomes unreadable while in use is told as damaged", () => {
  const db = open();
  db.exec("CREATE TABLE t (a TEXT) STRICT");
  for (let i = 0; i < 50; i++) db.transaction(() => db.run("INSERT INTO t VALUES (?)", "x".repeat(3_000)));
  db.close();
  const bytes = readFileSync(db.path);
  bytes.fill(0xaa, 4_096);
  writeFileSync(db.path, bytes);
  const { failure } = failureOf(() => open(db.path).all("SELECT * FROM t"));
  expect(failure).toMatchObject({ reason: "STORAGE", retryable: false });
  expect(failure.message).toMatch(/damaged/);
});
