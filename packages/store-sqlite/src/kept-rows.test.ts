import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, StoreScript, TENANT } from "@elwood/testkit/store-script";
import { statePaths } from "@elwood/platform/state-paths";
import { expect, onTestFinished, test, vi } from "vitest";
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
async function read(stores: OpenedStores, runId: string, sessionId = "ses_1") {
  const { ledger, runs } = stores;
  return {
    calls: await ledger.callsOfRun(TENANT, runId),
    all: await ledger.receipts(TENANT, { runId, limit: 200 }),
    started: await ledger.receipts(TENANT, { runId, types: ["tool.call.started"], limit: 1 }),
    before: await ledger.receipts(TENANT, { runId, before: 3, limit: 200 }),
    ids: await runs.idsOfSession(TENANT, sessionId, 50),
    last: await runs.idsOfSession(TENANT, sessionId, 1),
    shown: await runs.shownRuns(TENANT, sessionId, 50),
    place: await runs.placeOf(TENANT, sessionId, runId),
    session: await stores.sessions.get(TENANT, sessionId),
    uncommitted: await runs.uncommitted(TENANT, sessionId),
    hidden: await runs.hidden(TENANT, sessionId),
    noVersions: stores.hiddenRuns.isEmpty(TENANT),
    nothingNeverRecalled: stores.neverRecalled.isEmpty(TENANT),
    forgets: stores.forgetting.pending(TENANT),
  };
}

