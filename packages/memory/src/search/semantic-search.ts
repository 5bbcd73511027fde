import type { DatabaseSync } from "node:sqlite";
import { embeddingPrice } from "@elwood/core/memory/embedding-price";
import { parseModelRef } from "@elwood/core/model/model";
import type { PriceRow } from "@elwood/core/model/price";
import type { Redactor } from "@elwood/core/base/redact";
import type { Clock, Log, Models } from "@elwood/runtime/ports/ports";
import { isLoopbackHost } from "@elwood/core/net/base-url";
import type { EmbeddingSettings, MemoryFusion } from "../settings.ts";
import { type Embedder, makeEmbedder } from "../index/embedder.ts";
import { EmbeddingBudget } from "../index/embedding-budget.ts";
import type { QueryVector } from "./hybrid-search.ts";
import { loadSqliteVec } from "../index/sqlite-vec.ts";
import { Vectors, type VectorStatus } from "../index/vectors.ts";
import { atOnce, hasVectorTables } from "../index/vector-schema.ts";
import { VectorStore } from "../index/vector-store.ts";

interface SemanticSearchDeps {
  readonly settings: EmbeddingSettings;
  readonly fusion: MemoryFusion;
  readonly models: Models;
  /** What providers the configuration has of its own, for telling a server of the owner's from one that costs. */
  readonly providers: Readonly<Record<string, { readonly baseUrl?: string | undefined }>>;
  readonly prices: readonly PriceRow[];
  /** Keeps what was spent this month; beside the index, which may be deleted. */
  readonly costsPath: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
}

/**
 * Semantic search on top of word search. The index may be replaced at any time (rebuilt, or damaged):
 * callers pass the current handle, and a new handle resets all state.
 */
export class SemanticSearch {
  readonly #deps: SemanticSearchDeps;
  readonly #embedder: Embedder;
  readonly #budget: EmbeddingBudget | undefined;
  #current: { readonly db: DatabaseSync; readonly vectors: Vectors } | undefined;
  #notice: string | undefined;
  #closed = false;

  constructor(deps: SemanticSearchDeps) {
    this.#deps = deps;
    const { settings, models, clock, costsPath } = deps;
    this.#embedder = makeEmbedder(models, settings);
    const pricePerMTokens = priceOf(deps);
    if (pricePerMTokens !== undefined)
      this.#budget = new EmbeddingBudget(costsPath, clock, { capUsd: settings.capUsd, pricePerMTokens });
  }

  /** Why the last search used words only, if it did. */
  get notice(): string | undefined {
    return this.#notice;
  }

  /** The vector of a query, or undefined: then only words are searched, and `notice` says why. */
  async of(db: DatabaseSync, text: string, signal: AbortSignal): Promise<QueryVector | undefined> {
    const vectors = this.#on(db);
    if (!vectors) {
      this.#notice = this.#priceUnknown();
      return undefined;
    }
    const asked = await vectors.forQuery(text, signal);
    if ("notice" in asked) {
      this.#notice = asked.notice;
      return undefined;
    }
    this.#notice = undefined;
    // The index may have been replaced while the embedder was asked; then these numbers are another's.
    return this.#current?.db === db && db.isOpen ? { ...asked, fusion: this.#deps.fusion } : undefined;
  }

  /** Something was indexed or dropped. */
  indexed(db: DatabaseSync): void {
    this.#on(db)?.kick();
  }

  /** Copies paid-for vectors into a rebuilt index. If that fails, they are only paid for again. */
  async carry(from: DatabaseSync, to: DatabaseSync): Promise<void> {
    const { clock, log, redact } = this.#deps;
    try {
      await carryVectors(from, to, redact, () => clock.sleep(0));
    } catch (error) {
      log.info("vectors were not taken over into the new index", { error: String(error) });
    }
  }

  /** Removes the vectors of turns that are gone, now. */
  sweep(db: DatabaseSync): void {
    this.#on(db)?.sweep();
  }

  status(
    db: DatabaseSync,
  ): VectorStatus | { readonly model: string; readonly state: "off"; readonly notice: string } {
    return (
      this.#on(db)?.status() ?? {
        model: this.#deps.settings.model,
        state: "off",
        notice: this.#priceUnknown(),
      }
    );
  }

  /** Resolves when nothing is being filled. */
  async settled(): Promise<void> {
    await this.#current?.vectors.settled();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#current?.vectors.close();
  }

  #on(db: DatabaseSync): Vectors | undefined {
    const budget = this.#budget;
    if (!budget || this.#closed) return undefined;
    if (this.#current?.db === db) return this.#current.vectors;
    void this.#current?.vectors.close();
    const { settings, clock, log, redact } = this.#deps;
    const native = loadSqliteVec(db);
    if (!native) log.info("sqlite-vec could not be loaded; vectors are compared in JavaScript");
    const { requestsPerMinute, queryTimeoutMs } = settings;
    const embedder = this.#embedder;
    const limits = { requestsPerMinute, queryTimeoutMs };
    const vectors = new Vectors({ db, native, embedder, budget, clock, log, redact, ...limits });
    this.#current = { db, vectors };
    return vectors;
  }

  #priceUnknown(): string {
    const { model } = this.#deps.settings;
    return `What ${model} costs is not known, so nothing is sent to it, and memory is searched by words. Set memory.embeddings.pricePerMTokens in config.yaml; 0 where it costs nothing.`;
  }
}

function priceOf({ settings, prices, providers }: SemanticSearchDeps): number | undefined {
  const ref = parseModelRef(settings.model);
  if (!ref.ok) return undefined;
  const baseUrl = providers[ref.value.provider]?.baseUrl ?? "";
  const local = URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname);
  return embeddingPrice(ref.value, { set: settings.pricePerMTokens, rows: prices, local });
}

/**
 * Takes vectors that were paid for over into an index that was built anew, those of its own turns and no others. What
 * is taken over counts as a cache: the next fill gives it to the turns, and asks the embedder for nothing that is here.
 */
async function carryVectors(
  from: DatabaseSync,
  to: DatabaseSync,
  redact: Redactor,
  pause: () => Promise<void>,
): Promise<void> {
  const path = from.location();
  if (path === null || !hasVectorTables(from)) return;
  const store = new VectorStore(to, false, redact);
  to.prepare("ATTACH ? AS earlier").run(path);
  try {
    to.exec(
      "INSERT OR IGNORE INTO spaces SELECT id, provider, model, dims, metric, input_type, 'filling', created_at FROM earlier.spaces",
    );
    const take = to.prepare(
      "INSERT OR IGNORE INTO embedding_cache SELECT space_id, sha, vec, created_at FROM earlier.embedding_cache WHERE space_id = ? AND sha = ?",
    );
    const spaces = to.prepare("SELECT id FROM spaces").all() as { id: number }[];
    for (let below = store.turnsMax() + 1; below > 1;) {
      const { units, lookedTo } = store.missing(undefined, { above: 0, below });
      atOnce(to, () => {
        for (const { sha } of units) for (const { id } of spaces) take.run(id, sha);
      });
      below = lookedTo;
      await pause();
    }
  } finally {
    to.exec("DETACH earlier");
  }
}
