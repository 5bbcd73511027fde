import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallState } from "@elwood/runtime/ports/gate-ports";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { expect, onTestFinished, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { systemIds } from "@elwood/platform/system";
import { openDatabase } from "./database.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";
import { fewerPages } from "./migrations/0007-fewer-pages.ts";
import { openStores } from "./open-stores.ts";
import { sqliteLedger } from "./sqlite-ledger.ts";
import { receiptsAsBefore } from "./test-receipts-before.ts";

const clock = new ManualClock();
const deps = { clock, log: memoryLog() };
const STATES: readonly CallState[] = [
  "requested",
  "asked",
  "approved",
  "started",
  "succeeded",
  "failed",
  "refused",
  "denied",
  "expired",
  "unknown",
];

/** A database as it was before this step, with a call in every state, approvals and receipts. */
async function before() {
  const home = mkdtempSync(join(tmpdir(), "elwood-pages-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = statePaths(home);
  const db = openDatabase(paths.database);
  const earlier = MIGRATIONS.filter(({ version }) => version < fewerPages.version);
  migrate(db, paths.backups, { ...deps, migrations: earlier });
  // The ledger of today writes these columns too; the step leaves them behind.
  db.exec("ALTER TABLE calls ADD COLUMN number INTEGER; ALTER TABLE calls ADD COLUMN grant_id TEXT");
  const takeBack = receiptsAsBefore(db);
  const ledger = sqliteLedger(db, { clock, ids: systemIds(clock) });
  const script = new LedgerScript(ledger);
  const calls = STATES.map((state) =>
    script.call({ state, ...(state === "started" ? { undoes: "call_1", count: 2, target: "a.txt" } : {}) }),
  );
  const approvals = calls.slice(0, 3).map((call) => script.approval(call));
  for (const call of calls)
    await script.write(
      [script.receipt("tool.call.requested", { callId: call.callId })],
      [{ kind: "call.new", call }],
    );
  const decided = { kind: "approval.decide", approvalId: approvals[0]!.id, at: 5, note: "no" } as const;
  await script.write(
    [],
    [
      ...approvals.map((approval) => ({ kind: "approval.new" as const, approval })),
      { ...decided, status: "denied", decidedBy: { kind: "owner", id: "owner", surface: "web" } },
    ],
  );
  const kept = {
    calls: await ledger.callsOfRun(TENANT, "run_1"),
    approvals: await Promise.all(approvals.map(({ id }) => ledger.approval(TENANT, id))),
    receipts: await ledger.receipts(TENANT, { limit: 100 }),
  };
  takeBack();
  db.close();
  return { paths, kept };
}

test("every call, approval and receipt is there afterwards as it was, and in its order", async () => {
  const { paths, kept } = await before();
  const stores = await openStores({ paths, ...deps });
  onTestFinished(() => stores.close());
  const { ledger } = stores;
  expect(kept.calls).toHaveLength(STATES.length);
  expect(await ledger.callsOfRun(TENANT, "run_1")).toEqual(kept.calls);
  expect(await ledger.startedUndos(TENANT)).toEqual(kept.calls.filter(({ state }) => state === "started"));
  expect(await ledger.approvals(TENANT, { limit: 9 })).toEqual(kept.approvals.toReversed());
  expect(await ledger.approvals(TENANT, { limit: 9, status: "pending" })).toEqual(kept.approvals.slice(1));
  expect(await ledger.receipts(TENANT, { limit: 100 })).toEqual(kept.receipts);
  const script = new LedgerScript(ledger);
  const [next] = await script.write([script.receipt("run.finished")]);
  expect(next).toMatchObject({ seq: STATES.length + 1, prevHash: kept.receipts[0]!.hash });
});

test("what the database refused before it still refuses", async () => {
  const { paths, kept } = await before();
  await (await openStores({ paths, ...deps })).close();
  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  const refused = (sql: string) => expect(() => db.transaction(() => db.run(sql)), sql).toThrow();
  for (const state of ["succeeded", "failed", "refused", "denied", "expired"])
    refused(`UPDATE calls SET state = 'started' WHERE state = '${state}'`);
  refused("UPDATE calls SET state = 'made up' WHERE state = 'requested'");
  refused("UPDATE calls SET risk = 'none'");
  refused("UPDATE approvals SET note = 'yes' WHERE status = 'denied'");
  refused(
    "UPDATE approvals SET status = 'made up', decided_at = 1, decided_by = '{}' WHERE status = 'pending'",
  );
  refused("UPDATE receipts_by_tenant SET ts = 1");
  refused("DELETE FROM receipts_by_tenant");
  const columns = "seq, id, run_id, type, ts, actor, surface, payload, prev_hash, hash";
  const last = kept.receipts[0]!;
  const put = (seq: number, prevHash: string) =>
    refused(`INSERT OR REPLACE INTO receipts_by_number (${columns})
      VALUES (${seq}, 'x', 'r', 'run.started', 1, 'a', 's', '{}', '${prevHash}', 'h')`);
  // The last one once more, by its own hash and by the one before it; the first one again; a gap; nothing to follow.
  put(last.seq, last.hash);
  put(last.seq, last.prevHash);
  put(1, "0".repeat(64));
  put(last.seq + 2, last.hash);
  put(last.seq + 1, "0");
  put(last.seq + 1, "");
});
