import { LIMITS } from "@elwood/core/base/limits";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { EventData } from "@elwood/core/protocol/events";
import type { Clock, Log } from "@elwood/runtime/ports/ports";

type Attention = MethodResult<"attention.list">;
type Told = EventData<"attention.changed">;

export interface AttentionWatchDeps {
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
  readonly list: (tenant: string) => Promise<Attention>;
  /** The last run, if it failed: the cheap question after each run. */
  readonly lastFailed: (tenant: string) => Promise<string | undefined>;
  /** Other runs are under way, and end soon too. */
  readonly others?: () => boolean;
  /** Nobody hears it: then nothing is worked out. */
  readonly heard: () => boolean;
}

/**
 * Says when what wants the owner is no longer what it was.
 *
 * A1 Many changes in a short time are told as one, after it has been quiet for a moment.
 * A2 What is told is the same as what `attention.list` answers then; where that did not change, nothing is told.
 * A3 A run that ends as runs should costs one look at the last run, and no more; runs that end
 *    while others are under way share one.
 */
export class AttentionWatch {
  readonly #deps: AttentionWatchDeps;
  readonly #listeners = new Set<(tenant: string, told: Told) => void>();
  readonly #pending = new Set<string>();
  readonly #last = new Map<string, string>();
  readonly #failed = new Map<string, string | undefined>();
  /** Tenants whose last run is about to be looked at. */
  readonly #looking = new Set<string>();
  readonly #stopped = new AbortController();

  constructor(deps: AttentionWatchDeps) {
    this.#deps = deps;
  }

  onChange(listener: (tenant: string, told: Told) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something that may want the owner came, or went. */
  poke(tenant: string): void {
    if (this.#pending.has(tenant) || this.#stopped.signal.aborted || !this.#deps.heard()) return;
    this.#pending.add(tenant);
    void this.#tellSoon(tenant);
  }

  /** A3 */
  async runEnded(tenant: string): Promise<void> {
    if (this.#looking.has(tenant) || !this.#deps.heard()) return;
    this.#looking.add(tenant);
    if (this.#deps.others?.()) await this.#deps.clock.sleep(LIMITS.attentionQuietMs, this.#stopped.signal);
    this.#looking.delete(tenant);
    if (this.#stopped.signal.aborted) return;
    try {
      const failed = await this.#deps.lastFailed(tenant);
      if (failed === this.#failed.get(tenant)) return;
      this.#failed.set(tenant, failed);
      this.poke(tenant);
    } catch (error) {
      this.#deps.log.warn("could not look at the last run", { error });
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #tellSoon(tenant: string): Promise<void> {
    const { clock, list, log } = this.#deps;
    await clock.sleep(LIMITS.attentionQuietMs, this.#stopped.signal);
    this.#pending.delete(tenant);
    if (this.#stopped.signal.aborted) return;
    try {
      const { items, leftOut = 0 } = await list(tenant);
      const now = JSON.stringify(items.map(({ id, severity, text }) => [id, severity, text]));
      // Before the first word nobody knows what clients think: they may have asked a gateway that is gone.
      if (now === this.#last.get(tenant)) return;
      this.#last.set(tenant, now);
      const worst = items[0]?.severity;
      const told = { count: items.length + leftOut, ...(worst === undefined ? {} : { worst }) };
      for (const listener of this.#listeners) listener(tenant, told);
    } catch (error) {
      log.warn("could not work out what wants the owner", { error });
    }
  }
}
