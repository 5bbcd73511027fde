import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { Clock } from "@elwood/runtime/ports";

const month = z.object({
  month: z.string().regex(/^\d{4}-\d{2}$/),
  tokens: z.number().min(0),
  usd: z.number().min(0),
});
type Month = z.output<typeof month>;

/** US dollars are kept to the billionth, so that sums of tiny ones come out even. */
const BILLION = 1_000_000_000;

/**
 * What embedding has cost in this calendar month (UTC), in a small file of its own: the index may be
 * deleted and built anew as often as one likes, and the cap still holds.
 *
 * B1 A request is charged by its estimate before it is sent, and put right when its answer came.
 *    A process that dies in between has charged too much, never too little.
 */
export class EmbeddingBudget {
  readonly #path: string;
  readonly #clock: Clock;
  readonly capUsd: number;
  readonly pricePerMTokens: number;

  constructor(path: string, clock: Clock, settings: { capUsd: number; pricePerMTokens: number }) {
    this.#path = path;
    this.#clock = clock;
    this.capUsd = settings.capUsd;
    this.pricePerMTokens = settings.pricePerMTokens;
  }

  costOf(tokens: number): number {
    return (tokens * this.pricePerMTokens) / 1_000_000;
  }

  spent(): { readonly tokens: number; readonly usd: number } {
    const { tokens, usd } = this.#read();
    return { tokens, usd };
  }

  /** Whether so many tokens still fit under this share of the cap. */
  fits(tokens: number, share = 1): boolean {
    const cost = this.costOf(tokens);
    return cost === 0 || this.#read().usd + cost <= this.capUsd * share;
  }

  /** Charges, or gives back where `tokens` is below zero. */
  charge(tokens: number): void {
    const now = this.#read();
    const usd = Math.max(0, Math.round((now.usd + this.costOf(tokens)) * BILLION) / BILLION);
    const next: Month = { month: now.month, tokens: Math.max(0, now.tokens + tokens), usd };
    const beside = `${this.#path}.new`;
    writeFileSync(beside, `${JSON.stringify(next)}\n`, { mode: 0o600 });
    renameSync(beside, this.#path);
  }

  #read(): Month {
    const current = new Date(this.#clock.now()).toISOString().slice(0, 7);
    const nothing: Month = { month: current, tokens: 0, usd: 0 };
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch {
      // Nothing was spent yet.
      return nothing;
    }
    const read = month.safeParse(parsed(text));
    // A file that cannot be read must not open the purse: it counts as a month that is used up.
    if (!read.success) return { month: current, tokens: 0, usd: this.capUsd };
    return read.data.month === current ? read.data : nothing;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
