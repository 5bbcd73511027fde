import { LIMITS, type RunLimits } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { TenantLimits } from "@elwood/core/tenant/tenant-limits";
import type { UsageSummary } from "@elwood/core/protocol/owner-shapes";
import type { Insight, Spent } from "@elwood/store-sqlite/insight";

/** What was used in the last days, by day and model, in the days of the owner's time zone. */
export async function usageSummary(
  deps: {
    readonly insight: Insight;
    readonly localTime: LocalTime;
    readonly limits: RunLimits;
    readonly now: number;
    readonly caps: TenantLimits["costCapUsd"];
  },
  tenant: string,
  { days: count, tenants }: { readonly days: number; readonly tenants: boolean },
): Promise<UsageSummary> {
  const { insight, localTime, limits, now } = deps;
  const starts = dayStarts(localTime, now, count);
  const since = starts[0] ?? now;
  const days = await Promise.all(
    starts.map(async (start, i) => ({
      day: localTime.format(start).slice("Sun ".length, "Sun 2026-11-15".length),
      start,
      models: [...(await insight.usageByModel(tenant, start, starts[i + 1] ?? Number.MAX_SAFE_INTEGER))],
    })),
  );
  const models = await insight.usageByModel(tenant, since, Number.MAX_SAFE_INTEGER);
  const { run, day, month } = deps.caps ?? {};
  const sessions = await insight.usageBySession(tenant, since, LIMITS.usageSessionsMax);
  const today = days.at(-1)?.models ?? [];
  return {
    since,
    timeZone: localTime.timeZone,
    days,
    models: [...models],
    sessions: sessions.map(({ sessionId, ...rest }) => ({
      ...(sessionId === undefined ? {} : { sessionKey: sessionId }),
      ...rest,
    })),
    actions: [...(await insight.usageByAction(tenant, since, LIMITS.usageSessionsMax))],
    profiles: [...(await insight.usageByProfile(tenant, since))],
    ...(tenants ? { tenants: [...(await insight.usageByTenant(since))] } : {}),
    total: models.reduce(sum, NOTHING),
    caps: {
      todayUsd: today.reduce((usd, { costUsd }) => usd + costUsd, 0),
      dayCostUsd: limits.dayCostUsd,
      runCostUsd: limits.costUsd,
      runTokens: limits.tokens,
      ...(deps.caps
        ? {
            tenant: {
              name: tenant,
              ...(run === undefined ? {} : { run }),
              ...(day === undefined ? {} : { day }),
              ...(month === undefined ? {} : { month }),
            },
          }
        : {}),
    },
  };
}

/** Oldest first, today's last. Days of 23 and 25 hours are the zone's to tell. */
function dayStarts(localTime: LocalTime, now: number, count: number): number[] {
  const starts = [localTime.startOfDay(now)];
  while (starts.length < count) starts.unshift(localTime.startOfDay(starts[0]! - 1));
  return starts;
}

const NOTHING: Spent = {
  costUsd: 0,
  tokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  laps: 0,
  unpriced: 0,
};

function sum(a: Spent, b: Spent): Spent {
  return {
    costUsd: a.costUsd + b.costUsd,
    tokens: a.tokens + b.tokens,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    laps: a.laps + b.laps,
    unpriced: a.unpriced + b.unpriced,
  };
}
