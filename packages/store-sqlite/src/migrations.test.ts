import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { StoreScript, TENANT } from "@elwood/testkit/store-script";
import { afterEach, beforeEach, expect, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { type Database, openDatabase, query } from "./database.ts";
import { migrate, MIGRATIONS, type Migration } from "./migrations.ts";
import { openStores } from "./open-stores.ts";

let home: string;
let clock: ManualClock;
const opened: Database[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "elwood-migrate-"));
  clock = new ManualClock();
});

afterEach(() => {
  for (const db of opened.splice(0)) db.close();
  rmSync(home, { recursive: true });
});

function bring(migrations: readonly Migration[]): Database {
  const db = openDatabase(statePaths(home).database);
  opened.push(db);
  migrate(db, statePaths(home).backups, { clock, log: memoryLog(), migrations });
  return db;
}

const VERSION = query<{ version: number }>("SELECT user_version AS version FROM pragma_user_version");
const TABLES = query<{
  name: string;
  strict: number;
}>("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND schema = 'main'");
/** The default one's; others have a table beside it. */
const OF_ONE_TENANT: ReadonlySet<string> = new Set(["receipts_by_number"]);
const newest = MIGRATIONS.at(-1)!.version;
const next: Migration = { version: newest + 1, name: "next", sql: "CREATE TABLE next (a INTEGER) STRICT" };
const backups = () => readdirSync(statePaths(home).backups);

test("versions rise by one from one", () => {
  expect(MIGRATIONS.map((m) => m.version)).toEqual(MIGRATIONS.map((_, i) => i + 1));
});

test("a new database gets the newest schema and needs no backup", () => {
  const db = bring(MIGRATIONS);
  expect(db.get(VERSION)).toEqual({ version: newest });
  expect(() => backups()).toThrow("ENOENT");
});

test("tenant is the first part of every primary key, and every table is STRICT", () => {
  const db = bring(MIGRATIONS);
  const tables = db.all(TABLES);
  const own = tables.filter(({ name }) => !name.startsWith("sqlite_"));
  expect(own.length).toBeGreaterThan(5);
  for (const { name, strict } of own) {
    const columns = db.all(
      query<{ name: string; pk: number }>(`SELECT name, pk FROM pragma_table_info('${name}')`),
    );
    const first = OF_ONE_TENANT.has(name) ? "seq" : "tenant";
    expect([name, columns.find((c) => c.pk === 1)?.name, strict]).toEqual([name, first, 1]);
  }
});

test("an existing database is copied whole before it is changed", async () => {
  const stores = await openStores({ paths: statePaths(home), clock, log: memoryLog() });
  const script = new StoreScript(stores);
  const { id } = await script.session("kept");
  await script.turn(id, "a needle to find again");
  await stores.close();

  const db = bring([...MIGRATIONS, next]);
  expect(db.get(VERSION)).toEqual({ version: newest + 1 });
  const [backup] = backups();
  expect(backup).toBe(`elwood-v${newest}-20261115T090000000Z.db`);
  expect(statSync(join(home, "backups", backup!)).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "backups")).mode & 0o777).toBe(0o700);

  // The copy opens as the state of another home, search index included.
  const other = join(home, "restored");
  mkdirSync(other);
  writeFileSync(statePaths(other).database, readFileSync(join(home, "backups", backup!)));
  const restored = await openStores({ paths: statePaths(other), clock, log: memoryLog() });
  expect(await restored.sessions.get(TENANT, id)).toMatchObject({ messageCount: 2 });
  expect(await restored.sessions.search(TENANT, "needle", 5)).toHaveLength(1);
  await restored.sessions.purge(TENANT, id);
  expect(await restored.sessions.search(TENANT, "needle", 5)).toEqual([]);
  await restored.close();
});

test("a database that is up to date is opened without a backup", () => {
  bring(MIGRATIONS).close();
  bring(MIGRATIONS);
  expect(() => backups()).toThrow("ENOENT");
});

test("only the newest backups are kept, and nothing else in that folder is touched", async () => {
  bring(MIGRATIONS).close();
  mkdirSync(join(home, "backups"));
  writeFileSync(join(home, "backups", "my own copy.db"), "mine");
  const steps: Migration[] = [...MIGRATIONS];
  for (let i = 1; i <= LIMITS.backupsKept + 2; i++) {
    steps.push({ version: newest + i, name: `step ${i}`, sql: `CREATE TABLE step${i} (a INTEGER) STRICT` });
    await clock.advance(1_000);
    bring(steps).close();
  }
  const kept = backups().filter((name) => name.startsWith("elwood-v"));
  expect(kept).toHaveLength(LIMITS.backupsKept);
  expect(kept).toContain(`elwood-v${newest + LIMITS.backupsKept + 1}-20261115T090007000Z.db`);
  expect(kept).not.toContain(`elwood-v${newest}-20261115T090001000Z.db`);
  expect(backups()).toContain("my own copy.db");
});

test("a step that fails changes nothing, and the steps before it stand", () => {
  bring(MIGRATIONS).close();
  const broken: Migration = {
    version: newest + 2,
    name: "broken",
    sql: "CREATE TABLE half (a INTEGER) STRICT; SELECT nonsense",
  };
  expect(() => bring([...MIGRATIONS, next, broken])).toThrow(FailureError);
  const db = openDatabase(statePaths(home).database);
  opened.push(db);
  expect(db.get(VERSION)).toEqual({ version: newest + 1 });
  const tables = db.all("SELECT name FROM sqlite_schema WHERE name IN ('next', 'half')");
  expect(tables).toEqual([{ name: "next" }]);
});

test("a step that would leave rows without their parent is not taken", () => {
  const orphans: Migration = {
    version: newest + 1,
    name: "orphans",
    sql: "INSERT INTO steps (tenant, run_id, n, message) VALUES ('default', 'run_none', 0, '{}')",
  };
  expect(() => bring([...MIGRATIONS, orphans])).toThrow(/without their parent/);
});

test("a database of a newer Elwood is refused with words, and left as it is", () => {
  bring([...MIGRATIONS, next]).close();
  const before = readFileSync(statePaths(home).database);
  expect(() => bring(MIGRATIONS)).toThrow(/newer Elwood.*Nothing was changed.*backups folder/s);
  expect(readFileSync(statePaths(home).database).equals(before)).toBe(true);
});

test("a database that is not Elwood's is refused with words", () => {
  const db = openDatabase(statePaths(home).database);
  db.exec("CREATE TABLE recipes (a TEXT)");
  db.close();
  expect(() => bring(MIGRATIONS)).toThrow(/not one of Elwood's.*ELWOOD_HOME/s);
});

test("where no backup can be made, nothing is changed", () => {
  bring(MIGRATIONS).close();
  writeFileSync(join(home, "backups"), "a file where the folder should be");
  expect(() => bring([...MIGRATIONS, next])).toThrow(/could not be copied.*nothing was changed/s);
  const db = openDatabase(statePaths(home).database);
  opened.push(db);
  expect(db.get(VERSION)).toEqual({ version: newest });
});
