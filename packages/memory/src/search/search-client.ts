import { Worker } from "node:worker_threads";
import { fail, failure, FailureError } from "@elwood/core/base/failure";
import type { MemoryHit, MemoryQuery } from "@elwood/core/memory/turn";
import type { Clock } from "@elwood/runtime/ports/ports";
import { INDEX_LIMITS } from "../index/limits.ts";
import type { QueryVector } from "./hybrid-search.ts";
import type { ThreadAnswer, SearchTask } from "./serve-searches.ts";

interface Waiting {
  /** When it was asked for. */
  since: number;
  readonly query: MemoryQuery;
  readonly queryVector: QueryVector | undefined;
  /** How often a thread died over it. */
  tries: number;
  readonly resolve: (hits: readonly MemoryHit[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface SearchClientOptions {
  readonly path: string;
  readonly clock: Clock;
  /** What runs in the thread; tests put one there that dies. */
  readonly module?: URL;
}

/**
 * Searches in another thread, so that a large index keeps nobody else waiting. The thread is
 * started with the first search and leaves when it was idle for a while. Should it die, what it was at
 * is tried once more in a new one; what fails twice, or takes too long, fails with words.
 */
export class SearchClient {
  readonly #options: SearchClientOptions;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #isReady = false;
  /** Runs as long as the thread does. A timer for each search would cost more than handing the search over. */
  #watch: AbortController | undefined;
  #lastUsed = 0;
  #next = 1;

  constructor(options: SearchClientOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#thread !== undefined;
  }

  /** It searches at once: nobody has to wait until it has started, or behind too many others. */
  get isFree(): boolean {
    return this.#thread !== undefined && this.#isReady && this.#waiting.size < INDEX_LIMITS.queuedMax;
  }

  /** Starts the thread ahead of searches; it stops again if none come. */
  start(): void {
    if (this.#thread) return;
    this.#lastUsed = this.#options.clock.now();
    this.#runningThread();
  }

  async search(query: MemoryQuery, queryVector?: QueryVector): Promise<readonly MemoryHit[]> {
    if (this.#waiting.size >= INDEX_LIMITS.queuedMax) {
      fail(
        "QUEUE_FULL",
        "Too many searches of memory wait already. This one was not made; try again in a moment.",
      );
    }
    const id = this.#next++;
    const since = this.#options.clock.now();
    const found = new Promise<readonly MemoryHit[]>((resolve, reject) => {
      this.#waiting.set(id, { since, query, queryVector, tries: 0, resolve, reject });
    });
    this.#post(id, { query, queryVector });
    try {
      return await found;
    } finally {
      this.#waiting.delete(id);
      this.#lastUsed = this.#options.clock.now();
    }
  }

  /** Whoever waits is told that the search was not made. */
  async stop(): Promise<void> {
    for (const each of this.#waiting.values()) each.reject(stopped());
    await this.#leave();
  }

  #post(id: number, { query, queryVector }: Pick<Waiting, "query" | "queryVector">): void {
    const task: SearchTask = { id, query, ...(queryVector ? { queryVector } : {}) };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#runningThread().postMessage(task);
  }

  #runningThread(): Worker {
    this.#thread ??= this.#newThread();
    if (!this.#watch) void this.#watchThread();
    return this.#thread;
  }

  #newThread(): Worker {
    const { path, module = new URL("./search-worker.ts", import.meta.url) } = this.#options;
    const thread = new Worker(module, {
      workerData: { path },
      resourceLimits: { maxYoungGenerationSizeMb: INDEX_LIMITS.threadYoungMb },
    });
    thread.unref();
    this.#isReady = false;
    thread.on("message", (answer: ThreadAnswer) => {
      if ("isReady" in answer) {
        if (this.#thread === thread) this.#isReady = true;
        return;
      }
      const waiting = this.#waiting.get(answer.id);
      if ("hits" in answer) waiting?.resolve(answer.hits);
      else waiting?.reject(Object.assign(new Error(answer.error.message), asSqlite(answer.error.errcode)));
    });
    // `exit` follows, and does what is to be done.
    thread.on("error", () => undefined);
    thread.on("exit", () => this.#died(thread));
    return thread;
  }

  #died(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    for (const [id, waiting] of this.#waiting) {
      waiting.tries += 1;
      if (waiting.tries > 1) waiting.reject(broken());
      else this.#post(id, waiting);
    }
  }

  /** Gives up searches that take too long, and stops the thread once nobody has searched for a while. */
  async #watchThread(): Promise<void> {
    const { clock } = this.#options;
    const { searchMs, threadIdleMs } = INDEX_LIMITS;
    const watch = (this.#watch = new AbortController());
    while (!watch.signal.aborted) {
      const now = clock.now();
      // Later than now where the clock was set back.
      this.#lastUsed = Math.min(this.#lastUsed, now);
      for (const each of this.#waiting.values()) each.since = Math.min(each.since, now);
      // The first one waits longest.
      const [oldest] = this.#waiting;
      const leftMs = oldest ? oldest[1].since + searchMs - now : this.#lastUsed + threadIdleMs - now;
      if (leftMs > 0) await clock.sleep(Math.min(leftMs, threadIdleMs), watch.signal);
      else if (oldest) this.#tooLate(oldest[0]);
      else await this.#leave();
    }
  }

  async #leave(): Promise<void> {
    this.#watch?.abort("left");
    this.#watch = undefined;
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #tooLate(id: number): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    waiting.reject(
      new FailureError(
        failure("TIMEOUT", "The search of memory took too long and was given up. Ask with fewer words."),
      ),
    );
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
    for (const [other, each] of this.#waiting) this.#post(other, each);
  }
}

function asSqlite(errcode: number | undefined) {
  return errcode === undefined ? {} : { code: "ERR_SQLITE_ERROR", errcode };
}

function broken(): FailureError {
  return new FailureError(
    failure("INTERNAL", "The search of memory broke off twice. Nothing was changed; try again."),
  );
}

function stopped(): FailureError {
  return new FailureError(
    failure("STOPPING", "The search of memory was not made: Elwood is stopping, or the index was replaced."),
  );
}
