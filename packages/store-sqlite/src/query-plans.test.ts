import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BLOB_SQL } from "./file-blobs.ts";
import { type Database, openDatabase, query } from "./database.ts";
import { approvalListQuery, LEDGER_SQL, receiptsAfter } from "./ledger-sql.ts";
import { LIST_SQL } from "./list-receipts.ts";
import { migrate } from "./migrations.ts";
import { JOB_SQL } from "./sqlite-jobs.ts";
import { COST_SQL } from "./sqlite-costs.ts";
import { INSIGHT_SQL } from "./sqlite-insight.ts";
import { LOG_SQL } from "./receipt-log.ts";
import { ERASE_SQL } from "./erase-sql.ts";
import { RUN_SQL, runListQuery } from "./run-sql.ts";
import { TREE_SQL } from "./run-tree-rows.ts";
import { MESSAGE_SEARCH_SQL } from "./message-search.ts";
import { CHANNEL_SQL } from "./sqlite-channels.ts";
import { SESSION_SQL } from "./sqlite-sessions.ts";
import { TOKEN_SQL } from "./sqlite-tokens.ts";

let folder: string;
let db: Database;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "elwood-plans-"));
  db = openDatabase(join(folder, "elwood.db"));
  migrate(db, join(folder, "backups"), { clock: new ManualClock(), log: memoryLog() });
});

afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

function planOf(sql: string): string[] {
  return db.all(query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)).map((row) => row.detail);
}

/** Few by their nature, so that sorting them costs nothing. */
const FEW = true;

