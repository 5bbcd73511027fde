import type { ActionSpec } from "@elwood/core/action/action-spec";
import type { ExecutionResult } from "@elwood/core/action/execution-shapes";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { LIMITS } from "@elwood/core/base/limits";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { ActionStore } from "../ports/action-ports.ts";

/** Everything that shapes an answer. What is left out here would give one question the answer to another. */
export interface AskedFor {
  readonly provider: string;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly sampling: unknown;
  readonly schema: unknown;
  readonly format: unknown;
}

export interface CacheDeps {
  readonly store: ActionStore;
  readonly sha256: Sha256;
  /** What was asked last as a vector; undefined where no embedder is configured or it cannot be reached. */
  readonly embed: (text: string, signal: AbortSignal) => Promise<Float32Array | undefined>;
}

type Kept = Pick<ExecutionResult, "text" | "json" | "model_info">;
type CacheMode = NonNullable<ActionSpec["cache"]>;

/** Where an answer would be found and kept. */
export interface CachePlace {
  readonly tenant: string;
  readonly mode: CacheMode;
  readonly key: string;
  readonly scope: string;
  /** Only for a cache by meaning. */
  readonly vector?: Float32Array;
}

/** Answers by everything that shapes them, and on wish by the meaning of what was asked last. */
export class AnswerCache {
  readonly #deps: CacheDeps;

  constructor(deps: CacheDeps) {
    this.#deps = deps;
  }

  async place(
    tenant: string,
    mode: CacheMode,
    asked: AskedFor,
    last: string,
    signal: AbortSignal,
  ): Promise<CachePlace> {
    const { sha256, embed } = this.#deps;
    const { messages, ...rest } = asked;
    const plain = (value: unknown) => canonicalJson(JSON.parse(JSON.stringify(value)) as unknown);
    const key = sha256(`elwood.answer.v1\n${plain(asked)}`);
    const scope = sha256(`elwood.answers.v1\n${plain({ ...rest, before: messages.slice(0, -1) })}`);
    const vector = mode.mode === "semantic" ? await embed(last, signal) : undefined;
    return { tenant, mode, key, scope, ...(vector ? { vector } : {}) };
  }

  async find(
    { tenant, mode, key, scope, vector }: CachePlace,
    now: number,
  ): Promise<{ readonly kept: Kept; readonly by: "exact" | "semantic" } | undefined> {
    const exact = await this.#deps.store.findExact(tenant, key, now);
    if (exact !== undefined) return { kept: JSON.parse(exact) as Kept, by: "exact" };
    if (!vector) return undefined;
    const near = await this.#deps.store.findScope(tenant, scope, now, LIMITS.cachedAnswersCompared);
    const best = near
      .map((each) => ({ ...each, similarity: cosine(vector, each.vector) }))
      .toSorted((a, b) => b.similarity - a.similarity)[0];
    return best && best.similarity >= mode.similarity
      ? { kept: JSON.parse(best.body) as Kept, by: "semantic" }
      : undefined;
  }

  async keep({ tenant, mode, key, scope, vector }: CachePlace, kept: Kept, now: number): Promise<void> {
    const expiresAt = now + mode.ttl_seconds * 1_000;
    const body = JSON.stringify(kept);
    await this.#deps.store.keep(tenant, { key, scope, body, expiresAt, ...(vector ? { vector } : {}) }, now);
  }
}

/** 0 where they cannot be compared. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    lengthA += a[i]! ** 2;
    lengthB += b[i]! ** 2;
  }
  return lengthA === 0 || lengthB === 0 ? 0 : dot / Math.sqrt(lengthA * lengthB);
}
