import type { Redactor } from "@elwood/core/base/redact";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { Embedder } from "./embedder.ts";
import type { EmbeddingBudget } from "./embedding-budget.ts";
import { billed, estimateTokens } from "./fill-vectors.ts";
import { VECTOR_LIMITS } from "./limits.ts";
import { unit } from "./vector-math.ts";

export interface QueryEmbedderDeps {
  readonly embedder: Embedder;
  readonly budget: EmbeddingBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
  readonly queryTimeoutMs: number;
}

/**
 * Embeds queries within a short time limit. After repeated failures the embedder is skipped for a
 * while, so that searches do not wait for it in vain.
 */
export class QueryEmbedder {
  readonly #deps: QueryEmbedderDeps;
  /** Oldest first. */
  readonly #kept = new Map<string, Float32Array>();
  #failures = 0;
  #restsUntil = 0;

  constructor(deps: QueryEmbedderDeps) {
    this.#deps = deps;
  }

  async vectorOf(
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly vector: Float32Array } | { readonly notice: string }> {
    const { budget, clock, redact } = this.#deps;
    const asked = redact(text).trim().slice(0, VECTOR_LIMITS.queryCharsMax).toWellFormed();
    if (asked === "") return { notice: "The question is empty." };
    const known = this.#kept.get(asked);
    if (known) return { vector: known };
    if (clock.now() < this.#restsUntil) return { notice: NO_ANSWER };
    const estimate = estimateTokens([asked]);
    const problem = budget.problem();
    if (problem !== undefined) return { notice: `${problem} Memory was searched by words only.` };
    if (!budget.fits(estimate))
      return {
        notice: `Embedding has reached its cap of $${budget.capUsd} for this month, so memory was searched by words only. Raise memory.embeddings.capUsd, or wait for the next month.`,
      };
    budget.charge(estimate);
    const answer = await this.#ask(asked, signal);
    budget.charge(billed(answer, estimate) - estimate);
    if (!answer.ok) {
      this.#failed(answer.error.reason);
      return { notice: NO_ANSWER };
    }
    this.#failures = 0;
    const vector = unit(answer.value.vectors[0]!);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size >= VECTOR_LIMITS.queryVectorsKept && !oldest.done) this.#kept.delete(oldest.value);
    this.#kept.set(asked, vector);
    return { vector };
  }

  async #ask(text: string, signal: AbortSignal) {
    const { embedder, clock, queryTimeoutMs } = this.#deps;
    const late = new AbortController();
    const done = new AbortController();
    void clock.sleep(queryTimeoutMs, done.signal).then(() => late.abort());
    try {
      return await embedder.embed([text], "query", AbortSignal.any([signal, late.signal]));
    } finally {
      done.abort();
    }
  }

  #failed(reason: string): void {
    const { clock, log } = this.#deps;
    this.#failures += 1;
    log.info("a question was not embedded", { reason });
    if (this.#failures < VECTOR_LIMITS.queryFailuresMax) return;
    this.#failures = 0;
    this.#restsUntil = clock.now() + VECTOR_LIMITS.queryPauseMs;
  }
}

const NO_ANSWER = "The embedder did not answer in time, so memory was searched by words only.";
