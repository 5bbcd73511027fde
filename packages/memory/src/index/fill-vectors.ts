import type { Embedded } from "@elwood/core/model/embedding";
import type { Failure, FailureReason } from "@elwood/core/base/failure";
import type { Result } from "@elwood/core/base/result";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { Embedder } from "./embedder.ts";
import type { EmbeddingBudget } from "./embedding-budget.ts";
import { VECTOR_LIMITS } from "./limits.ts";
import { flipTo, spaceFor, spacesOf, type Space } from "./vector-space.ts";
import type { Unit, VectorStore } from "./vector-store.ts";

export interface FillDeps {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly budget: EmbeddingBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly requestsPerMinute: number;
}

/** Why a fill is not done yet. */
export type FillState = "idle" | "filling" | "capped" | "failing";

/**
 * Gives every turn a vector, in the background, newest turns first.
 *
 * F1 Nothing is kept in memory that a restart would need: what is missing is found in the index.
 * F2 A text that was embedded before is never sent again.
 * F3 A space answers searches only when it is complete; until then the one before it does, if it is of the same
 *    identity and length, and is dropped in the transaction that makes the new one ready.
 * F4 A request that would break the cap is not sent.
 */
export class VectorFill {
  readonly #deps: FillDeps;
  #state: FillState = "idle";
  #lastFailure: Failure | undefined;
  #failures = 0;
  #nextRequestAt = 0;
  /** Turns up to this id were looked at in the space of this id, and have what they can have. */
  #upTo = { spaceId: 0, turnId: 0 };
  /** Set where an answer showed that the embedder's vectors have another length now. */
  #dims: number | undefined;

  constructor(deps: FillDeps) {
    this.#deps = deps;
  }

  get state(): FillState {
    return this.#state;
  }

  get lastFailure(): Failure | undefined {
    return this.#lastFailure;
  }

  /** The embedder answered with vectors of this length: a space of another is not its any more. */
  sawDims(dims: number): void {
    this.#dims = dims;
  }

  /** The space that is being filled or is ready; undefined before the first answer of a new embedder. */
  space(): Space | undefined {
    const { store, embedder } = this.#deps;
    const spaces = spacesOf(store.db, embedder.identity);
    if (this.#dims !== undefined) return spaces.find(({ dims }) => dims === this.#dims);
    return spaces.find(({ status }) => status === "filling") ?? spaces[0];
  }

  /** Fills until nothing is missing, the cap is reached, or the signal fires. Never throws for what an embedder does. */
  async run(signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    this.#state = "filling";
    const known = this.space();
    if (known) store.alignNative(known);
    while (!signal.aborted) {
      const newest = store.turnsMax();
      const space = this.space();
      const above = space && space.id === this.#upTo.spaceId ? this.#upTo.turnId : 0;
      const whole = await this.#pass(above, newest, signal);
      if (signal.aborted || this.#capped()) return;
      const filled = this.space();
      // Another space than at the start of this pass, or turns that came meanwhile: once more.
      if (!whole || filled?.id !== space?.id) {
        if (filled === undefined) break;
        continue;
      }
      if (filled) {
        this.#upTo = { spaceId: filled.id, turnId: newest };
        this.#finish(filled);
      }
      if (store.turnsMax() === newest) break;
    }
    this.#state = "idle";
  }

  #finish(space: Space): void {
    const { store, log } = this.#deps;
    if (!flipTo(store.db, space, store.native)) return;
    log.info("memory is searched by meaning now", { dims: space.dims, native: store.native });
  }

  #capped(): boolean {
    return this.#state === "capped";
  }