test.each<[string, string, string, boolean?]>([
  ["sessions", SESSION_SQL.list, "INDEX sessions_live (tenant=?"],
  ["sessions in folders", SESSION_SQL.listFiled, "INDEX sessions_filed (tenant=?"],
  ["the list of the trash", SESSION_SQL.listDeleted, "INDEX sessions_trash (tenant=?"],
  ["sessions in the trash", SESSION_SQL.trashed, "INDEX sessions_trash (tenant=?"],
  ["repeated requests", RUN_SQL.byKey, "INDEX runs_request (tenant=? AND session_id=? AND idempotency_key=?"],
  ["unfinished runs", RUN_SQL.unfinished, "INDEX runs_open (tenant=?", FEW],
  ["unfinished runs of a session", RUN_SQL.unfinishedOfSession, "INDEX runs_open (tenant=? AND session_id=?"],
  ["uncommitted runs", RUN_SQL.uncommitted, "INDEX runs_open (tenant=?", FEW],
  [
    "uncommitted runs of a session",
    RUN_SQL.uncommittedOfSession,
    "INDEX runs_open (tenant=? AND session_id=?",
    FEW,
  ],
  ["sessions in which something is going on", ERASE_SQL.going, "COVERING INDEX runs_open (tenant=?"],
  ["runs", runListQuery("t", { limit: 1 }).query, "INDEX runs_recent (tenant=? AND seq<?"],
  [
    "runs of a session",
    runListQuery("t", { limit: 1, sessionId: "s" }).query,
    "INDEX runs_of_session (tenant=? AND session_id=?",
  ],
  [
    "ids of a session's runs",
    RUN_SQL.idsOfSession,
    "COVERING INDEX runs_of_session (tenant=? AND session_id=?",
  ],
  ["versions", TREE_SQL.tree, "INDEX run_tree_in_order (tenant=? AND session_id=?"],
  [
    "runs that are not shown",
    TREE_SQL.hidden,
    "COVERING INDEX run_tree_shown (tenant=? AND session_id=? AND shown=?",
  ],
  [
    "runs that failed",
    runListQuery("t", { limit: 1, status: "failed" }).query,
    "INDEX runs_gone_wrong (tenant=? AND status=? AND seq<?",
  ],
  [
    "runs that wait",
    runListQuery("t", { limit: 1, status: "waiting" }).query,
    "INDEX runs_open (tenant=?",
    FEW,
  ],
  [
    "runs that went well, which nearly all did",
    runListQuery("t", { limit: 1, status: "done" }).query,
    "INDEX runs_recent (tenant=? AND seq<?",
  ],
  [
    "what is owed about a subject",
    CHANNEL_SQL.about,
    "INDEX outbox_by_subject (tenant=? AND kind=? AND subject=?",
  ],
  ["the next message for a chat", CHANNEL_SQL.next, "INDEX outbox_next (tenant=? AND channel=? AND chat=?"],
  ["what is not settled", CHANNEL_SQL.unsettled, "INDEX outbox_unsettled (tenant=?", FEW],
  ["what is not closed", CHANNEL_SQL.unclosed, "INDEX outbox_unclosed (tenant=?"],
  ["the item of a message", CHANNEL_SQL.ofMessage, "PRIMARY KEY (tenant=? AND channel=? AND chat=?"],
  ["tokens by their hash", TOKEN_SQL.byHash, "INDEX sqlite_autoindex_tokens_2 (tenant=? AND hash=?"],
  ["blobs by their content", BLOB_SQL.bySha, "INDEX sqlite_autoindex_blobs_2 (tenant=? AND sha256=?"],
  ["blocks of receipts", LEDGER_SQL.blockBefore, "PRIMARY KEY (tenant=? AND kind=? AND name=? AND block<?"],
  ["the last checkpoint", LOG_SQL.lastCheckpoint, "PRIMARY KEY (tenant=?"],
  ["the checkpoint over a receipt", LOG_SQL.checkpointOver, "PRIMARY KEY (tenant=? AND size>?"],
  ["calls of a run", LEDGER_SQL.callsOfRun, "INDEX calls_of_run (tenant=? AND run_id=?"],
  ["started calls that take something back", LEDGER_SQL.startedUndos, "INDEX calls_taking_back (tenant=?"],
  ["overdue approvals", LEDGER_SQL.overdue, "INDEX approvals_waiting (tenant=?", FEW],
  ["the next expiry", LEDGER_SQL.nextExpiry, "INDEX approvals_waiting (tenant=?"],
  ["approvals", approvalListQuery("t", { limit: 1 }).query, "INDEX sqlite_autoindex_approvals_1 (tenant=?"],
  [
    "approvals that wait",
    approvalListQuery("t", { limit: 1, status: "pending" }).query,
    "INDEX approvals_waiting (tenant=?",
    FEW,
  ],
  [
    "approvals of a session",
    approvalListQuery("t", { limit: 1, sessionId: "s", status: "denied" }).query,
    "INDEX sqlite_autoindex_approvals_1 (tenant=?",
  ],
  ["due jobs", JOB_SQL.due, "INDEX jobs_due (tenant=? AND fire_at>? AND fire_at<?"],
  ["the next job", JOB_SQL.nextFire, "COVERING INDEX jobs_due (tenant=?"],
  ["jobs by their name", JOB_SQL.find, "INDEX jobs_by_name (tenant=? AND folded=?"],
  ["due times that are open", JOB_SQL.open, "INDEX occurrences_open (tenant=?"],
  ["due times", JOB_SQL.history, "INDEX sqlite_autoindex_occurrences_1 (tenant=? AND seq<?"],
  ["due times of a job", JOB_SQL.historyOfJob, "INDEX occurrences_of_job (tenant=? AND job_id=? AND seq<?"],
  ["grants", LEDGER_SQL.grants, "INDEX grants_recent (tenant=?"],
  ["grants that stand", LEDGER_SQL.liveGrants, "INDEX grants_standing (tenant=?"],
])("%s are found by an index, and are in order there", (_, sql, index, few = false) => {
  const [search, ...rest] = planOf(sql);
  expect(search).toMatch(/^SEARCH /);
  expect(search).toContain(`USING ${index}`);
  // Looking whether a version is shown is a look at one row, and sorts nothing.
  const more = rest.filter((step) => !/CORRELATED SCALAR SUBQUERY|SEARCH h USING PRIMARY KEY/.test(step));
  expect(more).toEqual(few ? ["USE TEMP B-TREE FOR ORDER BY"] : []);
});

