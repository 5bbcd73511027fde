import type { CostCap, CostStore } from "@elwood/runtime/ports/governance";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";

interface SumRow {
  readonly used: number;
  readonly held: number;
}

const SUMS = `coalesce(sum(CASE held WHEN 0 THEN cost_usd END), 0) AS used,
  coalesce(sum(CASE held WHEN 1 THEN cost_usd END), 0) AS held`;

/** No cap looks further back than a month, and a run that waits longer for a person is rare. */
const KEPT_MS = 100 * 24 * 60 * 60_000;

export const COST_SQL = {
  ofRun: query<SumRow>(
    `SELECT ${SUMS} FROM held_costs INDEXED BY held_costs_of_run WHERE tenant = ? AND run_id = ?`,
  ),
  since: query<SumRow>(`SELECT ${SUMS} FROM held_costs WHERE tenant = ? AND at >= ?`),
  hold: `INSERT INTO held_costs (tenant, id, run_id, process_id, at, held, cost_usd) VALUES (?, ?, ?, ?, ?, 1, ?)`,
  settle: "UPDATE held_costs SET held = 0, cost_usd = ?3 WHERE tenant = ?1 AND id = ?2",
  /** What was in flight when a process went may have been answered and billed. */
  release: "UPDATE held_costs SET held = 0 WHERE tenant = ? AND held = 1 AND process_id <> ?",
  booked: query<{ cost: number }>(
    "SELECT coalesce(sum(cost_usd), 0) AS cost FROM spent_requests WHERE tenant = ? AND at >= ?",
  ),
  balance: `INSERT INTO held_costs (tenant, id, run_id, process_id, at, held, cost_usd) VALUES (?1, ?2, '', '', ?3, 0, ?4)
    ON CONFLICT DO UPDATE SET cost_usd = cost_usd + ?4`,
  prune: "DELETE FROM held_costs WHERE tenant = ? AND at < ?",
};

/** A power cut may take the last of it; the books of runs and executions say the rest at the next start. */
export function sqliteCosts(db: Database): CostStore {
  const sumOf = (tenant: string, runId: string, { what, since }: CostCap) =>
    (what === "run" ? db.get(COST_SQL.ofRun, tenant, runId) : db.get(COST_SQL.since, tenant, since))!;
  return {
    async begin(tenant, processId, { day, month }) {
      checkTenant(tenant);
      db.unsynced(() => {
        db.run(COST_SQL.prune, tenant, month - KEPT_MS);
        db.run(COST_SQL.release, tenant, processId);
        for (const start of [day, month]) {
          const { used, held } = db.get(COST_SQL.since, tenant, start)!;
          const missing = db.get(COST_SQL.booked, tenant, start)!.cost - used - held;
          if (missing > 0) db.run(COST_SQL.balance, tenant, `balance-${start}`, start, missing);
        }
      });
    },

    async hold(tenant, { id, runId, processId, at, costUsd }, caps) {
      checkTenant(tenant);
      return db.unsynced(() => {
        for (const cap of caps) {
          const { used, held } = sumOf(tenant, runId, cap);
          if (used + held >= cap.capUsd) return { ...cap, usedUsd: used, heldUsd: held };
        }
        db.run(COST_SQL.hold, tenant, id, runId, processId, at, costUsd);
        return undefined;
      });
    },

    async settle(tenant, id, costUsd) {
      checkTenant(tenant);
      db.unsynced(() => db.run(COST_SQL.settle, tenant, id, costUsd));
    },
  };
}
