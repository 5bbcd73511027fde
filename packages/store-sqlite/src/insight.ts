import type { Place } from "@elwood/core/base/cursor";

/** What was used in some time: tokens, money, questions to a model. */
export interface Spent {
  readonly costUsd: number;
  readonly tokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly laps: number;
  readonly unpriced: number;
}

/** Sums and first words over many rows, for people who look; nothing that runs depends on them. */
export interface Insight {
  /** The first text of the message that began each run, at most `chars` long. */
  beginnings(tenant: string, runIds: readonly string[], chars: number): Promise<ReadonlyMap<string, string>>;
  /** How many calls of each run did not succeed, or ended with another code than 0; runs without any are left out. */
  notDone(tenant: string, runIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Calls of a session that changed a file, or handed one over: the last first, before that place. */
  fileCalls(
    tenant: string,
    sessionId: string,
    page: { readonly before: Place; readonly limit: number },
  ): Promise<readonly (Place & { readonly runId: string })[]>;
  usageByModel(
    tenant: string,
    since: number,
    until: number,
  ): Promise<readonly (Spent & { readonly model: string })[]>;
  /** Of executions, by the action's resource name with its version; the dearest first. */
  usageByAction(
    tenant: string,
    since: number,
    limit: number,
  ): Promise<readonly (Spent & { readonly action: string })[]>;
  /** By the account that paid; one row without a profile is of keys that are no profiles. */
  usageByProfile(tenant: string, since: number): Promise<readonly (Spent & { readonly profile?: string })[]>;
  /** Of all that used anything. */
  usageByTenant(since: number): Promise<readonly (Spent & { readonly tenant: string })[]>;
  /** Of runs, the dearest first. Those whose session was purged are one row without a session. */
  usageBySession(
    tenant: string,
    since: number,
    limit: number,
  ): Promise<
    readonly (Spent & { readonly sessionId?: string; readonly title?: string; readonly runs: number })[]
  >;
}