test.each([
  ["claim", RUN_SQL.claim],
  ["accept", RUN_SQL.accept],
  ["steps", RUN_SQL.steps],
  ["addStep", RUN_SQL.addStep],
  ["end", RUN_SQL.end],
  ["commit", RUN_SQL.commit],
  ["addReceipt", LEDGER_SQL.addReceipt],
  ["addNumberedReceipt", LEDGER_SQL.addNumberedReceipt],
  ["moveCall", LEDGER_SQL.moveCall],
  ["decideApproval", LEDGER_SQL.decideApproval],
  ["useGrant", LEDGER_SQL.useGrant],
  ["lastDoc", MESSAGE_SEARCH_SQL.lastDoc],
  ["searchIndex", MESSAGE_SEARCH_SQL.searchIndex],
  ["searchPending", MESSAGE_SEARCH_SQL.searchPending],
])("the turn's own statements read no whole table: %s", (_, sql) => {
  const scans = planOf(sql).filter((step) => step.startsWith("SCAN") && !step.includes("VIRTUAL TABLE"));
  expect(scans).toEqual([]);
});

test("calls of a session are found by their numbers, and are in order there", () => {
  const plan = planOf(LEDGER_SQL.callsOfSession);
  expect(plan[0]).toBe("SEARCH calls USING INDEX calls_of_session (tenant=? AND session_id=? AND number<?)");
  expect(plan.join("\n")).toContain("SEARCH calls USING INDEX calls_of_run (tenant=? AND run_id=?)");
  expect(plan.join("\n")).not.toMatch(/TEMP B-TREE|SCAN calls/);
});

test("how runs began, and which of them made calls, is found run by run", () => {
  const openings = planOf(RUN_SQL.openings).join("\n");
  for (const of of ["s", "next"])
    expect(openings).toContain(
      `SEARCH ${of} USING INDEX sqlite_autoindex_steps_1 (tenant=? AND run_id=? AND n=?)`,
    );
  expect(planOf(RUN_SQL.inbounds).join("\n")).toContain(
    "SEARCH s USING INDEX sqlite_autoindex_steps_1 (tenant=? AND run_id=? AND n=?)",
  );
  expect(planOf(RUN_SQL.forkedOpenings).join("\n")).toContain(
    "SEARCH f USING INDEX forked_runs_by_run (tenant=? AND run_id=?)",
  );
  expect(planOf(LEDGER_SQL.runsWithCalls).join("\n")).toContain(
    "SEARCH calls EXISTS USING COVERING INDEX calls_of_run (tenant=? AND run_id=?)",
  );
});

test("the place of a run is found by looks at single rows", () => {
  const last = "SEARCH runs USING COVERING INDEX runs_of_session (tenant=? AND session_id=?)";
  expect(planOf(RUN_SQL.lastPlace).join("\n")).toContain(last);
  const own = planOf(RUN_SQL.placeOf);
  expect(own[0]).toBe("SEARCH runs USING PRIMARY KEY (tenant=? AND id=?)");
  expect(own.join("\n")).toContain(last);
  const copied = planOf(RUN_SQL.placeOfForked);
  expect(copied[0]).toBe("SEARCH forked_runs USING INDEX forked_runs_by_run (tenant=? AND run_id=?)");
});

test("whether something was undone is looked for among the new calls of a session only", () => {
  expect(planOf(LEDGER_SQL.undosAfter)).toEqual([
    "SEARCH calls USING INDEX calls_of_session (tenant=? AND session_id=? AND number>?)",
  ]);
});

test("a new call's number, and whether it is new, are found by the index alone", () => {
  expect(planOf(LEDGER_SQL.newestCall)).toEqual([
    "SEARCH calls USING COVERING INDEX sqlite_autoindex_calls_1 (tenant=?)",
  ]);
  expect(planOf(LEDGER_SQL.lastNumber).join("\n")).toContain(
    "SEARCH calls USING COVERING INDEX calls_of_session (tenant=? AND session_id=?)",
  );
});

test("how far receipts are listed is found by two looks, and a block is listed out of its own receipts", () => {
  expect(planOf(LIST_SQL.ends).filter((step) => !/SCALAR SUBQUERY|CONSTANT ROW/.test(step))).toEqual([
    "MERGE (UNION ALL)",
    "LEFT",
    "SEARCH receipts_by_tenant USING COVERING INDEX sqlite_autoindex_receipts_by_tenant_1 (tenant=?)",
    "RIGHT",
    "SCAN receipts_by_number",
    "SEARCH receipt_blocks USING PRIMARY KEY (tenant=? AND kind=? AND name=?)",
  ]);
  const { ids, runs, calls, tools, types } = LIST_SQL;
  for (const sql of [ids, runs, calls, tools, types]) {
    const plan = planOf(sql).join("\n");
    for (const search of BETWEEN_NUMBERS) expect(plan).toContain(search);
  }
});

