import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { failsWith } from "@elwood/testkit/store-script";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, query } from "./database.ts";
import { LogSync, rewriteLog } from "./log-sync.ts";

const ROWS = query<{ a: number }>("SELECT a FROM t ORDER BY a");
const FULL = () => Object.assign(new Error("no room"), { code: "ENOSPC", syscall: "fdatasync" });

/** A database on a disk that has no room for as long as the test says so. */
function scene() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-room-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "elwood.db");
  const disk = { error: undefined as Error | undefined, syncs: 0 };
  const waits: { readonly ms: number; readonly over: () => void }[] = [];
  const db = openDatabase(path, {
    async sync() {
      disk.syncs += 1;
      if (disk.error) throw disk.error;
    },
    wait: (ms) => new Promise((over) => waits.push({ ms, over })),
  });
  onTestFinished(() => db.close());
  db.exec("CREATE TABLE t (a INTEGER) STRICT");
  db.groupWhile(() => true);
  const insert = (a: number) => () => void db.run("INSERT INTO t VALUES (?)", a);
  /** The next moment in which it is looked whether there is room, once somebody waits for it. */
  const look = async () => {
    await expect.poll(() => waits.length).toBeGreaterThan(0);
    waits.shift()!.over();
    for (let turn = 0; turn < 5; turn++) await nextEventLoopTurn();
  };
  /** What another process would find, were this one to die now. */
  const found = () => {
    for (const end of ["", "-wal"]) copyFileSync(path + end, join(folder, `copy.db${end}`));
    const copy = openDatabase(join(folder, "copy.db"));
    const rows = copy.all(ROWS).map(({ a }) => a);
    copy.close();
    return rows;
  };
  return { db, path, disk, waits, insert, look, found };
}

const settled = async (work: Promise<unknown>) => {
  let state = "waits";
  work.then(
    () => (state = "stored"),
    () => (state = "refused"),
  );
  await nextEventLoopTurn();
  return () => state;
};

function overwrite(path: string, from: number, bytes: Buffer): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
}

test("a unit for whose sync there is no room waits, everybody else is refused, and both end with the room", async () => {
  const { db, disk, waits, insert, look, found } = scene();
  await db.grouped(insert(1));
  disk.error = FULL();
  const unit = db.grouped(insert(2));
  const state = await settled(unit);
  await expect.poll(() => waits.length).toBe(1);
  for (const write of [() => db.transaction(insert(3)), () => db.unsynced(insert(3))])
    expect(write).toThrow(/Nothing was stored\. The disk is full\. Free some space and try again\./);
  await expect(db.grouped(insert(3))).rejects.toMatchObject(failsWith("STORAGE_FULL"));
  await look();
  await look();
  expect(state()).toBe("waits");
  disk.error = undefined;
  await look();
  await unit;
  db.transaction(insert(4));
  await db.grouped(insert(5));
  expect(found()).toEqual([1, 2, 4, 5]);
});

test("room is looked for ever more seldom, twice a minute in the end", async () => {
  const { db, disk, waits, insert, look } = scene();
  disk.error = Object.assign(FULL(), { code: "EDQUOT" });
  const unit = db.grouped(insert(1));
  const asked: number[] = [];
  for (let at = 0; at < 8; at++) {
    await expect.poll(() => waits.length).toBe(1);
    asked.push(waits[0]!.ms);
    await look();
  }
  expect(asked).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  disk.error = undefined;
  await look();
  await unit;
});

