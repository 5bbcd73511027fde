import { readStored } from "./stored-json.ts";
import { fail } from "@elwood/core/base/failure";
import type { ProgramJournal, ProgramStart, ProgramStep } from "@elwood/runtime/ports/program-journal";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";

interface ProgramRow {
  readonly call_id: string;
  readonly run_id: string;
  readonly started_at: number;
  readonly seed: string;
  readonly javascript: string;
  readonly tool_ids: string;
  readonly source_hash: string;
  readonly declarations_hash: string;
}

interface StepRow {
  readonly idx: number;
  readonly kind: ProgramStep["kind"];
  readonly request_hash: string;
  readonly at: number;
  readonly settle_order: number | null;
  readonly settled_at: number | null;
  readonly result: string | null;
}

export const PROGRAM_SQL = {
  begin: `INSERT INTO programs (tenant, call_id, run_id, started_at, seed, javascript, tool_ids, source_hash,
      declarations_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  find: query<ProgramRow>("SELECT * FROM programs WHERE tenant = ? AND call_id = ?"),
  steps: query<StepRow>("SELECT * FROM program_steps WHERE tenant = ? AND call_id = ? ORDER BY idx"),
  intend: `INSERT INTO program_steps (tenant, call_id, idx, kind, request_hash, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  // The next number and no other: there are no gaps and no doubles.
  settle: `UPDATE program_steps SET settle_order = ?4, settled_at = ?5, result = ?6
    WHERE tenant = ?1 AND call_id = ?2 AND idx = ?3 AND settle_order IS NULL AND ?4 =
      (SELECT count(*) FROM program_steps WHERE tenant = ?1 AND call_id = ?2 AND settle_order IS NOT NULL)`,
  drop: "DELETE FROM programs WHERE tenant = ? AND call_id = ?",
  held: query<{ call_id: string }>("SELECT call_id FROM programs WHERE tenant = ? ORDER BY call_id"),
};

export function sqlitePrograms(db: Database): ProgramJournal {
  const find = (tenant: string, callId: string) => {
    const row = db.get(PROGRAM_SQL.find, tenant, callId);
    return row && { start: toStart(row), steps: db.all(PROGRAM_SQL.steps, tenant, callId).map(toStep) };
  };
  return {
    async begin(tenant, start) {
      checkTenant(tenant);
      const { callId, runId, startedAt, seed, javascript, toolIds, sourceHash, declarationsHash } = start;
      db.transaction(() =>
        db.run(
          PROGRAM_SQL.begin,
          tenant,
          callId,
          runId,
          startedAt,
          seed,
          javascript,
          JSON.stringify(toolIds),
          sourceHash,
          declarationsHash,
        ),
      );
      return find(tenant, callId) ?? fail("INTERNAL", "A program that was written down is not there.");
    },

    async find(tenant, callId) {
      checkTenant(tenant);
      return find(tenant, callId);
    },

    async intend(tenant, callId, { index, kind, requestHash, at }) {
      checkTenant(tenant);
      if (!db.get(PROGRAM_SQL.find, tenant, callId)) fail("NOT_FOUND", `There is no program ${callId}.`);
      const added = db.transaction(() =>
        db.run(PROGRAM_SQL.intend, tenant, callId, index, kind, requestHash, at),
      );
      if (added === 0) fail("CONFLICT", "This request of the program was written down before.");
    },

    async settle(tenant, callId, { index, order, at, result }) {
      checkTenant(tenant);
      const settled = db.transaction(() =>
        db.run(PROGRAM_SQL.settle, tenant, callId, index, order, at, JSON.stringify(result)),
      );
      if (settled === 0)
        fail("CONFLICT", "This answer cannot be written down: it is there, or out of order.");
    },

    async drop(tenant, callId) {
      checkTenant(tenant);
      db.transaction(() => db.run(PROGRAM_SQL.drop, tenant, callId));
    },

    async held(tenant) {
      checkTenant(tenant);
      return db.all(PROGRAM_SQL.held, tenant).map((row) => row.call_id);
    },
  };
}

function toStart(row: ProgramRow): ProgramStart {
  return {
    callId: row.call_id,
    runId: row.run_id,
    startedAt: row.started_at,
    seed: row.seed,
    javascript: row.javascript,
    toolIds: readStored("toolIds", row.tool_ids, `The program of call ${row.call_id}`),
    sourceHash: row.source_hash,
    declarationsHash: row.declarations_hash,
  };
}

function toStep(row: StepRow): ProgramStep {
  const { idx, kind, request_hash, at, settle_order, settled_at, result } = row;
  const step = { index: idx, kind, requestHash: request_hash, at };
  if (settle_order === null || settled_at === null || result === null) return step;
  return {
    ...step,
    settled: {
      order: settle_order,
      at: settled_at,
      result: readStored("callResult", result, `Step ${idx} of a program`),
    },
  };
}
