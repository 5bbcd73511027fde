import type { Failure } from "@elwood/core/base/failure";
import type { Usage } from "@elwood/core/message/message";
import type { ModelRef } from "@elwood/core/model/model";
import { ok, type Result } from "@elwood/core/base/result";

/** A request to a model that is about to be sent for somebody, and the most it may use. */
export interface PlannedRequest {
  readonly tenant: string;
  /** The run or the execution that it belongs to. */
  readonly runId: string;
  /** The token it was asked with; undefined where the gateway itself asks. */
  readonly tokenId?: string;
  /**
   * What it is, under each name that a pattern may speak of: `llm.chat`, `llm.embed` or `llm.rerank`, and the
   * resource name of an action with its version.
   */
  readonly names: readonly string[];
  readonly model: ModelRef;
  /** About what the question takes. Counted where a cap asks for it: a long conversation takes a while. */
  readonly inputTokens: () => number;
  /** The most that the answer may be long. */
  readonly outputTokensMax: number;
  /** Whoever asks no longer waits for its turn. */
  readonly signal: AbortSignal;
}

/** What a request used in the end. Without `usage` nothing is known of it: then the whole estimate counts. */
export interface SpentRequest {
  readonly outcome: "done" | "failed" | "cancelled";
  readonly usage?: Usage;
  /** The model that answered, where it may be another than was asked. */
  readonly model?: ModelRef;
}

/** A place that is held for one request. */
export interface Reservation {
  /** The most that the answer may be long now; never more than was planned. */
  readonly outputTokensMax: number;
  /** The most time it may take; undefined where nobody says. */
  readonly timeoutMs?: number;
  /** Whether a model may answer in place of the one that was asked; undefined where any may. */
  readonly mayAnswer?: (ref: ModelRef) => boolean;
  /** Gives the place back, and counts what was used. Called exactly once for every reservation. */
  settle(spent: SpentRequest): Promise<void>;
}

/**
 * Who may ask which model for how much.
 *
 * G1 `reserve` counts the whole estimate before the request is sent: requests in flight together pass a
 *    cap by one estimate at most. `settle` puts what was really used in its place.
 * G2 A refusal is a Failure in words, and nothing was sent.
 */
export interface Governance {
  reserve(planned: PlannedRequest): Promise<Result<Reservation, Failure>>;
  /** Why a tenant may not use something that asks no model; undefined where it may. */
  refusal(tenant: string, names: readonly string[]): Failure | undefined;
}

/** Nobody is refused anything. */
export const UNLIMITED: Governance = {
  reserve: async ({ outputTokensMax }) => ok({ outputTokensMax, settle: async () => {} }),
  refusal: () => undefined,
};

/** A sum that must not grow further, counted since a moment or within one run. */
export interface CostCap {
  readonly what: "run" | "day" | "month";
  readonly capUsd: number;
  readonly since: number;
}

/** A cap that is reached: by what was used, or only with what requests in flight hold. */
export interface ReachedCap extends CostCap {
  readonly usedUsd: number;
  readonly heldUsd: number;
}

export interface HeldCost {
  readonly id: string;
  readonly runId: string;
  /** Which process holds it: one that is gone holds nothing, and its estimates count as used. */
  readonly processId: string;
  readonly at: number;
  readonly costUsd: number;
}

/**
 * What requests hold and used, for caps on cost.
 *
 * C1 `hold` looks at all caps and holds in one step: of many at once, none sees a sum without the others.
 * C2 After a crash nothing is held by the process that is gone, and what it held counts as used.
 */
export interface CostStore {
  /** Once for each process and tenant: C2, and what was used without being held, such as before there were caps. */
  begin(
    tenant: string,
    processId: string,
    since: { readonly day: number; readonly month: number },
  ): Promise<void>;
  /** Held where every cap has room left; else the one that has not. */
  hold(tenant: string, held: HeldCost, caps: readonly CostCap[]): Promise<ReachedCap | undefined>;
  settle(tenant: string, id: string, costUsd: number): Promise<void>;
}
