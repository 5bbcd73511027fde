import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { expect, onTestFinished, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { systemIds } from "@elwood/platform/system";
import { openDatabase, query } from "./database.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";
import { lighterReceipts } from "./migrations/0023-lighter-receipts.ts";
import { openStores } from "./open-stores.ts";
import { sqliteLedger } from "./sqlite-ledger.ts";
import { receiptsAsBefore } from "./test-receipts-before.ts";

const clock = new ManualClock();
const deps = { clock, log: memoryLog() };

/** The newest receipts of a tool, of every kind of name at once. */
const KINDS = [
  { toolId: "a.rare.one" },
  { toolId: "a.b.c", types: ["tool.call.started" as const] },
  { callId: "call_7" },
];

async function written(script: LedgerScript, from: number, to: number) {
  for (let n = from; n <= to; n++) {
    const toolId = n % 50 === 0 ? "a.rare.one" : "a.b.c";
    const payload = n % 7 === 0 ? {} : { toolId, rule: "read" };
    await script.write([script.receipt("tool.call.started", { callId: `call_${n}`, payload })]);
  }
}

test("receipts from before are found by their tool as they were, and so are those that follow", async () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-lighter-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = statePaths(home);
  const db = openDatabase(paths.database);
  const earlier = MIGRATIONS.filter(({ version }) => version < lighterReceipts.version);
  migrate(db, paths.backups, { ...deps, migrations: earlier });
  const takeBack = receiptsAsBefore(db);
  const before = sqliteLedger(db, { clock, ids: systemIds(clock) });
  await written(new LedgerScript(before), 1, 100);
  const found = (ledger: Pick<typeof before, "receipts">) =>
    Promise.all([{}, ...KINDS].map((asked) => ledger.receipts(TENANT, { ...asked, limit: 200 })));
  const kept = await found(before);
  expect(kept.map(({ length }) => length)).toEqual([100, 2, 84, 1]);
  takeBack();
  db.close();

  const stores = await openStores({ paths, ...deps });
  onTestFinished(() => stores.close());
  expect(await found(stores.ledger)).toEqual(kept);
  // The block that was begun before is listed whole, and so is the one after it.
  await written(new LedgerScript(stores.ledger), 101, 195);
  expect((await found(stores.ledger)).map(({ length }) => length)).toEqual([195, 3, 165, 1]);
  expect((await stores.ledger.receipt(TENANT, kept[0]![0]!.id))?.seq).toBe(100);
});

test("no column of a receipt is worked out when it is written", async () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-lighter-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = statePaths(home);
  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  migrate(db, paths.backups, deps);
  const columns = db.all(
    query<{ name: string; hidden: number }>(
      "SELECT name, hidden FROM pragma_table_xinfo('receipts_by_tenant') UNION ALL SELECT name, hidden FROM pragma_table_xinfo('receipts_by_number')",
    ),
  );
  expect(columns.length).toBe(12 + 11);
  expect(columns.filter(({ hidden }) => hidden !== 0)).toEqual([]);
});
