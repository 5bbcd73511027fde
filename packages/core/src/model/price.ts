import { formatModelRef, type ModelRef } from "./model.ts";
import { addUsage, type Usage } from "../message/message.ts";

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface PriceRow extends Partial<Price> {
  /** `provider/model`, where `*` stands for any run of characters. */
  readonly match: string;
  /** The day from which it holds, as 2026-11-01, in UTC; before it, a later row of the sheet may. */
  readonly from?: string | undefined;
  readonly input: number;
  readonly output: number;
}

/**
 * List prices by model family: an estimate for limits and totals, never a bill. The
 * owner's own rows (`prices` in the configuration) come first. Local servers cost nothing.
 */
export const PRICE_SHEET: readonly PriceRow[] = [
  { match: "demo/*", input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  { match: "ollama/*", input: 0, output: 0 },
  { match: "lmstudio/*", input: 0, output: 0 },
  { match: "vllm/*", input: 0, output: 0 },
  { match: "anthropic/claude-opus-*", input: 5, output: 25 },
  { match: "anthropic/claude-sonnet-*", input: 3, output: 15 },
  { match: "anthropic/claude-haiku-*", input: 1, output: 5 },
  { match: "anthropic/*", input: 5, output: 25 },
  { match: "openai/*-nano*", input: 0.2, output: 1.25, cacheRead: 0.02 },
  { match: "openai/*-mini*", input: 0.75, output: 4.5, cacheRead: 0.075 },
  { match: "openai/*-pro*", input: 30, output: 180, cacheRead: 30 },
  { match: "openai/*", input: 2.5, output: 15, cacheRead: 0.25 },
];

/** undefined where no row speaks of the model: its cost is unknown, which is not the same as nothing. Without a time the newest price counts. */
export function priceOf(
  ref: ModelRef,
  ownRows: readonly PriceRow[] = [],
  at: number = Number.POSITIVE_INFINITY,
): Price | undefined {
  const name = `${ref.provider}/${ref.model}`;
  for (const row of [...ownRows, ...PRICE_SHEET]) {
    if (!matchesModel(row.match, name)) continue;
    if (row.from !== undefined && Date.parse(row.from) > at) continue;
    return {
      input: row.input,
      output: row.output,
      cacheRead: row.cacheRead ?? row.input * 0.1,
      cacheWrite: row.cacheWrite ?? row.input * 1.25,
    };
  }
  return undefined;
}

export function costUsd(usage: Usage, price: Price): number {
  return (
    (usage.inputTokens * price.input +
      usage.outputTokens * price.output +
      usage.cacheReadTokens * price.cacheRead +
      usage.cacheWriteTokens * price.cacheWrite) /
    1_000_000
  );
}

/** What one request to a model used. */
export interface LapUsage {
  /** As provider/model. */
  readonly model: string;
  /** Whose account paid, where a profile did. */
  readonly profile?: string;
  readonly usage: Usage;
  /** undefined if the model's price is not known. */
  readonly costUsd?: number;
  readonly at: number;
}

export function lapUsage(ref: ModelRef, usage: Usage, rows: readonly PriceRow[], at: number): LapUsage {
  const price = priceOf(ref, rows, at);
  return { model: formatModelRef(ref), usage, at, ...(price ? { costUsd: costUsd(usage, price) } : {}) };
}

/** Two requests for one message are paid for both. If one has no price, neither has the sum. */
export function addLaps(first: LapUsage | undefined, second: LapUsage | undefined): LapUsage | undefined {
  if (!first || !second) return first ?? second;
  const { costUsd: a, ...rest } = first;
  const sum = a === undefined || second.costUsd === undefined ? undefined : a + second.costUsd;
  const usage = addUsage(first.usage, second.usage);
  return { ...rest, usage, ...(sum === undefined ? {} : { costUsd: sum }) };
}

export function matchesModel(pattern: string, name: string): boolean {
  let star = pattern.indexOf("*");
  if (star < 0) return name === pattern;
  // Most patterns of a table are another provider's, and differ in their first letters.
  if (!name.startsWith(pattern.slice(0, star))) return false;
  // Without a regular expression, and without lists: each request goes through whole tables of patterns.
  let at = star;
  for (let next; (next = pattern.indexOf("*", star + 1)) >= 0; star = next) {
    const part = pattern.slice(star + 1, next);
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = pattern.slice(star + 1);
  return name.length - last.length >= at && name.endsWith(last);
}
