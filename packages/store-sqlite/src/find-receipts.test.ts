import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewReceipt, StoredReceipt } from "@elwood/core/receipts/receipt";
import type { ReceiptQuery } from "@elwood/runtime/ports/gate-ports";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { plainReceipt } from "@elwood/testkit/ledger-script";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { openDatabase } from "./database.ts";
import { BLOCK } from "./find-receipts.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";
import { openStores, type OpenedStores } from "./open-stores.ts";

const clock = new ManualClock();
const COUNT = 5 * BLOCK + 20;
/** Before this many there was the schema that kept no lists. */
const LIST_VERSION = 4;
const LOG = { clock, log: memoryLog() };

/** Runs take turns, one is long past, one is there once. */
function fact(n: number): NewReceipt {
  const runId = n < 40 ? "run_early" : n === 150 ? "run_once" : `run_${n % 3}`;
  const payload = n % 5 === 0 ? { n } : { n, toolId: n % 50 === 0 ? "a.rare.one" : `a.tool.${n % 2}` };
  const type = n % 7 === 0 ? "tool.call.failed" : n === 3 ? "policy.changed" : "tool.call.started";
  return plainReceipt(type, {
    runId,
    ...(n % 4 === 0 ? {} : { callId: `call_${Math.floor(n / 10)}` }),
    actor: "model",
    surface: "web",
    payload,
  });
}

let home: string;
let stores: OpenedStores;
let all: readonly StoredReceipt[];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "elwood-find-"));
  stores = await openStores({ paths: statePaths(home), ...LOG });
  const written: StoredReceipt[] = [];
  for (let n = 1; n <= COUNT; n++) {
    const unit = await stores.ledger.write(TENANT, { receipts: [fact(n)], changes: [] });
    if (unit.ok) written.push(...unit.value);
    await clock.advance(n % 10);
  }
  all = written.toReversed();
});

afterAll(async () => {
  await stores.close();
  rmSync(home, { recursive: true });
});

const queries: [string, Omit<ReceiptQuery, "limit">][] = [
  ["nothing", {}],
  ["a run", { runId: "run_1" }],
  ["a run long past", { runId: "run_early" }],
  ["a run of one receipt", { runId: "run_once" }],
  ["no such run", { runId: "run_none" }],
  ["a call", { callId: "call_7" }],
  ["a call not listed yet", { callId: `call_${Math.floor(COUNT / 10)}` }],
  ["a tool", { toolId: "a.rare.one" }],
  ["a type", { types: ["policy.changed"] }],
  ["two types", { types: ["policy.changed", "tool.call.failed"] }],
  ["no type", { types: [] }],
  ["a run and a tool", { runId: "run_2", toolId: "a.tool.1" }],
  ["a call of another run", { runId: "run_none", callId: "call_7" }],
];

function expected({ runId, callId, toolId, types, since, until, before }: Omit<ReceiptQuery, "limit">) {
  return all.filter(
    (receipt) =>
      (runId === undefined || receipt.runId === runId) &&
      (callId === undefined || receipt.callId === callId) &&
      (toolId === undefined || receipt.payload["toolId"] === toolId) &&
      (types === undefined || types.some((type) => type === receipt.type)) &&
      (since === undefined || receipt.ts >= since) &&
      (until === undefined || receipt.ts < until) &&
      (before === undefined || receipt.seq < before),
  );
}

describe("however they are listed, receipts are found as if all were read", () => {
  test.each(queries)("%s", async (_, query) => {
    for (const limit of [1, 3, 200]) {
      for (const before of [undefined, 1, 2, BLOCK, BLOCK + 1, BLOCK + 2, 5 * BLOCK + 1, COUNT + 1, 1e9]) {
        const asked = before === undefined ? query : { ...query, before };
        const found = await stores.ledger.receipts(TENANT, { ...asked, limit });
        expect(found, `limit ${limit}, before ${before}`).toEqual(expected(asked).slice(0, limit));
      }
    }
  });

  test("by time, alone and with a name", async () => {
    const [since, until] = [all[300]!.ts, all[30]!.ts];
    for (const asked of [{ since, until }, { until: all[330]!.ts }, { since, until, runId: "run_2" }]) {
      const found = await stores.ledger.receipts(TENANT, { ...asked, limit: 60 });
      expect(found).toEqual(expected(asked).slice(0, 60));
    }
  });

  test("each by its id", async () => {
    for (const receipt of all) expect(await stores.ledger.receipt(TENANT, receipt.id)).toEqual(receipt);
    expect(await stores.ledger.receipt(TENANT, "rcp_none")).toBeUndefined();
    expect(await stores.ledger.receipt("other", all[0]!.id)).toBeUndefined();
  });
});

test("what a list says is held against the receipts, and a list is not changed afterwards", async () => {
  const db = openDatabase(statePaths(home).database);
  db.transaction(() => db.run("INSERT INTO receipt_blocks VALUES (?, 'run', 'run_made_up', 2)", TENANT));
  expect(await stores.ledger.receipts(TENANT, { runId: "run_made_up", limit: 9 })).toEqual([]);
  for (const sql of ["DELETE FROM receipt_blocks", "UPDATE receipt_blocks SET block = 1"])
    expect(() => db.transaction(() => db.run(sql))).toThrow();
  db.close();
});

test("a database from before the lists is brought forward with every receipt, body and list", async () => {
  const old = mkdtempSync(join(tmpdir(), "elwood-find-old-"));
  const { database, backups } = statePaths(old);
  const db = openDatabase(database);
  migrate(db, backups, { ...LOG, migrations: MIGRATIONS.filter(({ version }) => version < LIST_VERSION) });
  db.transaction(() => {
    for (const r of all.toReversed()) {
      const facts = [r.tenant, r.seq, r.id, r.runId, r.callId ?? null, r.type, r.ts, r.actor, r.surface];
      db.run(
        `INSERT INTO receipts (tenant, seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...facts,
        JSON.stringify(r.payload),
        r.prevHash,
        r.hash,
      );
    }
    db.run("INSERT INTO bodies VALUES (?, 'commit', 'salt', '{\"a\":1}')", TENANT);
  });
  db.close();

  const upgraded = await openStores({ paths: statePaths(old), ...LOG });
  for (const [, query] of queries) {
    const found = await upgraded.ledger.receipts(TENANT, { ...query, limit: 200 });
    expect(found).toEqual(expected(query).slice(0, 200));
  }
  for (const receipt of all) expect(await upgraded.ledger.receipt(TENANT, receipt.id)).toEqual(receipt);
  expect(await upgraded.ledger.body(TENANT, "commit")).toMatchObject({ salt: "salt", value: { a: 1 } });
  const next = await upgraded.ledger.write(TENANT, { receipts: [fact(1)], changes: [] });
  expect(next).toMatchObject({ value: [{ seq: COUNT + 1, prevHash: all[0]!.hash }] });
  await upgraded.close();

  const lists = (path: string) => {
    const opened = openDatabase(path);
    const rows = opened.all("SELECT * FROM receipt_blocks WHERE name <> 'run_made_up'");
    opened.close();
    return rows;
  };
  expect(lists(database)).toEqual(lists(statePaths(home).database));
  rmSync(old, { recursive: true });
});
