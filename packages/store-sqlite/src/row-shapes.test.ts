import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase, query } from "./database.ts";
import type { ReceiptRow, StoredApproval, StoredCall, StoredGrant } from "./ledger-rows.ts";
import { migrate } from "./migrations.ts";
import type { RunRow } from "./run-rows.ts";
import type { SessionRow } from "./session-rows.ts";

/** What the compiler makes of a row's type, in SQLite's words: another type here does not compile. */
type Kind<T> = T extends string ? "TEXT" : T extends number ? "INTEGER" | "REAL" : never;
type Columns<Row> = {
  readonly [K in keyof Row]-?: null extends Row[K] ? `${Kind<NonNullable<Row[K]>>} or null` : Kind<Row[K]>;
};

const runs: Columns<RunRow> = {
  id: "TEXT",
  seq: "INTEGER",
  session_id: "TEXT",
  status: "TEXT",
  surface: "TEXT",
  model_asked: "TEXT or null",
  model: "TEXT or null",
  attempt: "INTEGER",
  queued_at: "INTEGER",
  started_at: "INTEGER or null",
  ended_at: "INTEGER or null",
  stop_reason: "TEXT or null",
  failure: "TEXT or null",
  input_tokens: "INTEGER",
  output_tokens: "INTEGER",
  cache_read_tokens: "INTEGER",
  cache_write_tokens: "INTEGER",
  usage_estimated: "INTEGER",
  cost_usd: "REAL",
  laps: "INTEGER",
  laps_unpriced: "INTEGER",
  calls: "INTEGER",
  request_hash: "TEXT",
  transcript_offset: "INTEGER or null",
  committed: "INTEGER",
};
const sessions: Columns<SessionRow> = {
  id: "TEXT",
  agent_id: "TEXT",
  title: "TEXT",
  titled_by: "TEXT",
  pinned: "INTEGER",
  created_at: "INTEGER",
  updated_at: "INTEGER",
  message_count: "INTEGER",
  preview: "TEXT",
  deleted_at: "INTEGER or null",
  forked_from: "TEXT or null",
  forked_at_run: "TEXT or null",
  model: "TEXT or null",
  settings: "TEXT or null",
  surface: "TEXT or null",
  archived_at: "INTEGER or null",
  folder: "TEXT or null",
};
const receipts: Columns<ReceiptRow> = {
  tenant: "TEXT",
  seq: "INTEGER",
  id: "TEXT",
  run_id: "TEXT",
  call_id: "TEXT or null",
  type: "TEXT",
  ts: "INTEGER",
  actor: "TEXT",
  surface: "TEXT",
  payload: "TEXT",
  prev_hash: "TEXT",
  hash: "TEXT",
};
const { tenant: _, ...numbered } = receipts;
const calls: Columns<StoredCall> = {
  id: "TEXT",
  run_id: "TEXT",
  session_id: "TEXT",
  tool_id: "TEXT",
  contract_hash: "TEXT",
  risk: "TEXT",
  requested_input: "TEXT",
  executed_input: "TEXT or null",
  idempotency_key: "TEXT",
  state: "TEXT",
  approval_id: "TEXT or null",
  outcome: "TEXT or null",
  target: "TEXT or null",
  count: "INTEGER or null",
  undoes: "TEXT or null",
  created_at: "INTEGER",
  started_at: "INTEGER or null",
  ended_at: "INTEGER or null",
  grant_id: "TEXT or null",
};
const approvals: Columns<StoredApproval> = {
  id: "TEXT",
  call_id: "TEXT",
  run_id: "TEXT",
  session_id: "TEXT",
  tool_id: "TEXT",
  digest: "TEXT",
  card: "TEXT",
  status: "TEXT",
  created_at: "INTEGER",
  expires_at: "INTEGER",
  decision: "TEXT or null",
  decided_by: "TEXT or null",
  decided_at: "INTEGER or null",
  note: "TEXT or null",
  edited_input: "TEXT or null",
  grant_id: "TEXT or null",
};
const grants: Columns<StoredGrant> = {
  id: "TEXT",
  tool_id: "TEXT",
  scope: "TEXT",
  match: "TEXT or null",
  session_id: "TEXT or null",
  contract_hash: "TEXT",
  created_at: "INTEGER",
  expires_at: "INTEGER or null",
  created_by: "TEXT",
  uses: "INTEGER",
  uses_max: "INTEGER or null",
  revoked_at: "INTEGER or null",
  words: "TEXT",
  job: "TEXT or null",
  uses_per_run: "INTEGER or null",
};

let folder: string;
let db: Database;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "elwood-rows-"));
  db = openDatabase(join(folder, "elwood.db"));
  migrate(db, join(folder, "backups"), { clock: new ManualClock(), log: memoryLog() });
});

afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const ofReceipts = {
  receipts_by_tenant: receipts,
  receipts_by_number: { ...numbered, seq: "INTEGER or null" },
};

test.each(Object.entries({ runs, sessions, ...ofReceipts, calls, approvals, grants }))(
  "a row of %s has the type that the table declares, column by column",
  (table, columns) => {
    const declared = db.all(
      query<{ name: string; type: string; required: number }>(
        'SELECT name, type, "notnull" AS required FROM pragma_table_xinfo(?)',
      ),
      table,
    );
    const types = new Map(
      declared.map(({ name, type, required }) => [name, required === 1 ? type : `${type} or null`]),
    );
    expect(Object.fromEntries(Object.keys(columns).map((name) => [name, types.get(name)]))).toEqual(columns);
  },
);
