import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { activityOf } from "@elwood/core/tool/activity";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { expect, onTestFinished, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { systemIds } from "@elwood/platform/system";
import { openDatabase } from "./database.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";
import { callNumbers } from "./migrations/0010-call-numbers.ts";
import { openStores } from "./open-stores.ts";
import { sqliteLedger } from "./sqlite-ledger.ts";
import { receiptsAsBefore } from "./test-receipts-before.ts";

const clock = new ManualClock();
const deps = { clock, log: memoryLog() };

/** A database from before calls were numbered: two sessions, one with two runs. */
async function before() {
  const home = mkdtempSync(join(tmpdir(), "elwood-numbers-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = statePaths(home);
  const db = openDatabase(paths.database);
  const earlier = MIGRATIONS.filter(({ version }) => version < callNumbers.version);
  migrate(db, paths.backups, { ...deps, migrations: earlier });
  const takeBack = receiptsAsBefore(db);
  const ledger = sqliteLedger(db, { clock, ids: systemIds(clock) });
  const script = new LedgerScript(ledger);
  const columns = `tenant, id, run_id, session_id, tool_id, contract_hash, risk, requested_input, idempotency_key,
    state, created_at`;
  const made = async (callId: string, runId: string, sessionId: string, at: number) => {
    db.transaction(() =>
      db.run(
        `INSERT INTO calls (${columns}) VALUES (?, ?, ?, ?, 'a.b.c', 'h', 'write', '{}', ?, 'succeeded', ?)`,
        TENANT,
        callId,
        runId,
        sessionId,
        callId,
        at,
      ),
    );
    const about = { callId, runId, payload: { toolId: "a.b.c", risk: "write" } };
    await script.write([
      script.receipt("tool.call.requested", about),
      script.receipt("tool.call.succeeded", about),
    ]);
  };
  await made("a", "run_1", "ses_1", 1);
  await made("b", "run_1", "ses_1", 2);
  await made("other", "run_3", "ses_2", 2);
  await made("c", "run_2", "ses_1", 2);
  takeBack();
  db.close();
  return paths;
}

test("calls from before keep the numbers of their run, and new ones come after all of them", async () => {
  const paths = await before();
  const stores = await openStores({ paths, ...deps });
  onTestFinished(() => stores.close());
  const { ledger } = stores;
  const cites = async (runId: string) =>
    activityOf(await ledger.receipts(TENANT, { runId, limit: 50 })).map((item) => item.cite);
  expect(await cites("run_1")).toEqual(["c1", "c2"]);
  expect(await cites("run_2")).toEqual(["c1"]);
  const script = new LedgerScript(ledger);
  // It was going on when the gateway was brought up to date.
  await script.allowed({ runId: "run_2", callId: "d" });
  await script.allowed({ runId: "run_4", sessionId: "ses_2", callId: "e" });
  expect(await cites("run_2")).toEqual(["c1", "c4"]);
  expect(await cites("run_4")).toEqual(["c2"]);
  const told = await ledger.callsOfSession(TENANT, "ses_1", { through: "run_2", limit: 9 });
  expect(told.map(({ number, callId }) => [number, callId])).toEqual([
    [1, "a"],
    [2, "b"],
    [3, "c"],
    [4, "d"],
  ]);
});

test("the database gives no number twice, and changes none", async () => {
  const paths = await before();
  await (await openStores({ paths, ...deps })).close();
  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  const refused = (sql: string) => expect(() => db.transaction(() => db.run(sql)), sql).toThrow();
  refused("UPDATE calls SET number = 9 WHERE id = 'a'");
  const columns = `tenant, id, run_id, session_id, tool_id, contract_hash, risk, requested_input, idempotency_key,
    state, created_at, number`;
  refused(`INSERT INTO calls (${columns})
    VALUES ('default', 'x', 'r', 'ses_1', 't', 'h', 'read', '{}', 'k', 'started', 1, 3)`);
});

/** Two processes on one state directory, and how often each asks the database for something. */
async function twoProcesses() {
  const home = mkdtempSync(join(tmpdir(), "elwood-numbers-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = statePaths(home);
  const ids = systemIds(clock);
  const process = () => {
    const db = openDatabase(paths.database);
    onTestFinished(() => db.close());
    migrate(db, paths.backups, deps);
    const asked: string[] = [];
    const counted: typeof db = {
      ...db,
      get: (sql, ...params) => {
        asked.push(sql);
        return db.get(sql, ...params);
      },
    };
    const script = new LedgerScript(sqliteLedger(counted, { clock, ids }));
    const add = async (sessionId = "ses_1", runId = "run_1") => {
      const call = script.call({ callId: ids.next("call"), sessionId, runId, state: "started" });
      const receipt = script.receipt("tool.call.requested", { callId: call.callId, runId });
      const [written] = await script.write([receipt], [{ kind: "call.new", call }]);
      return { call, number: written?.payload["number"] };
    };
    return { ledger: script.ledger, script, add, asked };
  };
  return { one: process(), other: process() };
}

test("a number that another process took is asked for again, and none is given twice", async () => {
  const { one, other } = await twoProcesses();
  const numbers = [];
  for (const process of [one, one, other, one, other, other, one]) numbers.push((await process.add()).number);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect((await one.add("ses_2")).number).toBe(1);
});

test("a call that was refused leaves its number to the next one", async () => {
  const { one } = await twoProcesses();
  const { call } = await one.add();
  const again = await one.ledger.write(TENANT, { receipts: [], changes: [{ kind: "call.new", call }] });
  expect(again).toEqual({ ok: false, error: { refused: "call.new" } });
  const fresh = { ...call, callId: "call_fresh" };
  const gone = { kind: "grant.use", grantId: "none", runId: "run_1", at: 1 } as const;
  const refused = await one.ledger.write(TENANT, {
    receipts: [],
    changes: [{ kind: "call.new", call: fresh }, gone],
  });
  expect(refused).toEqual({ ok: false, error: { refused: "grant.use" } });
  expect((await one.add()).number).toBe(2);
});

test("the second call of a session, and the end of any, ask the database for nothing first", async () => {
  const { one } = await twoProcesses();
  await one.add();
  one.asked.length = 0;
  const { call } = await one.add();
  const move = { kind: "call.move", callId: call.callId, from: ["started"], to: "succeeded", at: 1 } as const;
  await one.script.write([one.script.receipt("tool.call.succeeded", { callId: call.callId })], [move]);
  expect(one.asked).toEqual([]);
});

test("a call of another process is moved with what is kept of its run", async () => {
  const { one, other } = await twoProcesses();
  const { call } = await one.add("ses_1", "run_7");
  expect(await other.ledger.callsOfRun(TENANT, "run_7")).toMatchObject([{ state: "started" }]);
  const move = { kind: "call.move", callId: call.callId, from: ["started"], to: "failed", at: 1 } as const;
  await other.script.write([], [move]);
  expect(await other.ledger.callsOfRun(TENANT, "run_7")).toMatchObject([{ state: "failed" }]);
  const unknown = { ...move, callId: "call_nobody" };
  const refused = await other.ledger.write(TENANT, { receipts: [], changes: [unknown] });
  expect(refused).toEqual({ ok: false, error: { refused: "call.move" } });
});

test("whether a call is new is asked of the database once, and of nobody while calls are made", async () => {
  const { one, other } = await twoProcesses();
  const { ledger } = one;
  const first = await other.add();
  expect(ledger.isUnheardOf?.(TENANT, first.call.callId)).toBe(false);
  expect(ledger.isUnheardOf?.("other", first.call.callId)).toBe(true);
  one.asked.length = 0;
  const later = `${first.call.callId}.1`;
  expect(ledger.isUnheardOf?.(TENANT, later)).toBe(true);
  await one.script.write([], [{ kind: "call.new", call: { ...first.call, callId: later } }]);
  expect(ledger.isUnheardOf?.(TENANT, later)).toBe(false);
  expect(ledger.isUnheardOf?.(TENANT, first.call.callId)).toBe(false);
  expect(ledger.isUnheardOf?.(TENANT, `${later}.1`)).toBe(true);
  expect(one.asked.filter((sql) => sql.includes("ORDER BY id DESC"))).toEqual([]);
});

test("a call that another process wrote meanwhile is refused as new, and known from then on", async () => {
  const { one, other } = await twoProcesses();
  const { call: first } = await one.add();
  const call = { ...first, callId: `${first.callId}.1` };
  expect(one.ledger.isUnheardOf?.(TENANT, call.callId)).toBe(true);
  await other.script.write([], [{ kind: "call.new", call }]);
  const again = await one.ledger.write(TENANT, { receipts: [], changes: [{ kind: "call.new", call }] });
  expect(again).toEqual({ ok: false, error: { refused: "call.new" } });
  expect(one.ledger.isUnheardOf?.(TENANT, call.callId)).toBe(false);
});