  /** One way through the turns, newest first. False where it has to begin again in another space. */
  async #pass(above: number, newest: number, signal: AbortSignal): Promise<boolean> {
    const { store, clock } = this.#deps;
    const began = this.space()?.id;
    for (let below = newest + 1; below > above + 1;) {
      const space = this.space();
      if (began !== undefined && space?.id !== began) return false;
      const { units, lookedTo } = store.missing(space, { above, below });
      const rest = space ? store.takeCached(space, units) : units;
      const batch = nextBatch(rest);
      if (batch.length > 0 && !(await this.#embed(batch, signal))) {
        if (signal.aborted || this.#capped()) return false;
        continue;
      }
      // What was not in the batch is still missing, and comes again.
      if (batch.length === rest.length) below = lookedTo;
      else below = rest[batch.length]!.turnId + 1;
      await clock.sleep(0, signal);
      if (signal.aborted) return false;
    }
    return true;
  }

  /** True where the batch has its vectors, or can have none. */
  async #embed(batch: readonly Unit[], signal: AbortSignal): Promise<boolean> {
    const { budget, embedder, clock } = this.#deps;
    const texts = batch.map((one) => one.text);
    const estimate = estimateTokens(texts);
    if (!budget.fits(estimate, 1 - VECTOR_LIMITS.queryShare)) {
      this.#state = "capped";
      return false;
    }
    await this.#turnOfRate(signal);
    if (signal.aborted) return false;
    budget.charge(estimate);
    const answer = await embedder.embed(texts, "document", signal);
    budget.charge(billed(answer, estimate) - estimate);
    if (signal.aborted) return false;
    if (answer.ok) {
      this.#failures = 0;
      this.#lastFailure = undefined;
      this.#state = "filling";
      this.#keep(batch, answer.value.vectors);
      return true;
    }
    if (answer.error.reason === "CONTEXT_FULL") return this.#smaller(batch, signal);
    await this.#pause(answer.error, clock, signal);
    return false;
  }

  #keep(batch: readonly Unit[], vectors: readonly Float32Array[]): void {
    const { store, embedder, clock } = this.#deps;
    const dims = vectors[0]!.length;
    this.#dims = dims;
    const space = spaceFor(store.db, embedder.identity, dims, clock.now());
    store.alignNative(space);
    store.put(space, batch, vectors, clock.now());
  }

  /** Too long for the embedder: half as many, or half as long. What is too long even then means nothing to it. */
  async #smaller(batch: readonly Unit[], signal: AbortSignal): Promise<boolean> {
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      return (
        (await this.#embed(batch.slice(0, half), signal)) && (await this.#embed(batch.slice(half), signal))
      );
    }
    const one = batch[0]!;
    if (one.text.length > VECTOR_LIMITS.textCharsLeast)
      return this.#embed(
        [{ ...one, text: one.text.slice(0, Math.floor(one.text.length / 2)).toWellFormed() }],
        signal,
      );
    const { store, clock } = this.#deps;
    const space = this.space();
    if (space) store.put(space, [one], [new Float32Array(space.dims)], clock.now());
    return true;
  }

  async #turnOfRate(signal: AbortSignal): Promise<void> {
    const { clock, requestsPerMinute } = this.#deps;
    await clock.sleep(Math.max(0, this.#nextRequestAt - clock.now()), signal);
    this.#nextRequestAt = clock.now() + Math.ceil(60_000 / requestsPerMinute);
  }

  async #pause(reason: Failure, clock: Clock, signal: AbortSignal): Promise<void> {
    this.#state = "failing";
    this.#lastFailure = reason;
    const wanted = reason.retryAfterMs ?? VECTOR_LIMITS.pauseMs * 2 ** this.#failures;
    this.#failures += 1;
    this.#deps.log.info("texts were not embedded", { reason: reason.reason });
    await clock.sleep(Math.min(wanted, VECTOR_LIMITS.pauseMaxMs), signal);
  }
}

/** As many units from the front as one request may hold; one at least. */
function nextBatch(units: readonly Unit[]): readonly Unit[] {
  let chars = 0;
  let count = 0;
  for (const { text } of units) {
    chars += text.length;
    if (count === VECTOR_LIMITS.batchTexts || (count > 0 && chars > VECTOR_LIMITS.batchChars)) break;
    count += 1;
  }
  return units.slice(0, count);
}

/** What a request is taken to have cost. One that was refused is free; one whose answer was lost may well be on the bill. */
export function billed(answer: Result<Embedded, Failure>, estimate: number): number {
  if (answer.ok) return answer.value.tokens;
  return LOST.includes(answer.error.reason) ? estimate : 0;
}

const LOST: readonly FailureReason[] = ["ABORTED", "TIMEOUT", "BAD_REPLY"];

const BYTES_PER_TOKEN = 4;

export function estimateTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0);
}