test("receipts of some calls are found by the blocks that are listed for them", () => {
  expect(planOf(LEDGER_SQL.blocksOfCalls)).toContain(
    "SEARCH b USING PRIMARY KEY (tenant=? AND kind=? AND name=?)",
  );
});

test("salts are found by their commitments", () => {
  expect(planOf(LEDGER_SQL.salts)[0]).toBe("SEARCH bodies USING PRIMARY KEY (tenant=? AND commitment=?)");
});

test("calls about files are found by their session, and by their run", () => {
  expect(planOf(INSIGHT_SQL.fileCalls)).toEqual([
    expect.stringMatching(/^SEARCH r USING .*INDEX runs_of_session \(tenant=\? AND session_id=\?\)/),
    expect.stringMatching(/^SEARCH c USING INDEX calls_of_run \(tenant=\? AND run_id=\?/),
    "USE TEMP B-TREE FOR ORDER BY",
  ]);
});

test("calls that came to nothing are counted by their run", () => {
  expect(planOf(INSIGHT_SQL.notDone)).toContainEqual(
    expect.stringMatching(/^SEARCH c USING INDEX calls_of_run \(tenant=\? AND run_id=\?/),
  );
});

/** Of both tables that the log is made of. */
const BETWEEN_NUMBERS = [
  "SEARCH receipts_by_tenant USING INDEX sqlite_autoindex_receipts_by_tenant_1 (tenant=? AND seq>? AND seq<?)",
  "SEARCH receipts_by_number USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
];

test.each([
  ["a page", receiptsAfter("t", 0, { before: 9 }).query],
  ["a run in a block", receiptsAfter("t", 64, { before: 129, runId: "r" }).query],
  ["a tool", receiptsAfter("t", 64, { before: 129, toolId: "a.b.c" }).query],
  ["types", receiptsAfter("t", 64, { before: 129, types: ["run.started", "run.finished"] }).query],
  ["a time", receiptsAfter("t", 0, { before: 9, since: 1, until: 2 }).query],
  ["some calls", LEDGER_SQL.receiptsOfCalls],
  ["pages of the log", LOG_SQL.page],
  ["hashes", LOG_SQL.hashes],
])("receipts of %s are found by their numbers, and are in order there", (_, sql) => {
  const plan = planOf(sql).join("\n");
  for (const search of BETWEEN_NUMBERS) expect(plan).toContain(search);
  expect(plan).not.toMatch(/TEMP B-TREE FOR ORDER|SCAN receipts/);
});

test("the last receipt is the last of either table, and nothing is sorted for it", () => {
  expect(planOf(LEDGER_SQL.head)).toEqual([
    "MERGE (UNION ALL)",
    "LEFT",
    "SEARCH receipts_by_tenant USING INDEX sqlite_autoindex_receipts_by_tenant_1 (tenant=?)",
    "RIGHT",
    // From its end, and no further than the first.
    "SCAN receipts_by_number",
  ]);
});

test("a search goes through the index newest first, without sorting", () => {
  expect(planOf(MESSAGE_SEARCH_SQL.searchIndex).join("\n")).not.toMatch(/TEMP B-TREE/);
});

test.each([
  ["what was spent since a moment", RUN_SQL.spentSince],
  ["what was spent by model", INSIGHT_SQL.byModel],
  ["what was spent by action", INSIGHT_SQL.byAction],
  ["what was spent by profile", INSIGHT_SQL.byProfile],
  ["what a tenant spent by its books", COST_SQL.booked],
])("%s is found by the indexes of runs and of executions", (_, sql) => {
  const plan = planOf(sql).join("\n");
  expect(plan).not.toMatch(/SCAN (usage|executions)/);
  expect(plan).toMatch(/SEARCH executions USING INDEX executions_by_time \(tenant=\? AND started_at/);
});

test("what requests hold is summed up by an index", () => {
  expect(planOf(COST_SQL.since)[0]).toContain("INDEX held_costs_by_time (tenant=? AND at>?");
  expect(planOf(COST_SQL.ofRun)[0]).toContain("INDEX held_costs_of_run (tenant=? AND run_id=?");
});
