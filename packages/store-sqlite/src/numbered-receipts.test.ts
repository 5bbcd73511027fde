import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqliteLedger } from "./sqlite-ledger.ts";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, TENANT } from "@elwood/testkit/store-script";
import { expect, onTestFinished, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { systemIds } from "@elwood/platform/system";
import { openDatabase, query } from "./database.ts";
import { LEDGER_SQL } from "./ledger-sql.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";
import { numberedReceipts } from "./migrations/0026-numbered-receipts.ts";
import { openStores } from "./open-stores.ts";
import { receiptLog } from "./receipt-log.ts";
import { receiptsAsBefore } from "./test-receipts-before.ts";
import { sqliteLedger } from "./sqlite-ledger.ts";

const clock = new ManualClock();
const deps = { clock, log: memoryLog() };
const OTHER = "other";

async function written(ledger: Pick<SqliteLedger, "write">, tenant: string, from: number, to: number) {
  const script = new LedgerScript(ledger as SqliteLedger, tenant);
  for (let n = from; n <= to; n++)
    await script.write([
      script.receipt("tool.call.started", { callId: `call_${n % 40}`, payload: { toolId: "a.b.c", n } }),
    ]);
}

/** The log of a database from before, with 100 receipts of the one tenant and 70 of the other. */
async function before() {
  const home = mkdtempSync(join(tmpdir(), "elwood-numbered-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = statePaths(home);
  const db = openDatabase(paths.database);
  const earlier = MIGRATIONS.filter(({ version }) => version < numberedReceipts.version);
  migrate(db, paths.backups, { ...deps, migrations: earlier });
  const takeBack = receiptsAsBefore(db);
  const ledger = sqliteLedger(db, { clock, ids: systemIds(clock) });
  await written(ledger, TENANT, 1, 100);
  await written(ledger, OTHER, 1, 70);
  // The list of a block is written when the event loop comes round.
  await new Promise((resolve) => setImmediate(resolve));
  const kept = {
    mine: await ledger.receipts(TENANT, { limit: 200 }),
    theirs: await ledger.receipts(OTHER, { limit: 200 }),
  };
  expect(await readOf(ledger)).toMatchObject({ newest: { seq: 100 }, ofCall: [87, 47, 7] });
  takeBack();
  db.close();
  return { paths, kept };
}

async function readOf(ledger: SqliteLedger) {
  const [newest] = await ledger.receipts(TENANT, { limit: 1 });
  const ofCall = await ledger.receipts(TENANT, { callId: "call_7", limit: 9 });
  return { newest, ofCall: ofCall.map(({ seq }) => seq) };
}

test("OA-4: receipts from before stay where they are, and those that follow are one log with them", async () => {
  const { paths, kept } = await before();
  const stores = await openStores({ paths, ...deps });
  onTestFinished(() => stores.close());
  const { ledger } = stores;
  expect(await ledger.receipts(TENANT, { limit: 200 })).toEqual(kept.mine);
  expect(await ledger.receipts(OTHER, { limit: 200 })).toEqual(kept.theirs);
  await written(ledger, TENANT, 101, 260);
  await written(ledger, OTHER, 71, 75);

  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  const log = receiptLog(db);
  for (const [tenant, size] of [
    [TENANT, 260],
    [OTHER, 75],
  ] as const) {
    const all = [...log.pages(tenant)].flat();
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: size }, (_, i) => i + 1));
    for (const [i, receipt] of all.slice(1).entries())
      expect(receipt).toMatchObject({ tenant, prevHash: (all[i] as { hash: string }).hash });
    expect(log.hashes(tenant, 60, 130)).toEqual(
      all.slice(60, 130).map((receipt) => (receipt as { hash: string }).hash),
    );
    expect(log.size(tenant)).toBe(size);
  }
  // From both sides of the step, newest first, and through blocks that hold some of either.
  expect(await readOf(ledger)).toMatchObject({
    newest: { seq: 260 },
    ofCall: [247, 207, 167, 127, 87, 47, 7],
  });
  expect((await ledger.receiptsOfCalls(TENANT, ["call_7", "call_8"])).map(({ seq }) => seq)).toEqual([
    7, 8, 47, 48, 87, 88, 127, 128, 167, 168, 207, 208, 247, 248,
  ]);
  expect(await ledger.receipt(TENANT, kept.mine[30]!.id)).toEqual(kept.mine[30]);
});

