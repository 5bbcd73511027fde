import type { Clock } from "../ports/ports.ts";

/** Counts a run's own time: while it waits for a person, the time stands still. */
export class RunTimer {
  readonly #clock: Clock;
  readonly #onTimeUp: () => void;
  #leftMs: number;
  #since = 0;
  #ticking: AbortController | undefined;

  constructor(clock: Clock, limitMs: number, onTimeUp: () => void) {
    this.#clock = clock;
    this.#leftMs = limitMs;
    this.#onTimeUp = onTimeUp;
  }

  start(): void {
    if (this.#ticking) return;
    const ticking = new AbortController();
    this.#ticking = ticking;
    this.#since = this.#clock.now();
    void this.#tick(ticking.signal);
  }

  pause(): void {
    if (!this.#ticking) return;
    // With a reason: without one an exception is made each time.
    this.#ticking.abort("paused");
    this.#ticking = undefined;
    this.#leftMs -= this.#clock.now() - this.#since;
  }

  async #tick(stopped: AbortSignal): Promise<void> {
    await this.#clock.sleep(Math.max(0, this.#leftMs), stopped);
    if (!stopped.aborted) this.#onTimeUp();
  }
}
