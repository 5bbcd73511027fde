import { failure, type Failure } from "@elwood/core/base/failure";
import type { RunLimits } from "@elwood/core/base/limits";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "@elwood/core/message/message";

/**
 * What a run may use. Every limit is on by default; reaching one ends the run with a
 * sentence that says which, what was kept, and where to raise it.
 */
export class Budget {
  readonly #limits: RunLimits;
  readonly #spentTodayUsd: number;
  #laps = 0;
  #calls = 0;
  #usage: Usage = NO_USAGE;
  #costUsd = 0;
  #priced = true;
  readonly #seen = new Map<string, number>();

  constructor(limits: RunLimits, spentTodayUsd: number) {
    this.#limits = limits;
    this.#spentTodayUsd = spentTodayUsd;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** undefined as soon as one lap had no known price: a partial sum would look like the whole. */
  get costUsd(): number | undefined {
    return this.#priced ? this.#costUsd : undefined;
  }

  get tokensLeft(): number {
    return Math.max(0, this.#limits.tokens - totalTokens(this.#usage));
  }

  /** Asked before each model call. */
  beginLap(): Failure | undefined {
    const l = this.#limits;
    if (this.#laps >= l.laps) {
      return failure(
        "LAPS_LIMIT",
        `Stopped after ${l.laps} rounds with the model in one run. What was done so far is kept. Raise limits.laps in the configuration if this task needs more.`,
      );
    }
    if (this.tokensLeft <= 0) {
      return failure(
        "TOKENS_LIMIT",
        `Stopped: this run used ${l.tokens} tokens, its limit. What was done so far is kept. Raise limits.tokens in the configuration if this task needs more.`,
      );
    }
    if (this.#costUsd >= l.costUsd) {
      return failure(
        "RUN_COST_LIMIT",
        `Stopped: this run cost about $${l.costUsd}, its limit. What was done so far is kept. Raise limits.costUsd in the configuration if this task needs more.`,
      );
    }
    if (this.#spentTodayUsd + this.#costUsd >= l.dayCostUsd) {
      return failure(
        "DAY_COST_LIMIT",
        `Not sent to the model: today's estimated cost reached $${l.dayCostUsd}, the limit for a day. It starts again at midnight; or raise limits.dayCostUsd in the configuration.`,
      );
    }
    this.#laps += 1;
    return undefined;
  }

  endLap(usage: Usage, costUsd: number | undefined): void {
    this.#usage = addUsage(this.#usage, usage);
    if (costUsd === undefined) this.#priced = false;
    else this.#costUsd += costUsd;
  }

  /** Asked before each tool call. `key` is the same for the same tool and input. */
  beginCall(key: string): Failure | undefined {
    const l = this.#limits;
    if (this.#calls >= l.calls) {
      return failure(
        "CALLS_LIMIT",
        `Stopped after ${l.calls} tool calls in one run. What they did stands. Raise limits.calls in the configuration if this task needs more.`,
      );
    }
    const times = (this.#seen.get(key) ?? 0) + 1;
    if (times > l.identicalCalls) {
      return failure(
        "REPEAT_LIMIT",
        `Stopped: the model made the same call ${l.identicalCalls} times in one run and wanted it again. The repeated call did not run. Ask again in other words, or raise limits.identicalCalls in the configuration.`,
      );
    }
    this.#seen.set(key, times);
    this.#calls += 1;
    return undefined;
  }
}
