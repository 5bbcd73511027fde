import { LIMITS } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import { costUsd, priceOf, type PriceRow } from "@elwood/core/model/price";
import type { Observe } from "@elwood/runtime/ports/observe";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { roomUsd, type Budgets } from "./budgets.ts";

export interface BudgetWatchDeps {
  readonly budgets: Pick<Budgets, "of">;
  readonly prices: readonly PriceRow[];
  readonly localTime: Pick<LocalTime, "startOfDay">;
  readonly clock: Clock;
  readonly log: Log;
  /** A mark of this tenant's was reached. */
  readonly reached: (tenant: string) => void;
}

/**
 * Says that spending has reached a mark: once for each, in the log, and to who shows what wants the owner.
 *
 * B1 What was spent is looked up only where a mark may have been reached since the last look.
 * B2 It is looked up a moment later, when what was just used has been put on record, and again where more was used
 *    meanwhile.
 */
export class BudgetWatch {
  readonly #deps: BudgetWatchDeps;
  /** By tenant: what may be spent until the next mark, until a new day begins. */
  readonly #room = new Map<string, { readonly until: number; usd: number }>();
  /** By tenant, where one is about to look: what was used meanwhile. */
  readonly #looking = new Map<string, number>();
  /** The last mark that was told of each budget. */
  readonly #told = new Map<string, string>();
  readonly #stopped = new AbortController();

  constructor(deps: BudgetWatchDeps) {
    this.#deps = deps;
  }

  readonly observe: Observe = (fact) => {
    if (fact.kind !== "model" && fact.kind !== "run") return;
    const { prices, clock } = this.#deps;
    const { tenant } = fact;
    const price = fact.kind === "model" && priceOf(fact.answered, prices, fact.endedAt);
    const usd = price && fact.usage ? costUsd(fact.usage, price) : 0;
    const meanwhile = this.#looking.get(tenant);
    const room = this.#room.get(tenant);
    if (meanwhile !== undefined) this.#looking.set(tenant, meanwhile + usd);
    else if (room && room.usd > usd && clock.now() < room.until) room.usd -= usd;
    else void this.#look(tenant);
  };

  stop(): void {
    this.#stopped.abort();
  }

  async #look(tenant: string): Promise<void> {
    const { clock, log } = this.#deps;
    for (let again = true; again; again = this.#lessRoom(tenant, this.#looking.get(tenant) ?? 0)) {
      this.#looking.set(tenant, 0);
      await clock.sleep(LIMITS.attentionQuietMs, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
      try {
        await this.#tell(tenant);
      } catch (error) {
        if (!this.#stopped.signal.aborted)
          log.warn("what was spent could not be looked up", { event: "budget.unknown", error });
      }
    }
    this.#looking.delete(tenant);
  }

  /** Whether that may have reached the next mark. */
  #lessRoom(tenant: string, usd: number): boolean {
    const room = this.#room.get(tenant);
    if (!room || usd === 0) return false;
    room.usd -= usd;
    return room.usd <= 0;
  }

  async #tell(tenant: string): Promise<void> {
    const { budgets, clock, localTime, log, reached } = this.#deps;
    const found = await budgets.of(tenant);
    const usd = Math.min(...found.map(roomUsd));
    this.#room.set(tenant, { until: localTime.startOfDay(clock.now()) + DAY_MS, usd });
    for (const { what, spentUsd, capUsd, alert } of found) {
      const place = `${tenant} ${what}`;
      if (!alert || this.#told.get(place) === alert.id) continue;
      this.#told.set(place, alert.id);
      log[alert.percent === 50 ? "info" : "warn"]("a part of what may be spent is used", {
        event: "budget.reached",
        tenant,
        what,
        percent: alert.percent,
        spentUsd,
        capUsd,
      });
      reached(tenant);
    }
  }
}

const DAY_MS = 24 * 60 * 60_000;
