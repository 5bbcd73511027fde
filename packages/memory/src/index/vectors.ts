import type { DatabaseSync } from "node:sqlite";
import type { Failure } from "@elwood/core/base/failure";
import type { Redactor } from "@elwood/core/base/redact";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { Embedder } from "./embedder.ts";
import type { EmbeddingBudget } from "./embedding-budget.ts";
import { VectorFill, type FillState } from "./fill-vectors.ts";
import { QueryEmbedder } from "./query-embedder.ts";
import { hasDebris, sweepVectors } from "./sweep-vectors.ts";
import { VectorStore } from "./vector-store.ts";

export interface VectorDeps {
  readonly db: DatabaseSync;
  /** Whether that connection knows sqlite-vec. */
  readonly native: boolean;
  readonly embedder: Embedder;
  readonly budget: EmbeddingBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
  readonly requestsPerMinute: number;
  readonly queryTimeoutMs: number;
}

/** A question's vector and where to look, or why there is none. What is said is fit to be shown. */
export type AskedVector =
  | { readonly spaceId: number; readonly vector: Float32Array; readonly native: boolean }
  | { readonly notice: string };

export interface VectorEstimate {
  /** Turns that have no vector yet, and about how many tokens and dollars they are. */
  readonly turns: number;
  readonly tokens: number;
  readonly usd: number;
  /** Left of this month's cap, for filling. */
  readonly leftUsd: number;
}

export interface VectorStatus {
  readonly model: string;
  readonly dims?: number;
  /** `ready`: every turn has its vector. */
  readonly state: "ready" | Exclude<FillState, "idle"> | "waiting";
  readonly turns: number;
  readonly filled: number;
  /** sqlite-vec, or JavaScript where it could not be loaded. */
  readonly engine: "sqlite-vec" | "javascript";
  readonly estimate: VectorEstimate;
  readonly spent: { readonly tokens: number; readonly usd: number };
  readonly capUsd: number;
  readonly notice?: string;
  readonly lastFailure?: Failure;
}

const CHARS_PER_TOKEN = 4;

/**
 * Searching memory by meaning. Everything here may fail, be slow or cost money, and none of that
 * may keep a search waiting or wrong: whoever asks for a vector gets one that fits the index, or a reason.
 */
export class Vectors {
  readonly #deps: VectorDeps;
  readonly #store: VectorStore;
  readonly #fill: VectorFill;
  readonly #queries: QueryEmbedder;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #again = false;

  constructor(deps: VectorDeps) {
    this.#deps = deps;
    this.#store = new VectorStore(deps.db, deps.native, deps.redact);
    this.#fill = new VectorFill({ ...deps, store: this.#store });
    this.#queries = new QueryEmbedder(deps);
  }

  /** Turns may have come: those without a vector get one, some time. Safe to call as often as one likes. */
  kick(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
      if (this.#again) this.kick();
    });
  }

  /** Resolves when nothing is being filled. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async forQuery(text: string, signal: AbortSignal): Promise<AskedVector> {
    const space = this.#fill.space();
    if (space?.status !== "ready") return { notice: this.#whyNot() };
    const asked = await this.#queries.vectorOf(text, signal);
    if ("notice" in asked) return asked;
    if (asked.vector.length !== space.dims) {
      this.#fill.sawDims(asked.vector.length);
      this.kick();
      return {
        notice: `The embedder's vectors have ${asked.vector.length} numbers now, not ${space.dims}. They are made anew; until then memory is searched by words only.`,
      };
    }
    return { spaceId: space.id, vector: asked.vector, native: this.#store.native };
  }

  /** Removes what is left of turns that are gone. Turns that only moved keep what was paid for. */
  sweep(): number {
    const space = this.#fill.space();
    if (!hasDebris(this.#deps.db)) return 0;
    if (space) {
      for (let below = this.#store.turnsMax() + 1; below > 1;) {
        const { units, lookedTo } = this.#store.missing(space, { above: 0, below });
        this.#store.takeCached(space, units);
        below = lookedTo;
      }
    }
    return sweepVectors(this.#deps.db, this.#store.native);
  }

  estimate(): VectorEstimate {
    const { budget } = this.#deps;
    const { turns, filled, chars } = this.#store.progress(this.#fill.space());
    const missing = Math.max(0, turns - filled);
    const tokens = turns === 0 ? 0 : Math.ceil((chars / CHARS_PER_TOKEN) * (missing / turns));
    const leftUsd = Math.max(0, budget.capUsd - budget.spent().usd);
    return { turns: missing, tokens, usd: budget.costOf(tokens), leftUsd };
  }

  status(): VectorStatus {
    const { embedder, budget } = this.#deps;
    const space = this.#fill.space();
    const { turns, filled } = this.#store.progress(space);
    const ready = space?.status === "ready";
    const busy = this.#fill.state;
    const state = busy === "idle" ? (ready ? "ready" : "waiting") : busy;
    const notice = ready && busy === "idle" ? budget.problem() : this.#whyNot();
    return {
      model: `${embedder.identity.provider}/${embedder.identity.model}`,
      ...(space ? { dims: space.dims } : {}),
      state,
      turns,
      filled: Math.min(filled, turns),
      engine: this.#store.native ? "sqlite-vec" : "javascript",
      estimate: this.estimate(),
      spent: budget.spent(),
      capUsd: budget.capUsd,
      ...(notice === undefined ? {} : { notice }),
      ...(this.#fill.lastFailure ? { lastFailure: this.#fill.lastFailure } : {}),
    };
  }

  /** What is under way is dropped; the next start finds what is missing. */
  async close(): Promise<void> {
    this.#again = false;
    this.#stop.abort();
    await this.settled();
  }

  async #work(): Promise<void> {
    this.#again = false;
    try {
      await this.#fill.run(this.#stop.signal);
      if (!this.#stop.signal.aborted) this.sweep();
    } catch (error) {
      // The index itself refuses: whoever owns it finds out, and this starts again with it.
      this.#deps.log.warn("vectors of memory could not be written", { error: String(error) });
    }
  }

  #whyNot(): string {
    const { budget } = this.#deps;
    const { turns, filled } = this.#store.progress(this.#fill.space());
    const byWords = "Memory is searched by words meanwhile.";
    const { state, lastFailure } = this.#fill;
    const problem = budget.problem();
    if (state === "capped" && problem !== undefined)
      return `${problem} ${filled} of ${turns} turns have vectors. ${byWords}`;
    if (state === "capped")
      return `Embedding has reached its cap of $${budget.capUsd} for this month: ${filled} of ${turns} turns have vectors. ${byWords} Raise memory.embeddings.capUsd, or wait for the next month.`;
    if (state === "failing")
      return `The embedder does not answer: ${filled} of ${turns} turns have vectors. ${byWords} ${lastFailure?.message ?? ""}`.trim();
    return `Vectors are being made: ${filled} of ${turns} turns have theirs. ${byWords}`;
  }
}
