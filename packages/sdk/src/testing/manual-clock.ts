/** A sleep somebody asked for: when (by this clock) and how long. */
export interface AskedSleep {
  readonly at: number;
  readonly ms: number;
}

interface Sleeper {
  readonly due: number;
  readonly ms: number;
  readonly wake: () => void;
}

export interface ManualClockOptions {
  /** Where time starts; a fixed moment in 2026 unless told. */
  readonly start?: number;
  /**
   * Sleeps that jump time at once instead of waiting for `advance`. `true` means all of
   * them; a function picks by length, so that short pauses pass by themselves while long
   * timeouts stay asleep.
   */
  readonly autoAdvance?: boolean | ((ms: number) => boolean);
}

/**
 * A clock that stands still until a test moves it.
 *
 * C1 `now()` changes only through `advance`, `set` or an automatic sleep.
 * C2 Sleepers wake in the order in which they fall due, each seeing its own due time.
 * C3 A sleeper whose signal fires wakes at once, and time does not move.
 */
export class ManualClock {
  readonly #auto: (ms: number) => boolean;
  readonly #sleepers = new Set<Sleeper>();
  readonly #asked: AskedSleep[] = [];
  readonly #watchers = new Set<() => void>();
  #now: number;

  constructor(options: ManualClockOptions = {}) {
    this.#now = options.start ?? Date.UTC(2026, 10, 15, 9, 0, 0);
    const auto = options.autoAdvance ?? false;
    this.#auto = typeof auto === "function" ? auto : () => auto;
  }

  now(): number {
    return this.#now;
  }

  /** Every sleep asked for so far, oldest first. */
  get sleeps(): readonly AskedSleep[] {
    return this.#asked;
  }

  /** How many are asleep now. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#asked.push({ at: this.#now, ms });
    if (signal?.aborted || ms <= 0) return this.#noted(Promise.resolve());
    if (this.#auto(ms)) {
      this.#now += ms;
      return this.#noted(Promise.resolve());
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper: Sleeper = {
      due: this.#now + ms,
      ms,
      wake: () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", sleeper.wake);
        resolve();
      },
    };
    signal?.addEventListener("abort", sleeper.wake, { once: true });
    this.#sleepers.add(sleeper);
    return this.#noted(promise);
  }

  /**
   * Moves time on. Between two sleepers the event loop turns once, so that one who falls
   * asleep again on waking is seen too. Await it wherever what follows depends on that.
   */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    for (let next = this.#nextDue(target); next !== undefined; next = this.#nextDue(target)) {
      this.#now = Math.max(this.#now, next.due);
      next.wake();
      await nextEventLoopTurn();
    }
    this.#now = Math.max(this.#now, target);
  }

  /** Moves time without waking anyone: a machine that was suspended, or a clock set back. */
  set(now: number): void {
    this.#now = now;
  }

  /** Resolves once a sleep that fits is under way; at once if one already is. */
  async untilAsleep(fits: (ms: number) => boolean = () => true): Promise<void> {
    while (![...this.#sleepers].some((sleeper) => fits(sleeper.ms))) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      await promise;
    }
  }

  #nextDue(target: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.due <= target && (first === undefined || sleeper.due < first.due)) first = sleeper;
    }
    return first;
  }

  #noted<T>(value: T): T {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
    return value;
  }
}

/** For a script with delays, and for an engine's times: `await clock.advance(1_000)` moves it on. */
export function fakeClock(options: ManualClockOptions = {}): ManualClock {
  return new ManualClock(options);
}

/** One turn of the event loop: every promise that was ready has run, and sockets had their say. */
export function nextEventLoopTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  return promise;
}
