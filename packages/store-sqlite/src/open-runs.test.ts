import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stores } from "@elwood/runtime/ports/ports";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { StoreScript, TENANT } from "@elwood/testkit/store-script";
import { statePaths } from "@elwood/platform/state-paths";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, query } from "./database.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";
import { openRuns } from "./migrations/0025-open-runs.ts";
import { openStores } from "./open-stores.ts";
import { RUN_SQL } from "./run-sql.ts";

const deps = { clock: new ManualClock(), log: memoryLog() };

function home() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-open-runs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return statePaths(folder);
}

/** Ids of runs that a start goes on with, and of those that it writes into their transcripts, in their order. */
async function open({ runs }: Pick<Stores, "runs">, sessionId?: string) {
  const { runs: waiting } = await runs.list(TENANT, { limit: 50, status: "waiting" });
  return {
    unfinished: (await runs.unfinished(TENANT, sessionId)).map(({ id }) => id),
    uncommitted: (await runs.uncommitted(TENANT, sessionId)).map(({ run }) => run.id),
    waiting: waiting.map(({ id }) => id),
  };
}

test("runs that were open before are found as they were", async () => {
  const paths = home();
  const before = await openStores({ paths, ...deps });
  const script = new StoreScript(before);
  const { id: sessionId } = await script.session();
  const { id: other } = await script.session();
  const committed = await script.ended(sessionId);
  await before.runs.commit(TENANT, committed.id, [script.assistant("Done.")], script.tick());
  const late = await script.ended(sessionId);
  const elsewhere = await script.ended(other);
  // The clock was set back: it ended first.
  const early = await script.running(sessionId);
  await before.runs.end(TENANT, early.id, [script.assistant("Early.")], { ...script.ending(), at: 1 });
  const waiting = await script.running(sessionId);
  await before.runs.setWaiting(TENANT, waiting.id, true);
  const queued = await script.accepted(sessionId);
  await before.close();
  const db = openDatabase(paths.database);
  // As the step before left it.
  db.transaction(() =>
    db.exec(`DROP INDEX runs_open;
      CREATE INDEX runs_unfinished ON runs (tenant, session_id, seq) WHERE ended_at IS NULL;
      CREATE INDEX runs_uncommitted ON runs (tenant, session_id, ended_at, seq)
        WHERE committed = 0 AND ended_at IS NOT NULL;
      PRAGMA user_version = ${openRuns.version - 1};`),
  );
  const upTo = MIGRATIONS.filter(({ version }) => version <= openRuns.version);
  migrate(db, paths.backups, { ...deps, migrations: upTo });
  // All that follows it is there already.
  db.transaction(() => db.exec(`PRAGMA user_version = ${MIGRATIONS.at(-1)!.version}`));
  db.close();

  const stores = await openStores({ paths, ...deps });
  onTestFinished(() => stores.close());
  const rest = { unfinished: [waiting.id, queued.id], waiting: [waiting.id] };
  expect(await open(stores)).toEqual({ ...rest, uncommitted: [early.id, late.id, elsewhere.id] });
  expect(await open(stores, sessionId)).toEqual({ ...rest, uncommitted: [early.id, late.id] });
  expect(await open(stores, other)).toEqual({
    unfinished: [],
    uncommitted: [elsewhere.id],
    waiting: [waiting.id],
  });
});

test("a run comes into the index of those that are open once, and goes once", () => {
  const paths = home();
  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  migrate(db, paths.backups, { ...deps, migrations: MIGRATIONS });
  const { rootpage } = db.get(
    query<{ rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE name = 'runs_open'"),
  )!;
  const isWritten = (sql: string) =>
    db
      .all(query<{ opcode: string; p2: number }>(`EXPLAIN ${sql}`))
      .some(({ opcode, p2 }) => opcode === "OpenWrite" && p2 === rootpage);
  const { accept, claim, addCalls, addLap, end, commit } = RUN_SQL;
  expect([accept, claim, addCalls, addLap, end, commit].map(isWritten)).toEqual([
    true,
    false,
    false,
    false,
    false,
    true,
  ]);
});
