import { LIMITS } from "@elwood/core/base/limits";
import type { Feeds, RunEvent, RunFeed } from "@elwood/runtime/run/feed";

/** An event as it is sent. */
export interface LoggedEvent {
  readonly seq: number;
  readonly name: string;
  readonly json: string;
}

/**
 * The last events of a run, for whoever watches it over HTTP: each reader goes on from the number that it saw last, at
 * its own pace and over several connections.
 *
 * L1 Events are kept once, however many read them, and no more than a limit: who is further behind is told where the
 *    run stands instead.
 * L2 Text that is still a draft is not among them: the final text is.
 */
export class RunLog {
  readonly #feed: RunFeed;
  readonly #events: LoggedEvent[] = [];
  readonly #waiting = new Set<() => void>();
  /** All that was told after this number is here. */
  #from: number;
  #chars = 0;

  constructor(feed: RunFeed) {
    this.#feed = feed;
    this.#from = feed.seq;
    feed.subscribe((event) => this.#add(event));
  }

  get ended(): boolean {
    return this.#feed.ended;
  }

  /** What came after this number; undefined where some of it is not here. */
  after(seq: number): readonly LoggedEvent[] | undefined {
    if (seq < this.#from || seq > this.#feed.seq) return undefined;
    return this.#events.slice(this.#events.findLastIndex((event) => event.seq <= seq) + 1);
  }

  /** Resolves with the next event, or once nobody waits any more. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.ended) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    this.#waiting.delete(resolve);
  }

  #add({ event: name, data }: RunEvent): void {
    if (!(name === "chat.delta" && this.#feed.held)) {
      const json = JSON.stringify(data);
      this.#events.push({ seq: data.seq, name, json });
      this.#chars += json.length;
    }
    while (this.#events.length > LIMITS.runLogEventsMax || this.#chars > LIMITS.runLogCharsMax) {
      const gone = this.#events.shift()!;
      this.#chars -= gone.json.length;
      this.#from = gone.seq;
    }
    for (const wake of this.#waiting) wake();
  }
}

/** The logs of the runs that were begun or watched over HTTP last. */
export class RunLogs {
  readonly #feeds: Pick<Feeds, "get">;
  readonly #logs = new Map<string, RunLog>();

  constructor(feeds: Pick<Feeds, "get">) {
    this.#feeds = feeds;
  }

  /** Undefined where nothing more can come of the run, and nothing of it is kept. */
  of(runId: string): RunLog | undefined {
    const feed = this.#feeds.get(runId);
    const log = this.#logs.get(runId) ?? (feed && new RunLog(feed));
    if (!log) return undefined;
    this.#logs.delete(runId);
    this.#logs.set(runId, log);
    if (this.#logs.size > LIMITS.runLogsMax) this.#logs.delete(this.#logs.keys().next().value!);
    return log;
  }
}
