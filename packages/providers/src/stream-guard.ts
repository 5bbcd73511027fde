import { LIMITS } from "@elwood/core/base/limits";
import type { Clock } from "@elwood/runtime/ports/ports";

export interface GuardLimits {
  readonly firstEventMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Which limit was reached. `drain` is no fault: the answer was complete, only the stream stayed open. */
export type Expired = "first-event" | "idle" | "total" | "drain";

/**
 * Watches over one answer: nothing a provider does, or fails to do, keeps us waiting
 * beyond a named limit.
 *
 * G1 `signal` fires when the caller's signal does, or when a limit is reached; only in
 *    the second case does `expired` name one.
 * G2 A complete line counts as a sign of life, a byte does not: a server that drips one
 *    byte a second is as good as silent.
 * G3 After `stop` no timer of the guard is left.
 */
export class StreamGuard {
  readonly #clock: Clock;
  readonly #limits: GuardLimits;
  readonly #outer: AbortSignal;
  readonly #inner = new AbortController();
  readonly #passOn = () => this.#inner.abort(ENDED);
  #wake = new AbortController();
  #lastSignAt: number;
  #begun = false;
  #stopped = false;
  #endsAt: number;
  #endsAs: Expired = "total";
  #expired: Expired | undefined;

  constructor(clock: Clock, limits: GuardLimits, outer: AbortSignal) {
    this.#clock = clock;
    this.#limits = limits;
    this.#outer = outer;
    this.#lastSignAt = clock.now();
    this.#endsAt = this.#lastSignAt + limits.totalMs;
    if (outer.aborted) this.#inner.abort(ENDED);
    outer.addEventListener("abort", this.#passOn, { once: true });
    void this.#watch();
  }

  get signal(): AbortSignal {
    return this.#inner.signal;
  }

  get expired(): Expired | undefined {
    return this.#expired;
  }

  /** The provider is alive. Cheap: only the first sign moves a timer. */
  touch(): void {
    this.#lastSignAt = this.#clock.now();
    if (this.#begun) return;
    this.#begun = true;
    this.#wake.abort(ENDED);
  }

  /** The answer is complete; the stream may close by itself, but not take long about it. */
  drain(): void {
    const end = this.#clock.now() + LIMITS.modelDrainMs;
    if (end >= this.#endsAt) return;
    this.#endsAt = end;
    this.#endsAs = "drain";
    this.#wake.abort(ENDED);
  }

  stop(): void {
    this.#stopped = true;
    this.#outer.removeEventListener("abort", this.#passOn);
    this.#wake.abort(ENDED);
    this.#inner.abort(ENDED);
  }

  /** One timer at a time, set to the next moment at which something could be due. */
  async #watch(): Promise<void> {
    while (!this.#stopped && !this.#inner.signal.aborted) {
      const silence: Expired = this.#begun ? "idle" : "first-event";
      const patience = this.#begun ? this.#limits.idleMs : this.#limits.firstEventMs;
      const silentAt = this.#lastSignAt + patience;
      const dueAt = Math.min(silentAt, this.#endsAt);
      const wait = dueAt - this.#clock.now();
      if (wait <= 0) {
        this.#expired = silentAt < this.#endsAt ? silence : this.#endsAs;
        this.#inner.abort(ENDED);
        return;
      }
      this.#wake = new AbortController();
      await this.#clock.sleep(wait, this.#wake.signal);
    }
  }
}

/** Made once: each abort without a reason makes an error with a stack, several times for every answer. */
const ENDED = new DOMException("The answer is no longer waited for.", "AbortError");
