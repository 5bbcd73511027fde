import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ledgerContract } from "@elwood/testkit/ledger-contract";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, StoreScript, TENANT } from "@elwood/testkit/store-script";
import { expect, onTestFinished, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { systemIds } from "@elwood/platform/system";
import { openDatabase, query } from "./database.ts";
import { migrate } from "./migrations.ts";
import { openStores, type OpenedStores } from "./open-stores.ts";
import { sqliteLedger } from "./sqlite-ledger.ts";

const clock = new ManualClock();

async function harness() {
  const home = await mkdtemp(join(tmpdir(), "elwood-ledger-"));
  const open = () => openStores({ paths: statePaths(home), clock, log: memoryLog() });
  let stores = await open();
  return {
    home,
    stores,
    ledger: stores.ledger,
    advance: (ms: number) => clock.advance(ms),
    reopen: async () => {
      await stores.close();
      stores = await open();
      return stores.ledger;
    },
    dispose: async () => {
      await stores.close();
      await rm(home, { recursive: true });
    },
  };
}

ledgerContract("SQLite", harness);

async function opened() {
  const all = await harness();
  onTestFinished(() => all.dispose());
  const db = openDatabase(statePaths(all.home).database);
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
  return { ...all, script: new LedgerScript(all.ledger), db, refused };
}

test("G3: OA-4: the database refuses to change, delete, replace or put in between a receipt", async () => {
  const { script, refused } = await opened();
  await script.write([script.receipt("run.started"), script.receipt("run.finished")]);
  refused("UPDATE receipts_by_number SET payload = '{}'");
  refused("UPDATE receipts_by_number SET ts = ts + 1 WHERE seq = 2");
  refused("DELETE FROM receipts_by_number WHERE seq = 2");
  const columns = "seq, id, run_id, type, ts, actor, surface, payload, prev_hash, hash";
  const rest = "'r', 'run.started', 1, 'a', 's', '{}'";
  const first = "0".repeat(64);
  refused(`INSERT OR REPLACE INTO receipts_by_number (${columns}) VALUES (1, 'x', ${rest}, '${first}', 'h')`);
  refused(`INSERT INTO receipts_by_number (${columns}) VALUES (3, 'x', ${rest}, 'nothing', 'h')`);
  refused(`INSERT INTO receipts_by_number (${columns}) VALUES (9, 'x', ${rest}, '${first}', 'h')`);
  refused(
    `INSERT INTO receipts_by_tenant (tenant, ${columns}) VALUES ('other', 2, 'x', ${rest}, '${first}', 'h')`,
  );
  refused(
    `INSERT INTO receipts_by_tenant (tenant, ${columns}) VALUES ('other', 1, 'x', ${rest}, 'nothing', 'h')`,
  );
});

test("the database keeps decided approvals, ended calls and revoked grants as they are", async () => {
  const { script, refused } = await opened();
  const call = script.call({ state: "succeeded" });
  const approval = script.approval(call);
  const grant = script.grant({ usesMax: 1, uses: 1 });
  const decidedBy = { kind: "expiry" } as const;
  await script.write(
    [],
    [
      { kind: "call.new", call },
      { kind: "approval.new", approval },
      { kind: "approval.decide", approvalId: approval.id, status: "expired", decidedBy, at: 5 },
      { kind: "grant.new", grant },
    ],
  );
  refused("UPDATE calls SET state = 'started'");
  refused("UPDATE approvals SET status = 'approved'");
  refused("UPDATE grants SET uses = 2");
  await script.write([], [{ kind: "grant.revoke", grantId: grant.id, at: 6 }]);
  refused("UPDATE grants SET revoked_at = NULL");
});

test("bodies beside a new call are stored each as it is, whether it is the call's input or looks like it", async () => {
  const { ledger, script } = await opened();
  const call = script.call({
    requestedInput: { text: "as it was asked" },
    executedInput: { text: "as it ran" },
  });
  const body = (commit: string, value: unknown) => ({
    kind: "body.put" as const,
    body: { commit, salt: "s", value },
  });
  await script.write(
    [],
    [
      { kind: "call.new", call },
      body("input", call.requestedInput),
      body("executed", call.executedInput),
      body("nothing", null),
      { kind: "call.new", call: { ...call, callId: "call_other", requestedInput: { text: "another" } } },
      body("first", call.requestedInput),
    ],
  );
  const valueOf = async (commit: string) => (await ledger.body(TENANT, commit))?.value;
  expect(await valueOf("input")).toEqual({ text: "as it was asked" });
  expect(await valueOf("executed")).toEqual({ text: "as it ran" });
  expect(await valueOf("nothing")).toBeNull();
  expect(await valueOf("first")).toEqual({ text: "as it was asked" });
  expect(await ledger.call(TENANT, "call_other")).toMatchObject({ requestedInput: { text: "another" } });
});

test("G1: what may wait for the disk is written at once, goes to the disk with what follows, and keeps its place", async () => {
  const home = await mkdtemp(join(tmpdir(), "elwood-ledger-"));
  const paths = statePaths(home);
  const told: string[] = [];
  const disk = { sync: async () => void told.push("synced"), wait: async () => undefined };
  const db = openDatabase(paths.database, disk);
  onTestFinished(async () => {
    db.close();
    await rm(home, { recursive: true });
  });
  migrate(db, paths.backups, { clock, log: memoryLog() });
  db.groupWhile(() => true);
  const ledger = sqliteLedger(db, { clock, ids: systemIds(clock) });
  const script = new LedgerScript(ledger);
  const write = (type: "run.started" | "run.finished", mayWaitForDisk: boolean) =>
    ledger
      .write(TENANT, { receipts: [script.receipt(type)], changes: [], mayWaitForDisk })
      .then(() => told.push(type));
  const others = write("run.finished", false);
  await write("run.started", true);
  const other = openDatabase(paths.database);
  const types = () =>
    other.all(query<{ type: string }>("SELECT type FROM receipts ORDER BY seq")).map(({ type }) => type);
  // Another process sees it already.
  expect(types()).toEqual(["run.started"]);
  expect(told).toEqual(["run.started"]);
  await others;
  expect(told).toEqual(["run.started", "synced", "run.finished"]);
  expect(types()).toEqual(["run.started", "run.finished"]);
  other.close();
});

test("receipts are told of in their order, also where a unit follows before the one before it is on disk", async () => {
  const { script, ledger } = await opened();
  const told: number[] = [];
  ledger.watch((_, receipts) => told.push(...receipts.map(({ seq }) => seq)));
  let next: Promise<unknown> | undefined;
  const first = ledger.write(TENANT, {
    receipts: [script.receipt("run.started")],
    changes: [],
    applied: () => {
      next = script.write([script.receipt("run.finished")]);
    },
  });
  expect(await first).toMatchObject({ ok: true, value: [{ seq: 1 }] });
  await next;
  expect(told).toEqual([1, 2]);
  // And where the one before it is not told yet.
  const third = script.write([script.receipt("run.started")]);
  const applied = () => undefined;
  const fourth = ledger.write(TENANT, { receipts: [script.receipt("run.finished")], changes: [], applied });
  await Promise.all([third, fourth]);
  expect(told).toEqual([1, 2, 3, 4]);
});

test("a unit that is refused holds up nobody who is told of others", async () => {
  const { script, ledger } = await opened();
  const told: number[] = [];
  ledger.watch((_, receipts) => told.push(...receipts.map(({ seq }) => seq)));
  const bad = { kind: "grant.revoke", grantId: "grt_none", at: 9 } as const;
  const refused = ledger.write(TENANT, { receipts: [script.receipt("run.started")], changes: [bad] });
  await script.write([script.receipt("run.started")]);
  expect(await refused).toMatchObject({ ok: false });
  expect(told).toEqual([1]);
});

test("a unit that is lost at its commit holds up nobody either, alone or among others", async () => {
  const { script, ledger, stores, home } = await opened();
  const told: number[] = [];
  ledger.watch((_, receipts) => told.push(...receipts.map(({ seq }) => seq)));
  const db = openDatabase(statePaths(home).database);
  onTestFinished(() => db.close());
  // What lacks its parent is found when the transaction is to be committed.
  db.transaction(() =>
    db.exec(`CREATE TABLE known (id TEXT PRIMARY KEY);
      CREATE TABLE late (id TEXT REFERENCES known (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER lost AFTER INSERT ON receipts_by_number WHEN NEW.run_id = 'run_lost'
      BEGIN INSERT INTO late VALUES ('none'); END;`),
  );
  for (const isShared of [false, true]) {
    stores.shareSyncsWhile(() => isShared);
    const lost = { ...script.receipt("run.started"), runId: "run_lost" };
    await expect(ledger.write(TENANT, { receipts: [lost], changes: [] })).rejects.toMatchObject(
      failsWith("CONFLICT"),
    );
    await script.write([script.receipt("run.started")]);
  }
  expect(told).toEqual([1, 2]);
});

test("two processes on one state directory write one chain", async () => {
  const { script, home } = await opened();
  const other = await openStores({ paths: statePaths(home), clock, log: memoryLog() });
  const theirs = new LedgerScript(other.ledger);
  const receipts = [];
  for (let i = 0; i < 6; i++) {
    receipts.push(...(await [script, theirs][i % 2]!.write([script.receipt("run.started")])));
  }
  expect(receipts.map((receipt) => receipt.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  for (const [i, receipt] of receipts.slice(1).entries()) expect(receipt.prevHash).toBe(receipts[i]!.hash);
  await other.close();
});

test("erased content is gone from the files, not only from the table", async () => {
  const { script, home } = await opened();
  const value = `a private sentence, ${"long enough to fill a page ".repeat(300)}`;
  await script.write([], [{ kind: "body.put", body: { commit: "c", salt: "a salt of its own", value } }]);
  const found = async () => {
    const { database } = statePaths(home);
    const files = await Promise.all([database, `${database}-wal`].map((path) => readFile(path)));
    return files.some((bytes) => bytes.includes("private sentence") || bytes.includes("salt of its own"));
  };
  expect(await found()).toBe(true);
  expect(await script.ledger.eraseBody(TENANT, "c")).toBe(true);
  expect(await found()).toBe(false);
});

test("with a purged session go its calls and approvals; its receipts stay", async () => {
  const { script, stores } = await opened();
  const run = await new StoreScript(stores).turn((await new StoreScript(stores).session()).id);
  const call = await script.allowed({ sessionId: run.sessionId, runId: run.id });
  const approval = script.approval(call);
  await script.write([], [{ kind: "approval.new", approval }]);
  const kept = await script.allowed();
  await stores.sessions.purge(TENANT, run.sessionId);
  expect(await stores.ledger.call(TENANT, call.callId)).toBeUndefined();
  expect(await stores.ledger.approval(TENANT, approval.id)).toBeUndefined();
  expect(await stores.ledger.call(TENANT, kept.callId)).toBeDefined();
  expect(await stores.ledger.receipts(TENANT, { callId: call.callId, limit: 9 })).toHaveLength(3);
});

test("who watches is told of receipts once they are durable, and of nothing that was refused", async () => {
  const { script, ledger, home } = await opened();
  const seen: [string, number, number][] = [];
  const reader: OpenedStores = await openStores({ paths: statePaths(home), clock, log: memoryLog() });
  ledger.watch((tenant, receipts) => {
    const db = openDatabase(statePaths(home).database);
    const { n } = db.get<{ n: number }>("SELECT count(*) AS n FROM receipts")!;
    db.close();
    seen.push([tenant, receipts.length, n]);
  });
  await script.write([script.receipt("run.started"), script.receipt("run.finished")]);
  await script.write([], [{ kind: "contract.know", toolId: "a.b.c", contractHash: "h", at: 1 }]);
  expect(await script.refusal({ kind: "grant.use", grantId: "grt_none", runId: "run_1", at: 1 })).toBe(
    "grant.use",
  );
  expect(seen).toEqual([[TENANT, 2, 2]]);
  await reader.close();
});
