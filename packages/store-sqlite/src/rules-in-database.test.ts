import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, StoreScript, TENANT } from "@elwood/testkit/store-script";
import { afterEach, beforeEach, expect, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { type Database, openDatabase, query } from "./database.ts";
import { openStores, type OpenedStores } from "./open-stores.ts";

/** The rules of RunStore hold against any writer, since the database itself refuses to break them. */

const RUN_COLUMNS = query<{ name: string }>("SELECT name FROM pragma_table_info('runs')");

let home: string;
let stores: OpenedStores;
let script: StoreScript;
let db: Database;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "elwood-rules-"));
  stores = await openStores({ paths: statePaths(home), clock: new ManualClock(), log: memoryLog() });
  script = new StoreScript(stores);
  db = openDatabase(statePaths(home).database);
});

afterEach(async () => {
  db.close();
  await stores.close();
  await rm(home, { recursive: true });
});

function refused(sql: string, ...params: (string | number)[]): void {
  let error: unknown;
  try {
    db.transaction(() => db.run(sql, ...params));
  } catch (caught) {
    error = caught;
  }
  expect(error).toMatchObject(failsWith("CONFLICT"));
}

test("R2: a second running or waiting run of a session is refused", async () => {
  const { id } = await script.session();
  await script.running(id);
  const second = await script.accepted(id);
  refused("UPDATE runs SET status = 'running' WHERE id = ?", second.id);
  refused("UPDATE runs SET status = 'waiting' WHERE id = ?", second.id);
});

test("a request's key is taken once in a session", async () => {
  const { id } = await script.session();
  await script.accepted(id, "x", { idempotencyKey: "k" });
  const other = await script.accepted(id);
  refused("UPDATE runs SET idempotency_key = 'k' WHERE id = ?", other.id);
});

test("R3: steps are not changed, not removed, not put in between", async () => {
  const run = await script.running((await script.session()).id);
  await stores.runs.addStep(TENANT, run.id, script.assistant("x"));
  refused("UPDATE steps SET message = '{}' WHERE run_id = ?", run.id);
  refused("DELETE FROM steps WHERE run_id = ?", run.id);
  refused("INSERT INTO steps VALUES ('default', ?, 1, '{}')", run.id);
  refused("INSERT INTO steps VALUES ('default', ?, 5, '{}')", run.id);
  refused("INSERT INTO steps VALUES ('default', 'run_none', 0, '{}')");
});

test("R4: no column of an ended run changes but where it stands in the transcript, and that only until it is committed", async () => {
  const run = await script.ended((await script.session()).id);
  const columns = db
    .all(RUN_COLUMNS)
    .map(({ name }) => name)
    .filter((name) => name !== "committed" && name !== "transcript_offset");
  expect(columns.length).toBeGreaterThan(20);
  for (const column of columns) refused(`UPDATE runs SET ${column} = ${column} WHERE id = ?`, run.id);
  refused("INSERT INTO steps VALUES ('default', ?, 2, '{}')", run.id);
  await stores.runs.noteOffset(TENANT, run.id, 5);
  await stores.runs.commit(TENANT, run.id, [], 9);
  refused("UPDATE runs SET committed = 0 WHERE id = ?", run.id);
  refused("UPDATE runs SET transcript_offset = 6 WHERE id = ?", run.id);
});

test("a run cannot be committed before it has ended, nor end without its offset", async () => {
  const run = await script.running((await script.session()).id);
  refused("UPDATE runs SET committed = 1 WHERE id = ?", run.id);
  refused("UPDATE runs SET status = 'done', ended_at = 1 WHERE id = ?", run.id);
  refused("UPDATE runs SET status = 'done' WHERE id = ?", run.id);
});

test("two processes on one state directory see each other's writes and wait for each other", async () => {
  const other = await openStores({ paths: statePaths(home), clock: new ManualClock(), log: memoryLog() });
  const { id } = await script.session();
  const first = await script.accepted(id);
  const second = await script.accepted(id);
  expect(await other.runs.claim(TENANT, first.id, 1)).toMatchObject({ status: "running" });
  expect(await stores.runs.claim(TENANT, second.id, 1)).toBeUndefined();
  await other.close();
});
