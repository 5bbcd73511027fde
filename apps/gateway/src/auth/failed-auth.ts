import { LIMITS } from "@elwood/core/base/limits";
import type { Clock } from "@elwood/runtime/ports/ports";

/**
 * One limiter for every way of proving who you are. After ten failures within a minute what is
 * wrong is answered with a wait until the oldest of them is a minute old. A right token or ticket
 * is let in all the same, or whoever can connect could lock the owner out; only one that is short
 * enough to be guessed waits.
 */
export class FailedAuthLimiter {
  readonly #clock: Clock;
  readonly #failures = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until this address may try again; 0 where it may now. */
  waitMs(key: string): number {
    const recent = this.#recent(key);
    if (recent.length < LIMITS.failedAuthPerWindowMax) return 0;
    return recent[0]! + LIMITS.failedAuthWindowMs - this.#clock.now();
  }

  /** Milliseconds that this very token has to wait before it is looked at. */
  waitBeforeMs(key: string, token: string): number {
    return token.length < LIMITS.guessableTokenChars ? this.waitMs(key) : 0;
  }

  failed(key: string): void {
    const recent = this.#recent(key);
    recent.push(this.#clock.now());
    // Re-inserted, so that the address that failed longest ago is the first to be forgotten.
    this.#failures.delete(key);
    this.#failures.set(key, recent.slice(-LIMITS.failedAuthPerWindowMax));
    if (this.#failures.size > LIMITS.failedAuthKeysMax) {
      const oldest = this.#failures.keys().next();
      if (!oldest.done) this.#failures.delete(oldest.value);
    }
  }

  #recent(key: string): number[] {
    const since = this.#clock.now() - LIMITS.failedAuthWindowMs;
    return (this.#failures.get(key) ?? []).filter((at) => at > since);
  }
}
