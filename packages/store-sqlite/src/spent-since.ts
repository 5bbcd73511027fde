import type { LapUsage } from "@elwood/core/model/price";

interface Spent {
  readonly costUsd: number;
  readonly tokens: number;
  readonly unpriced: number;
}

/**
 * What each tenant spent since a moment, which every run asks for anew: summed up once, then counted on with each
 * row. Only this process adds rows. Whoever could not store one has it summed up again.
 */
export class SpentSince {
  readonly #sums = new Map<string, { readonly since: number; readonly spent: Spent }>();

  since(tenant: string, since: number, sum: () => Spent): Spent {
    const known = this.#sums.get(tenant);
    if (known?.since === since) return known.spent;
    const spent = sum();
    this.#sums.set(tenant, { since, spent });
    return spent;
  }

  /** In the transaction that stores it. */
  add(tenant: string, { usage, costUsd, at }: Pick<LapUsage, "usage" | "costUsd" | "at">): void {
    const known = this.#sums.get(tenant);
    if (!known || at < known.since) return;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    const { spent } = known;
    this.#sums.set(tenant, {
      since: known.since,
      spent: {
        costUsd: spent.costUsd + (costUsd ?? 0),
        tokens: spent.tokens + inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
        unpriced: spent.unpriced + (costUsd === undefined ? 1 : 0),
      },
    });
  }

  forget(tenant: string): void {
    this.#sums.delete(tenant);
  }
}