test("where the log is no longer what was written, nothing passes for stored until a new start", async () => {
  const { db, path, disk, insert, look } = scene();
  await db.grouped(insert(1));
  disk.error = FULL();
  const unit = db.grouped(insert(2));
  const refused = expect(unit).rejects.toThrow(/not certain that this was stored/);
  await nextEventLoopTurn();
  await nextEventLoopTurn();
  // As a kernel leaves a page that it could not write.
  const size = readFileSync(`${path}-wal`).length;
  overwrite(`${path}-wal`, size - 512, Buffer.alloc(512));
  disk.error = undefined;
  const { syncs } = disk;
  await look();
  await refused;
  expect(disk.syncs).toBe(syncs);
  expect(() => db.transaction(insert(3))).toThrow(/start Elwood again/);
  await expect(db.grouped(insert(3))).rejects.toMatchObject(failsWith("STORAGE_FULL"));
});

test("an error of another kind while there is no room is the end of it", async () => {
  const { db, disk, insert, look } = scene();
  disk.error = FULL();
  const unit = db.grouped(insert(1));
  const refused = expect(unit).rejects.toThrow(/not certain that this was stored/);
  disk.error = Object.assign(new Error("broken"), { code: "EIO", syscall: "fdatasync" });
  // The first sync had its error already, or has this one: both end here.
  await Promise.race([look(), refused]);
  await refused;
  expect(() => db.unsynced(insert(2))).toThrow(/start Elwood again/);
});

test("a lack of room behind a sync that failed otherwise opens nothing again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-room-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "elwood.db");
  writeFileSync(`${path}-wal`, "");
  const asked = Promise.withResolvers<void>();
  let waits = 0;
  const log = new LogSync(
    path,
    { alone: (work) => work(), checkpoint: () => undefined },
    {
      sync: () => asked.promise,
      async wait() {
        waits += 1;
        throw new Error("nobody waits for room where the log has a hole");
      },
    },
  );
  onTestFinished(() => log.close());
  const ours = log.sync();
  // SQLite's own, while ours is under way.
  log.failed(Object.assign(new Error("broken"), { code: "ERR_SQLITE_ERROR", errcode: 1_034 }));
  asked.reject(FULL());
  await expect(ours).rejects.toThrow(/not certain that this was stored/);
  expect(() => log.mustBeWhole()).toThrow(/start Elwood again/);
  expect(waits).toBe(0);
});

test("a unit that waits for room when the database is closed is not told that it is stored", async () => {
  const { db, disk, waits, insert, look } = scene();
  disk.error = FULL();
  const unit = db.grouped(insert(1));
  const refused = expect(unit).rejects.toThrow(/not certain that this was stored/);
  await expect.poll(() => waits.length).toBe(1);
  db.close();
  await look();
  await refused;
});

test("a log is written again byte for byte, with many transactions and after it began anew", async () => {
  const { db, path, insert, found } = scene();
  const again = () => {
    const before = readFileSync(`${path}-wal`);
    const file = openSync(`${path}-wal`, "r+");
    const isWhole = rewriteLog(path, file);
    closeSync(file);
    expect(readFileSync(`${path}-wal`).equals(before)).toBe(true);
    return isWhole;
  };
  for (let a = 0; a < 50; a++) db.unsynced(insert(a));
  expect(again()).toBe(true);
  db.exec("PRAGMA wal_checkpoint(RESTART)");
  // What lies behind the end of the new log is of the old one, and no part of it.
  db.unsynced(insert(50));
  expect(again()).toBe(true);
  expect(found()).toHaveLength(51);
});

test("any byte of a log that was changed is noticed", async () => {
  const { db, path, insert } = scene();
  for (let a = 0; a < 3; a++) db.unsynced(insert(a));
  const whole = readFileSync(`${path}-wal`);
  // The header, a frame's own header, a page, the last checksum.
  for (const at of [9, 17, 25, 34, 40, 50, 4_000, whole.length - 4_100, whole.length - 1]) {
    const changed = Buffer.from(whole);
    changed[at]! ^= 0xff;
    overwrite(`${path}-wal`, 0, changed);
    const file = openSync(`${path}-wal`, "r+");
    expect(rewriteLog(path, file), String(at)).toBe(false);
    closeSync(file);
  }
  overwrite(`${path}-wal`, 0, whole);
});