test("OA-4: neither table is changed, and a receipt comes only behind the last one of both", async () => {
  const { paths, kept } = await before();
  const stores = await openStores({ paths, ...deps });
  onTestFinished(() => stores.close());
  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  const refused = (sql: string) => {
    let error: unknown;
    try {
      db.transaction(() => db.run(sql));
    } catch (caught) {
      error = caught;
    }
    expect(error, sql).toMatchObject(failsWith("CONFLICT"));
  };
  const columns = "seq, id, run_id, type, ts, actor, surface, payload, prev_hash, hash";
  const values = (seq: number, prevHash: string) =>
    `${seq}, 'x', 'r', 'run.started', 1, 'a', 's', '{}', '${prevHash}', 'h'`;
  const numbered = (seq: number, prevHash: string) =>
    refused(`INSERT OR REPLACE INTO receipts_by_number (${columns}) VALUES (${values(seq, prevHash)})`);
  const ofTenant = (tenant: string, seq: number, prevHash: string) =>
    refused(`INSERT OR REPLACE INTO receipts_by_tenant (tenant, ${columns})
      VALUES ('${tenant}', ${values(seq, prevHash)})`);
  const [last, theirs] = [kept.mine[0]!, kept.theirs[0]!];
  const NONE = "0".repeat(64);
  // None of them lies by its number yet: the first one there follows the last one from before.
  numbered(1, NONE);
  numbered(last.seq, last.prevHash);
  numbered(last.seq + 2, last.hash);
  numbered(last.seq + 1, theirs.hash);
  await written(stores.ledger, TENANT, 101, 102);
  const [newest] = await stores.ledger.receipts(TENANT, { limit: 1 });
  numbered(1, NONE);
  numbered(last.seq + 1, last.hash);
  numbered(newest!.seq, newest!.prevHash);
  numbered(newest!.seq + 2, newest!.hash);
  numbered(newest!.seq + 1, last.hash);
  // What is from before ends there.
  ofTenant(TENANT, last.seq + 1, last.hash);
  ofTenant(TENANT, newest!.seq + 1, newest!.hash);
  ofTenant(OTHER, theirs.seq, theirs.prevHash);
  ofTenant(OTHER, theirs.seq + 1, last.hash);
  for (const table of ["receipts_by_number", "receipts_by_tenant"]) {
    refused(`UPDATE ${table} SET ts = 1`);
    refused(`DELETE FROM ${table}`);
  }
});

test("no row is moved: however many receipts there are, the step takes as long", async () => {
  const { paths } = await before();
  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  const roots = query<{ rootpage: number }>(
    "SELECT rootpage FROM sqlite_schema WHERE tbl_name IN ('receipts', 'receipts_by_tenant') AND rootpage > 0",
  );
  const kept = db.all(roots);
  migrate(db, paths.backups, deps);
  expect(kept).toHaveLength(2);
  expect(db.all(roots)).toEqual(kept);
  expect(db.get<{ n: number }>("SELECT count(*) AS n FROM receipts_by_number")).toEqual({ n: 0 });
});

test("a receipt is written into one tree, and so into one page but where that is full", () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-numbered-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const db = openDatabase(statePaths(home).database);
  onTestFinished(() => db.close());
  migrate(db, statePaths(home).backups, deps);
  const steps = db.all(query<{ opcode: string }>(`EXPLAIN ${LEDGER_SQL.addNumberedReceipt}`));
  expect(steps.filter(({ opcode }) => opcode === "OpenWrite")).toHaveLength(1);
});
