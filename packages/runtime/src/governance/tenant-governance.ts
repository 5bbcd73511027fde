import { failure, type Failure } from "@elwood/core/base/failure";
import type { LocalTime } from "@elwood/core/base/local-time";
import { err, ok, type Result } from "@elwood/core/base/result";
import { formatModelRef, type ModelRef } from "@elwood/core/model/model";
import { costUsd, priceOf, type Price, type PriceRow } from "@elwood/core/model/price";
import { isModelAllowed, nameRefusal, type TenantLimits } from "@elwood/core/tenant/tenant-limits";
import { Slots } from "../actions/slots.ts";
import type {
  CostCap,
  CostStore,
  Governance,
  PlannedRequest,
  ReachedCap,
  Reservation,
} from "../ports/governance.ts";
import type { Clock, Ids } from "../ports/ports.ts";

export interface TenantGovernanceDeps {
  readonly limits: Readonly<Record<string, TenantLimits>>;
  readonly store: CostStore;
  readonly prices: readonly PriceRow[];
  readonly localTime: LocalTime;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Names this process. */
  readonly processId: string;
}

/** Keeps the requests of each tenant within the limits that the owner set for it. */
export class TenantGovernance implements Governance {
  readonly #deps: TenantGovernanceDeps;
  readonly #slots: Slots;
  readonly #begun = new Map<string, Promise<void>>();

  constructor(deps: TenantGovernanceDeps) {
    this.#deps = deps;
    this.#slots = new Slots(deps.clock);
  }

  refusal(tenant: string, names: readonly string[]): Failure | undefined {
    const why = nameRefusal(tenant, this.#limits(tenant), names);
    return why === undefined ? undefined : failure("LIMIT", `${why} Nothing was done.`);
  }

  async reserve(planned: PlannedRequest): Promise<Result<Reservation, Failure>> {
    const { tenant, names, model, signal } = planned;
    const limits = this.#limits(tenant) ?? {};
    const refused = this.refusal(tenant, names) ?? modelRefusal(tenant, limits, model);
    if (refused) return err(refused);
    const slot = await this.#slots.take(`tenant ${tenant}`, limits, signal);
    if (!slot.ok) return slot;
    const outputTokensMax = Math.min(planned.outputTokensMax, limits.maxTokens ?? Infinity);
    const held = await this.#hold({ ...planned, outputTokensMax }, limits);
    if (!held.ok) {
      slot.value();
      return held;
    }
    return ok({
      outputTokensMax,
      ...(limits.timeoutMs === undefined ? {} : { timeoutMs: limits.timeoutMs }),
      ...(limits.modelsAllowed ? { mayAnswer: (ref: ModelRef) => isModelAllowed(limits, ref) } : {}),
      settle: async ({ usage, model: answered = model }) => {
        slot.value();
        const price = usage && priceOf(answered, this.#deps.prices, this.#deps.clock.now());
        await held.value?.(price && costUsd(usage, price));
      },
    });
  }

  /** Answers what puts the real cost in place of the estimate; undefined where no cap counts. */
  async #hold(
    { tenant, runId, model, inputTokens, outputTokensMax }: PlannedRequest,
    { costCapUsd }: TenantLimits,
  ): Promise<Result<((costUsd: number | undefined) => Promise<void>) | undefined, Failure>> {
    const { store, prices, clock, ids, processId, localTime } = this.#deps;
    const at = clock.now();
    const since = { day: localTime.startOfDay(at), month: localTime.startOfMonth(at) };
    const caps = (["run", "day", "month"] as const).flatMap((what): CostCap[] => {
      const capUsd = costCapUsd?.[what];
      return capUsd === undefined ? [] : [{ what, capUsd, since: what === "run" ? 0 : since[what] }];
    });
    if (caps.length === 0) return ok(undefined);
    const price = priceOf(model, prices, at);
    if (!price) return err(unpriced(tenant, model));
    await this.#begin(tenant, since);
    const id = ids.next("request");
    const estimate = estimateUsd(price, inputTokens(), outputTokensMax);
    const reached = await store.hold(tenant, { id, runId, processId, at, costUsd: estimate }, caps);
    if (reached) return err(capReached(tenant, reached));
    return ok((cost = estimate) => store.settle(tenant, id, cost));
  }

  #begin(tenant: string, since: { readonly day: number; readonly month: number }): Promise<void> {
    const begun = this.#begun.get(tenant) ?? this.#deps.store.begin(tenant, this.#deps.processId, since);
    this.#begun.set(tenant, begun);
    return begun;
  }

  #limits(tenant: string): TenantLimits | undefined {
    const { limits } = this.#deps;
    return Object.hasOwn(limits, tenant) ? limits[tenant] : undefined;
  }
}

/** The most it may cost: nothing of the question is in a cache, and the answer is as long as it may be. */
export function estimateUsd(price: Price, inputTokens: number, outputTokensMax: number): number {
  const input = Math.max(price.input, price.cacheWrite);
  return (inputTokens * input + outputTokensMax * price.output) / 1_000_000;
}

function modelRefusal(tenant: string, limits: TenantLimits, model: ModelRef): Failure | undefined {
  if (isModelAllowed(limits, model)) return undefined;
  return failure(
    "LIMIT",
    `The tenant ${tenant} may not ask ${formatModelRef(model)}: tenants.${tenant}.modelsAllowed lists ${limits.modelsAllowed?.join(", ") || "none"}. Nothing was sent.`,
  );
}

function unpriced(tenant: string, model: ModelRef): Failure {
  return failure(
    "LIMIT",
    `What ${formatModelRef(model)} costs is not known, so the caps of the tenant ${tenant} cannot be kept. Nothing was sent. Its price goes into prices in the settings.`,
  );
}

const SPANS = { run: "in one run", day: "in a day", month: "in a month" } as const;

function capReached(tenant: string, { what, capUsd, usedUsd, heldUsd }: ReachedCap): Failure {
  const may = `of the $${capUsd} it may use ${SPANS[what]}`;
  const raise = `The owner can raise tenants.${tenant}.costCapUsd.${what}.`;
  if (usedUsd >= capUsd)
    return failure(
      "LIMIT",
      `The tenant ${tenant} has used $${usedUsd.toFixed(4)} ${may}. Nothing was sent. ${raise}`,
    );
  return failure(
    "LIMIT",
    `The tenant ${tenant} has used $${usedUsd.toFixed(4)} ${may}, and requests in progress may use up the rest ($${heldUsd.toFixed(4)}). Nothing was sent; try again when they have ended. ${raise}`,
    { retryable: true },
  );
}