test("what is kept of a run is what another process reads, after every write", async () => {
  const { stores, other, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: runId } = await script.running(sessionId);
  const ledger = new LedgerScript(stores.ledger);
  const same = async () => {
    const kept = await read(stores, runId, sessionId);
    // For another connection of this process its event loop comes round as it would for another process.
    await nextEventLoopTurn();
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
  const next = await script.accepted(sessionId, "and then");
  expect(await same()).toMatchObject({
    ids: [next.id, runId],
    hidden: new Set([again.id]),
    noVersions: false,
  });
});

test("what is kept of a session is what another process reads, after every write", async () => {
  const { stores, other, script } = await opened();
  const { sessions, runs } = stores;
  const { id: sessionId } = await script.session();
  const first = await script.running(sessionId);
  const same = async () => {
    const kept = await read(stores, first.id, sessionId);
    await nextEventLoopTurn();
    expect(kept).toEqual(await read(other, first.id, sessionId));
    return kept;
  };
  expect(await same()).toMatchObject({ uncommitted: [], noVersions: true, forgets: false });
  await runs.end(TENANT, first.id, [script.assistant("Done.")], script.ending());
  expect(await same()).toMatchObject({ uncommitted: [{ run: { id: first.id, status: "done" } }] });
  await runs.noteOffset(TENANT, first.id, 7);
  expect(await same()).toMatchObject({ uncommitted: [{ offset: 7 }] });
  const second = await script.running(sessionId);
  expect((await same()).ids).toEqual([second.id, first.id]);
  // The clock was set back: the one that ended last comes first.
  await runs.end(TENANT, second.id, [script.assistant("Too.")], { ...script.ending(), at: 1 });
  expect((await same()).uncommitted.map(({ run }) => run.id)).toEqual([second.id, first.id]);
  await runs.commit(TENANT, second.id, [script.assistant("Too.")], script.tick());
  expect(await same()).toMatchObject({
    uncommitted: [{ run: { id: first.id } }],
    session: { messageCount: 1 },
  });
  await runs.commit(TENANT, first.id, [script.assistant("Done.")], script.tick());
  expect(await same()).toMatchObject({ uncommitted: [], session: { messageCount: 2 } });
  await sessions.rename(TENANT, sessionId, "Named", "owner");
  await sessions.configure(TENANT, sessionId, { model: "demo/demo" });
  await sessions.archive(TENANT, sessionId, script.tick());
  expect((await same()).session).toMatchObject({
    title: "Named",
    model: "demo/demo",
    archivedAt: expect.anything(),
  });
  await script.accepted(sessionId, "back again");
  expect((await same()).session?.archivedAt).toBeUndefined();
  await sessions.trash(TENANT, sessionId, script.tick());
  expect((await same()).session?.deletedAt).toBeDefined();
  await expect(script.accepted(sessionId, "too late")).rejects.toMatchObject(failsWith("CONFLICT"));
  stores.neverRecalled.set(TENANT, "my secret", true, script.tick());
  expect((await same()).nothingNeverRecalled).toBe(false);
  stores.neverRecalled.set(TENANT, "my secret", false, script.tick());
  expect((await same()).nothingNeverRecalled).toBe(true);
  const erase = await stores.forgetting.open();
  const target = {
    kind: "turn",
    needles: { fold: false, texts: [] },
    messages: [],
    calls: [],
    runs: [],
    sessions: [],
    notes: [],
    places: [],
    said: [],
    summaries: [],
    blobs: [],
    wordBlobs: [],
    backups: false,
  } as const;
  erase.begin(TENANT, { id: "f1", target, by: { id: "o", surface: "web" }, at: script.tick() });
  expect((await same()).forgets).toBe(true);
  erase.done(TENANT, "f1");
  expect((await same()).forgets).toBe(false);
});

test("what another process writes is read from the next turn of the event loop on", async () => {
  const { stores, other, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: runId } = await script.running(sessionId);
  await read(stores, runId, sessionId);
  await new LedgerScript(other.ledger).allowed({ runId, sessionId });
  await nextEventLoopTurn();
  const { calls, all, started } = await read(stores, runId, sessionId);
  expect([calls.length, all.length, started.length]).toEqual([1, 3, 1]);
  await other.sessions.rename(TENANT, sessionId, "Elsewhere", "owner");
  await other.runs.end(TENANT, runId, [script.assistant("Done.")], script.ending());
  const again = script.newRun(sessionId, "again", { versionOf: runId });
  await other.runs.accept(TENANT, again);
  other.neverRecalled.set(TENANT, "my secret", true, script.tick());
  await nextEventLoopTurn();
  expect(await read(stores, runId, sessionId)).toMatchObject({
    ids: [again.id],
    session: { title: "Elsewhere" },
    uncommitted: [{ run: { id: runId } }],
    hidden: new Set([runId]),
    noVersions: false,
    nothingNeverRecalled: false,
  });
});

test("whoever accepts a message sees what another process wrote just before", async () => {
  const { stores, other, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: runId } = await script.ended(sessionId);
  await read(stores, runId, sessionId);
  await other.sessions.trash(TENANT, sessionId, script.tick());
  await expect(script.accepted(sessionId, "too late")).rejects.toMatchObject(failsWith("CONFLICT"));
  await other.sessions.restore(TENANT, sessionId, script.tick());
  const again = script.newRun(sessionId, "again", { versionOf: runId });
  await other.runs.accept(TENANT, again);
  const next = await script.accepted(sessionId, "and then");
  expect((await stores.runs.tree(TENANT, sessionId)).map((run) => run.runId)).toEqual([
    runId,
    again.id,
    next.id,
  ]);
});

test("a message or an end whose transaction is lost at its commit leaves nothing behind that is read", async () => {
  const { home, stores, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: runId } = await script.running(sessionId);
  const before = await read(stores, runId, sessionId);
  const db = openDatabase(statePaths(home).database);
  onTestFinished(() => db.close());
  // What lacks its parent is found when the transaction is to be committed.
  db.transaction(() =>
    db.exec(`CREATE TABLE late (session_id TEXT REFERENCES known (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE known (id TEXT PRIMARY KEY);
      CREATE TRIGGER lost_run AFTER INSERT ON runs BEGIN INSERT INTO late VALUES ('none'); END;
      CREATE TRIGGER lost_end AFTER UPDATE OF ended_at ON runs BEGIN INSERT INTO late VALUES ('none'); END;`),
  );
  for (const others of [false, true]) {
    stores.shareSyncsWhile(() => others);
    await read(stores, runId, sessionId);
    await expect(script.accepted(sessionId, "more")).rejects.toMatchObject(failsWith("CONFLICT"));
    expect(await read(stores, runId, sessionId)).toEqual(before);
    const end = stores.runs.end(TENANT, runId, [script.assistant("Done.")], script.ending());
    await expect(end).rejects.toMatchObject(failsWith("CONFLICT"));
    expect(await read(stores, runId, sessionId)).toEqual(before);
  }
});

test("what is kept of the grants is what another process reads, after every write and as time goes on", async () => {
  const { stores, other } = await opened();
  const ledger = new LedgerScript(stores.ledger);
  const same = async (at: number) => {
    const kept = await stores.ledger.grants(TENANT, { live: true, at });
    await nextEventLoopTurn();
    expect(kept).toEqual(await other.ledger.grants(TENANT, { live: true, at }));
    return kept.map(({ id, uses }) => [id, uses]);
  };
  expect(await same(1)).toEqual([]);
  const timed = ledger.grant({ createdAt: 1, expiresAt: 100 });
  const once = ledger.grant({ createdAt: 2, usesMax: 1 });
  await ledger.write(
    [],
    [timed, once].map((grant) => ({ kind: "grant.new", grant })),
  );
  expect(await same(99)).toEqual([
    [once.id, 0],
    [timed.id, 0],
  ]);
  expect(await same(100)).toEqual([[once.id, 0]]);
  await ledger.write([], [{ kind: "grant.use", grantId: timed.id, runId: "run_1", at: 5 }]);
  expect(await same(99)).toContainEqual([timed.id, 1]);
  await ledger.write([], [{ kind: "grant.use", grantId: once.id, runId: "run_1", at: 5 }]);
  expect(await same(99)).toEqual([[timed.id, 1]]);
  // Refused: neither of it is so.
  const theirs = ledger.grant();
  const bad = { kind: "grant.revoke", grantId: "grt_none", at: 9 } as const;
  await stores.ledger.write(TENANT, { receipts: [], changes: [{ kind: "grant.new", grant: theirs }, bad] });
  expect(await same(99)).toEqual([[timed.id, 1]]);
  await new LedgerScript(other.ledger).write([], [{ kind: "grant.revoke", grantId: timed.id, at: 9 }]);
  expect(await same(99)).toEqual([]);
});

test("where a run stands is known without the database while the runs of its session are kept", async () => {
  const { stores, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: first } = await script.running(sessionId);
  await stores.runs.shownRuns(TENANT, sessionId, 50);
  const place = await stores.runs.placeOf(TENANT, sessionId, first);
  const get = vi.spyOn(StatementSync.prototype, "get");
  onTestFinished(() => get.mockRestore());
  expect(await stores.runs.placeOf(TENANT, sessionId, first)).toEqual(place);
  // Whether another process has written is asked in any case.
  const asked = () =>
    get.mock.contexts.filter((each) => !(each as StatementSync).sourceSQL.includes("PRAGMA"));
  expect(asked()).toEqual([]);
  expect(await stores.runs.placeOf(TENANT, sessionId, "run_none")).toBeUndefined();
  expect(asked()).not.toEqual([]);
});

test("at rest what is kept is given back, and read again as it is", async () => {
  const { stores, script } = await opened();
  const { id: sessionId } = await script.session();
  const { id: runId } = await script.running(sessionId);
  const ledger = new LedgerScript(stores.ledger);
  const call = ledger.call({ runId });
  await ledger.write(
    [ledger.receipt("tool.call.requested", { runId, callId: call.callId })],
    [{ kind: "call.new", call }],
  );
  const reads = [vi.spyOn(StatementSync.prototype, "all"), vi.spyOn(StatementSync.prototype, "get")];
  onTestFinished(() => reads.forEach((each) => each.mockRestore()));
  const told = async () => {
    reads.forEach((each) => each.mockClear());
    const all = {
      calls: await stores.ledger.callsOfRun(TENANT, runId),
      receipts: await stores.ledger.receipts(TENANT, { runId, limit: 200 }),
      grants: await stores.ledger.grants(TENANT, { live: true, at: 1 }),
      session: await stores.sessions.get(TENANT, sessionId),
      ids: await stores.runs.idsOfSession(TENANT, sessionId, 9),
    };
    const count = reads.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    return { all, count };
  };
  const first = await told();
  expect(first.all).toMatchObject({ calls: [{ callId: call.callId }], receipts: [{}], ids: [runId] });
  const again = await told();
  expect(again.count).toBeLessThan(3);
  stores.rest();
  const afterwards = await told();
  expect(afterwards.all).toEqual(first.all);
  expect(afterwards.count).toBeGreaterThanOrEqual(5);
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
    db.exec(`CREATE TRIGGER late AFTER INSERT ON receipts_by_number WHEN new.type = 'run.finished'
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
