import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewReceipt, StoredReceipt } from "@elwood/core/receipts/receipt";
import type { ReceiptQuery } from "@elwood/runtime/ports/gate-ports";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { plainReceipt } from "@elwood/testkit/ledger-script";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { systemIds } from "@elwood/platform/system";
import { type Database, openDatabase, query } from "./database.ts";
import { BLOCK } from "./list-receipts.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";
import { listedLater } from "./migrations/0024-listed-later.ts";
import { openStores, type OpenedStores } from "./open-stores.ts";
import { sqliteLedger } from "./sqlite-ledger.ts";

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

/** As an earlier version wrote it: what its database does beside, its database does. */
function put(db: Database, r: StoredReceipt): void {
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

test("a database from before the lists is brought forward with every receipt, body and list", async () => {
  const old = mkdtempSync(join(tmpdir(), "elwood-find-old-"));
  const { database, backups } = statePaths(old);
  const db = openDatabase(database);
  migrate(db, backups, { ...LOG, migrations: MIGRATIONS.filter(({ version }) => version < LIST_VERSION) });
  db.transaction(() => {
    for (const receipt of all.toReversed()) put(db, receipt);
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

const LISTED = query<{ block: number }>(
  "SELECT block FROM receipt_blocks WHERE kind = 'listed' ORDER BY block",
);
const KINDS = query<{ kind: string; block: number }>(
  "SELECT DISTINCT kind, block FROM receipt_blocks WHERE kind <> 'listed' ORDER BY block, kind",
);

/** A home of its own; `open` gives what a process has, closed like one that died. */
function homeOfOwn(migrations = MIGRATIONS) {
  const folder = mkdtempSync(join(tmpdir(), "elwood-listed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { database, backups } = statePaths(folder);
  const open = (brought = MIGRATIONS) => {
    const db = openDatabase(database);
    onTestFinished(() => db.close());
    migrate(db, backups, { ...LOG, migrations: brought });
    const ledger = sqliteLedger(db, { clock, ids: systemIds(clock) });
    const write = async (from: number, to: number) => {
      for (let n = from; n <= to; n++) await ledger.write(TENANT, { receipts: [fact(n)], changes: [] });
    };
    const blocks = () => db.all(LISTED).map(({ block }) => block);
    return { db, ledger, write, blocks };
  };
  return { open, first: open(migrations) };
}

/** The event loop has come round. */
const aRound = () => new Promise((resolve) => setImmediate(resolve));

test("a block is listed after the commit of its last receipt, and nobody who looks meanwhile misses or sees any twice", async () => {
  const { first } = homeOfOwn();
  const { ledger } = first;
  await first.write(1, BLOCK);
  const asked = [
    { runId: "run_1" },
    { callId: "call_5" },
    { toolId: "a.tool.1" },
    { types: ["policy.changed" as const] },
  ];
  const found = () =>
    Promise.all([
      ...asked.map((each) => ledger.receipts(TENANT, { ...each, limit: 100 })),
      ledger.receiptsOfCalls(TENANT, ["call_2", "call_5"]),
    ]);
  const before = await found();
  expect(first.blocks()).toEqual([]);
  expect(before.map(({ length }) => length)).toEqual([9, 8, 26, 1, 15]);
  await aRound();
  expect(first.blocks()).toEqual([1]);
  expect(await found()).toEqual(before);
  // A list that is longer than is known: a block may be read by it, or through, but not both.
  first.db.transaction(() =>
    first.db.run("INSERT INTO receipt_blocks VALUES (?, 'call', 'call_6', 2)", TENANT),
  );
  await first.write(BLOCK + 1, BLOCK + 5);
  expect(await ledger.receiptsOfCalls(TENANT, ["call_6"])).toHaveLength(7);
});

test("what a process that died has left unlisted is found, and listed with the next block", async () => {
  const { open, first } = homeOfOwn();
  await first.write(1, BLOCK);
  first.db.close();
  await aRound();
  const next = open();
  expect(next.blocks()).toEqual([]);
  expect(await next.ledger.receipts(TENANT, { runId: "run_early", limit: 100 })).toHaveLength(39);
  await next.write(BLOCK + 1, 2 * BLOCK);
  await aRound();
  expect(next.blocks()).toEqual([1, 2]);
  const kinds = ["call", "id", "run", "tool", "type"];
  expect(next.db.all(KINDS)).toEqual([1, 2].flatMap((block) => kinds.map((kind) => ({ kind, block }))));
});

test("blocks do not pile up where the event loop does not come round", async () => {
  const { first } = homeOfOwn();
  await first.write(1, 3 * BLOCK);
  expect(first.blocks()).toEqual([1, 2, 3]);
});

test("what is listed in a home from before counts as listed, and nothing of it is listed again", async () => {
  const earlier = MIGRATIONS.filter(({ version }) => version < listedLater.version);
  const { open, first } = homeOfOwn(earlier);
  // There the database lists each block in the commit of its last receipt.
  first.db.transaction(() => {
    for (const receipt of all.toReversed()) put(first.db, receipt);
  });
  const lists = () => first.db.all("SELECT * FROM receipt_blocks WHERE kind <> 'listed'");
  const before = lists();
  const next = open();
  expect(next.blocks()).toEqual([1, 2, 3, 4, 5]);
  for (const [, asked] of queries)
    expect(await next.ledger.receipts(TENANT, { ...asked, limit: 200 })).toEqual(
      expected(asked).slice(0, 200),
    );
  await next.write(1, BLOCK - 21);
  await aRound();
  expect(next.blocks()).toEqual([1, 2, 3, 4, 5]);
  expect(lists()).toEqual(before);
  await next.write(1, 1);
  await aRound();
  expect(next.blocks()).toEqual([1, 2, 3, 4, 5, 6]);
});
