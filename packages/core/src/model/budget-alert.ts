/** From these shares of what may be spent on, the owner is told. */
export const BUDGET_ALERT_PERCENTS = [50, 80, 100] as const;

export interface BudgetAlert {
  readonly percent: (typeof BUDGET_ALERT_PERCENTS)[number];
  readonly shown: { readonly severity: "error" | "warning" | "info"; readonly text: string };
}

/** The highest mark that was reached; none below the first, and none where there is no limit. */
export function budgetAlert(spentUsd: number, capUsd: number): BudgetAlert | undefined {
  return alertOf(spentUsd, capUsd, (percent, used) => {
    const of = `${used} for today`;
    return percent === 100
      ? `The limit for a day is used up (${of}). Nothing is asked of a model that costs until midnight; limits.dayCostUsd sets it.`
      : `${percent} % of the limit for a day is used (${of}).`;
  });
}

/** The same for what a tenant may spend. */
export function tenantBudgetAlert(
  tenant: string,
  what: "day" | "month",
  spentUsd: number,
  capUsd: number,
): BudgetAlert | undefined {
  return alertOf(spentUsd, capUsd, (percent, used) =>
    percent === 100
      ? `The tenant ${tenant} has used up what it may spend in a ${what} (${used}). Its requests are refused; tenants.${tenant}.costCapUsd.${what} sets it.`
      : `The tenant ${tenant} has used ${percent} % of what it may spend in a ${what} (${used}).`,
  );
}

function alertOf(
  spentUsd: number,
  capUsd: number,
  text: (percent: BudgetAlert["percent"], used: string) => string,
): BudgetAlert | undefined {
  const percent =
    capUsd > 0 ? BUDGET_ALERT_PERCENTS.findLast((mark) => spentUsd * 100 >= capUsd * mark) : undefined;
  if (percent === undefined) return undefined;
  const severity = percent === 100 ? "error" : percent === 80 ? "warning" : "info";
  return {
    percent,
    shown: { severity, text: text(percent, `$${spentUsd.toFixed(2)} of $${capUsd.toFixed(2)}`) },
  };
}
