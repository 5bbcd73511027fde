import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { StoreScript, TENANT } from "@elwood/testkit/store-script";
import { statePaths, type StatePaths } from "@elwood/platform/state-paths";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, query } from "./database.ts";
import { SAID_PENDING_MAX } from "./message-search.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";
import { saidLater } from "./migrations/0021-said-later.ts";
import { openStores } from "./open-stores.ts";

const deps = { clock: new ManualClock(), log: memoryLog() };
const PENDING = query<{ n: number }>("SELECT count(*) AS n FROM said_pending");
const INDEXED = query<{ n: number }>("SELECT count(*) AS n FROM said_index_docsize");

/** A state directory with a database as these steps leave it, and a second connection to look into it. */
async function opened(migrations = MIGRATIONS) {
  const home = mkdtempSync(join(tmpdir(), "elwood-said-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = statePaths(home);
  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  migrate(db, paths.backups, { ...deps, migrations });
  return { db, paths };
}

async function scriptOf(paths: StatePaths): Promise<StoreScript> {
  const stores = await openStores({ paths, ...deps });
  onTestFinished(() => stores.close());
  return new StoreScript(stores);
}

test("what was said waits for the index until there is much of it, and is found all the while", async () => {
  const { db, paths } = await opened();
  const script = await scriptOf(paths);
  const { id } = await script.session();
  for (let said = 1; said < SAID_PENDING_MAX; said++) {
    await script.turn(id, `needle ${said}`, "");
    expect(db.get(PENDING)?.n).toBe(said);
    expect(db.get(INDEXED)?.n).toBe(0);
  }
  expect(await script.stores.sessions.search(TENANT, "needle", 100)).toHaveLength(SAID_PENDING_MAX - 1);
  await script.turn(id, "the last needle", "");
  expect(db.get(PENDING)?.n).toBe(0);
  expect(db.get(INDEXED)?.n).toBe(SAID_PENDING_MAX);
  expect(await script.stores.sessions.search(TENANT, "needle", 100)).toHaveLength(SAID_PENDING_MAX);
});

test("a session that is purged leaves nothing that waits, and nothing in the index", async () => {
  const { db, paths } = await opened();
  const script = await scriptOf(paths);
  const { id } = await script.session();
  for (let said = 0; said <= SAID_PENDING_MAX; said++) await script.turn(id, `needle ${said}`, "");
  expect([db.get(PENDING)?.n, db.get(INDEXED)?.n]).toEqual([1, SAID_PENDING_MAX]);
  db.transaction(() => db.run("DELETE FROM said WHERE session_id = ?", id));
  expect([db.get(PENDING)?.n, db.get(INDEXED)?.n]).toEqual([0, 0]);
});

test("what an earlier Elwood has indexed is found as before", async () => {
  const earlier = MIGRATIONS.filter(({ version }) => version < saidLater.version);
  const { db, paths } = await opened(earlier);
  db.transaction(() => {
    db.run(
      `INSERT INTO sessions (tenant, id, agent_id, title, title_folded, titled_by, created_at, updated_at)
       VALUES (?, 'ses_1', 'assistant', 'Old', 'old', 'owner', 1, 1)`,
      TENANT,
    );
    db.run(
      `INSERT INTO said (tenant, session_id, run_id, i, doc, ts, role, text)
       VALUES (?, 'ses_1', 'run_1', 0, 1024, 1, 'user', 'an old needle')`,
      TENANT,
    );
  });
  const script = await scriptOf(paths);
  const { id } = await script.session();
  await script.turn(id, "a new needle", "");
  const hits = await script.stores.sessions.search(TENANT, "needle", 10);
  expect(hits.map(({ snippet }) => snippet)).toEqual(["a new needle", "an old needle"]);
});
