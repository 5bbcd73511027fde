/**
 * Runs one job at a time per session, in order, and at most `parallel` sessions at once. A job never
 * rejects.
 */
export class SessionQueue {
  readonly #parallel: number;
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  readonly #busy = new Set<string>();
  readonly #parked = new Set<string>();
  #stopped = false;
  #idle: (() => void)[] = [];

  constructor(parallel: number) {
    this.#parallel = parallel;
  }

  /** Jobs ahead of a new one in this session, the running one included. */
  ahead(sessionId: string): number {
    return (this.#waiting.get(sessionId)?.length ?? 0) + (this.#busy.has(sessionId) ? 1 : 0);
  }

  get running(): number {
    return this.#busy.size - this.#parked.size;
  }

  /** A job that waits for a person keeps its session but gives up its slot among the parallel ones. */
  park(sessionId: string, parked: boolean): void {
    if (!this.#busy.has(sessionId)) return;
    if (parked) this.#parked.add(sessionId);
    else this.#parked.delete(sessionId);
    this.#pump();
  }

  get queued(): number {
    let count = 0;
    for (const jobs of this.#waiting.values()) count += jobs.length;
    return count;
  }

  push(sessionId: string, job: () => Promise<void>): void {
    const jobs = this.#waiting.get(sessionId);
    if (jobs) jobs.push(job);
    else this.#waiting.set(sessionId, [job]);
    this.#pump();
  }

  /** Starts nothing more; resolves when what runs has ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    return this.whenIdle();
  }

  whenIdle(): Promise<void> {
    if (this.#busy.size === 0 && this.#waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    if (this.#stopped) return;
    for (const [sessionId, jobs] of this.#waiting) {
      if (this.running >= this.#parallel) return;
      if (this.#busy.has(sessionId)) continue;
      const job = jobs.shift();
      if (jobs.length === 0) this.#waiting.delete(sessionId);
      if (!job) continue;
      this.#busy.add(sessionId);
      void this.#run(sessionId, job);
    }
  }

  async #run(sessionId: string, job: () => Promise<void>): Promise<void> {
    try {
      await job();
    } finally {
      this.#busy.delete(sessionId);
      this.#parked.delete(sessionId);
      this.#pump();
      if (this.#busy.size === 0 && this.#waiting.size === 0) {
        const waiting = this.#idle;
        this.#idle = [];
        for (const resolve of waiting) resolve();
      }
    }
  }
}
