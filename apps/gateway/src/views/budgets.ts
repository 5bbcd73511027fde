import {
  BUDGET_ALERT_PERCENTS,
  budgetAlert,
  tenantBudgetAlert,
  type BudgetAlert,
} from "@elwood/core/model/budget-alert";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { TenantLimits } from "@elwood/core/tenant/tenant-limits";
import type { Clock, RunStore } from "@elwood/runtime/ports/ports";

export interface BudgetDeps {
  readonly runs: Pick<RunStore, "spentSince">;
  /** What a tenant spent since a moment, by whatever it asked. */
  readonly spent: (tenant: string, since: number) => Promise<{ readonly costUsd: number }>;
  /** Of the owner of the installation. */
  readonly owner: string;
  /** What a day may cost. */
  readonly dayCostUsd: number;
  /** What the owner set for tenants, by name. */
  readonly tenants: Readonly<Record<string, TenantLimits>>;
  readonly localTime: LocalTime;
  readonly clock: Pick<Clock, "now">;
}

/** How much of what may be spent is spent. */
export interface Budget {
  readonly tenant: string;
  readonly what: "day" | "month";
  readonly spentUsd: number;
  readonly capUsd: number;
  /** The highest mark that was reached, under a name that is its own; undefined below the first. */
  readonly alert?: BudgetAlert & { readonly id: string };
}

/** What the owner and the tenants may spend in a day or a month, and how far it has come. */
export class Budgets {
  readonly #deps: BudgetDeps;

  constructor(deps: BudgetDeps) {
    this.#deps = deps;
  }

  /** Those of one tenant; of the owner, the day. */
  async of(tenant: string): Promise<readonly Budget[]> {
    const { runs, spent, owner, dayCostUsd, tenants, localTime, clock } = this.#deps;
    const now = clock.now();
    const day = localTime.startOfDay(now);
    if (tenant === owner) {
      const { costUsd } = await runs.spentSince(tenant, day);
      const budget = { tenant, what: "day", spentUsd: costUsd, capUsd: dayCostUsd } as const;
      return [withAlert(budget, `budget:${day}`, budgetAlert(costUsd, dayCostUsd))];
    }
    const caps = Object.hasOwn(tenants, tenant) ? (tenants[tenant]?.costCapUsd ?? {}) : {};
    const found: Budget[] = [];
    for (const [what, since] of [
      ["day", day],
      ["month", localTime.startOfMonth(now)],
    ] as const) {
      const capUsd = caps[what];
      if (capUsd === undefined) continue;
      const { costUsd: spentUsd } = await spent(tenant, since);
      const alert = tenantBudgetAlert(tenant, what, spentUsd, capUsd);
      found.push(withAlert({ tenant, what, spentUsd, capUsd }, `budget:${tenant}:${what}:${since}`, alert));
    }
    return found;
  }
}

function withAlert(budget: Budget, id: string, alert: BudgetAlert | undefined): Budget {
  return alert ? { ...budget, alert: { ...alert, id: `${id}:${alert.percent}` } } : budget;
}

/** How much can be spent until the next mark; infinity where none is left. */
export function roomUsd({ spentUsd, capUsd }: Pick<Budget, "spentUsd" | "capUsd">): number {
  const next = BUDGET_ALERT_PERCENTS.find((mark) => spentUsd * 100 < capUsd * mark);
  return next === undefined ? Number.POSITIVE_INFINITY : (capUsd * next) / 100 - spentUsd;
}
