import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, StoreScript, TENANT } from "@elwood/testkit/store-script";
import { statePaths } from "@elwood/platform/state-paths";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "./database.ts";
import { KeptRows } from "./kept-rows.ts";
import { openStores, type OpenedStores } from "./open-stores.ts";

async function opened() {
  const home = mkdtempSync(join(tmpdir(), "elwood-kept-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const deps = { paths: statePaths(home), clock: new ManualClock(), log: memoryLog() };
  const open = async () => {
    const stores = await openStores(deps);
    onTestFinished(() => stores.close());
    return stores;
  };
  const stores = await open();
  return { home, open, stores, other: await open(), script: new StoreScript(stores) };
}

/** All that is kept of a run and its session, asked for so that it is kept from now on. */
async function read({ ledger, runs }: OpenedStores, runId: string, sessionId = "ses_1") {
  return {
    calls: await ledger.callsOfRun(TENANT, runId),
    all: await ledger.receipts(TENANT, { runId, limit: 200 }),
    started: await ledger.receipts(TENANT, { runId, types: ["tool.call.started"], limit: 1 }),
    before: await ledger.receipts(TENANT, { runId, before: 3, limit: 200 }),
    ids: await runs.idsOfSession(TENANT, sessionId, 50),
    last: await runs.idsOfSession(TENANT, sessionId, 1),
  };
}

test("what is kept of a run is what another process reads, after every write", async () => {
  const { stores, other, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: runId } = await script.running(sessionId);
  const ledger = new LedgerScript(stores.ledger);
  const same = async () => {
    const kept = await read(stores, runId, sessionId);
    // A process of its own keeps nothing that was read before this write.
    expect(kept).toEqual(await read(other, runId, sessionId));
    return kept;
  };
  expect((await same()).calls).toEqual([]);
  const call = await ledger.allowed({ runId, sessionId });
  expect((await same()).calls).toMatchObject([{ callId: call.callId, state: "succeeded" }]);
  await ledger.write([ledger.receipt("run.finished", { runId, payload: { sessionId } })]);
  expect((await same()).all).toHaveLength(4);
  await stores.runs.end(TENANT, runId, [script.assistant("Done.")], script.ending());
  const again = await script.accepted(sessionId, "again", { versionOf: runId });
  expect((await same()).ids).toEqual([again.id]);
  await stores.runs.claim(TENANT, again.id, script.tick());
  await stores.runs.end(TENANT, again.id, [script.assistant("Again.")], script.ending());
  await stores.runs.showVersion(TENANT, sessionId, runId);
  expect((await same()).ids).toEqual([runId]);
});

test("what another process writes is read at once", async () => {
  const { stores, other, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: runId } = await script.running(sessionId);
  await read(stores, runId, sessionId);
  await new LedgerScript(other.ledger).allowed({ runId, sessionId });
  const { calls, all, started } = await read(stores, runId, sessionId);
  expect([calls.length, all.length, started.length]).toEqual([1, 3, 1]);
});

test("a unit that is refused or cannot be stored leaves nothing behind that is read", async () => {
  const { home, stores } = await opened();
  const ledger = new LedgerScript(stores.ledger);
  const call = await ledger.allowed();
  const before = await read(stores, call.runId);
  expect(await ledger.refusal({ kind: "call.new", call })).toBe("call.new");
  expect(await read(stores, call.runId)).toEqual(before);
  const db = openDatabase(statePaths(home).database);
  onTestFinished(() => db.close());
  // As late as a unit can fail: behind its first receipt.
  db.transaction(() =>
    db.exec(`CREATE TRIGGER late AFTER INSERT ON receipts WHEN new.type = 'run.finished'
      BEGIN SELECT RAISE(ABORT, 'no'); END`),
  );
  await read(stores, call.runId);
  const receipt = ledger.receipt("run.finished", { runId: call.runId });
  await expect(ledger.write([ledger.receipt("run.started"), receipt])).rejects.toMatchObject(
    failsWith("CONFLICT"),
  );
  expect(await read(stores, call.runId)).toEqual(before);
});

test("of a session that is purged no run and no call is read any more", async () => {
  const { stores, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: runId } = await script.ended(sessionId);
  await new LedgerScript(stores.ledger).allowed({ runId, sessionId });
  expect(await read(stores, runId, sessionId)).toMatchObject({ calls: [{}], ids: [runId] });
  await stores.sessions.purge(TENANT, sessionId);
  expect(await read(stores, runId, sessionId)).toMatchObject({ calls: [], ids: [], all: [{}, {}, {}] });
});

test("only so much is kept, and what was asked for longest ago goes first", () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-kept-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const db = openDatabase(join(home, "kept.db"));
  onTestFinished(() => db.close());
  const kept = new KeptRows<{ readonly text: string }>(db, 2 * 1024 * 1024);
  const half = [{ text: "x".repeat(1_000_000) }];
  const reads: string[] = [];
  const ask = (name: string, rows: readonly { readonly text: string }[] = half) =>
    kept.of(TENANT, name, () => {
      reads.push(name);
      return rows;
    });
  for (const name of ["a", "b", "a", "c", "a", "b"]) ask(name);
  expect(reads).toEqual(["a", "b", "c", "b"]);
  const huge = [{ text: "x".repeat(4_000_000) }];
  expect(ask("huge", huge)).toBe(huge);
  expect(ask("huge", huge)).toBe(huge);
  kept.drop(TENANT, "b");
  ask("a");
  ask("b");
  expect(reads.slice(4)).toEqual(["huge", "huge", "b"]);
});
