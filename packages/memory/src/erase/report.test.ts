import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { statePaths } from "@elwood/platform/state-paths";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { expect, onTestFinished, test } from "vitest";
import { remainsOf } from "./report.ts";

const FOUND = { files: 1, bytes: 1, found: [{ path: "elwood.db", times: 1 }], unread: [] };

test("what stands in the signed log alone is told as that, in whichever of its tables it is", async () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-report-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = statePaths(home);
  await (await openStores({ paths, clock: new ManualClock(), log: memoryLog() })).close();
  const db = new DatabaseSync(paths.database);
  const ofLog = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'receipts*' OR name = 'checkpoints'",
    )
    .all()
    .map(({ name }) => String(name));
  db.close();
  expect(ofLog.toSorted()).toEqual(["checkpoints", "receipts_by_number", "receipts_by_tenant"]);
  for (const table of ofLog)
    expect(remainsOf(FOUND, [{ table, rows: 1 }])).toMatchObject([
      { why: "in receipts, which can neither be changed nor removed" },
    ]);
  expect(remainsOf(FOUND, [{ table: "steps", rows: 2 }])).toMatchObject([
    { why: "in rows that were not to go: steps (2)" },
  ]);
});
