import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fail } from "@elwood/core/base/failure";
import { parseJson } from "@elwood/core/base/parse-json";
import { z } from "zod";
import type { Clock } from "@elwood/runtime/ports/ports";
import { errorCode, isMissing } from "@elwood/platform/system-error";

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
 * B2 Only a missing file means that nothing was spent. Where what was spent cannot be known, nothing
 *    that costs money is sent, and the file stays as it is for a person to look at.
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

  /** What counts as spent; where that cannot be known (B2), the whole cap. */
  spent(): { readonly tokens: number; readonly usd: number } {
    const read = this.#read();
    return "problem" in read ? { tokens: 0, usd: this.capUsd } : { tokens: read.tokens, usd: read.usd };
  }

  /** Why nothing that costs money may be sent, whatever is left of the cap (B2). */
  problem(): string | undefined {
    if (this.pricePerMTokens === 0) return undefined;
    const read = this.#read();
    return "problem" in read ? read.problem : undefined;
  }

  /** Whether so many tokens still fit under this share of the cap. */
  fits(tokens: number, share = 1): boolean {
    const cost = this.costOf(tokens);
    if (cost === 0) return true;
    const read = this.#read();
    return !("problem" in read) && read.usd + cost <= this.capUsd * share;
  }

  /** Charges, or gives back where `tokens` is below zero. Throws where something that costs money cannot be charged. */
  charge(tokens: number): void {
    const now = this.#read();
    if ("problem" in now) {
      if (this.costOf(tokens) > 0) fail("STORAGE", now.problem, { retryable: false });
      return;
    }
    const usd = Math.max(0, Math.round((now.usd + this.costOf(tokens)) * BILLION) / BILLION);
    const next: Month = { month: now.month, tokens: Math.max(0, now.tokens + tokens), usd };
    const beside = `${this.#path}.new`;
    writeFileSync(beside, `${JSON.stringify(next)}\n`, { mode: 0o600 });
    renameSync(beside, this.#path);
  }

  #read(): Month | { readonly problem: string } {
    const current = new Date(this.#clock.now()).toISOString().slice(0, 7);
    const nothing: Month = { month: current, tokens: 0, usd: 0 };
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      if (isMissing(error)) return nothing;
      return { problem: this.#unknown(`cannot be read (${errorCode(error) ?? "unknown error"})`) };
    }
    const read = month.safeParse(parseJson(text));
    if (!read.success) return { problem: this.#unknown("is damaged") };
    return read.data.month === current ? read.data : nothing;
  }

  #unknown(what: string): string {
    return `The file that counts what embedding costs, ${this.#path}, ${what}. Nothing is sent to the embedder, so that the cap of $${this.capUsd} holds. Make the file readable again, or remove it to start counting at $0.`;
  }
}
