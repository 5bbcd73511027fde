import { LIMITS } from "@elwood/core/base/limits";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { CallFact, Observe } from "@elwood/runtime/ports/observe";

/** How a call may end, by the type of its receipt. */
const ENDINGS: Readonly<Record<string, CallFact["outcome"]>> = {
  "tool.call.succeeded": "succeeded",
  "tool.call.failed": "failed",
  "tool.call.unknown": "unknown",
  "tool.call.denied": "denied",
  "tool.call.expired": "expired",
  "tool.call.refused": "refused",
};

/** Facts about runs and calls, from their receipts: what is told here is what is on record. */
export class ReceiptFacts {
  readonly #observe: Observe;
  /** When runs and calls began, by id; of too many the oldest is let go, and its end has no duration. */
  readonly #begun = new Map<string, number>();

  constructor(observe: Observe) {
    this.#observe = observe;
  }

  noted(tenant: string, receipts: readonly StoredReceipt[]): void {
    for (const receipt of receipts) this.#take(tenant, receipt);
  }

  #take(tenant: string, receipt: StoredReceipt): void {
    const { type, runId, callId, ts, surface } = receipt;
    if (type === "run.started" || type === "run.resumed") this.#begin(runId, ts);
    else if (isReceipt(receipt, "run.finished")) {
      const { sessionId, status } = receipt.payload;
      this.#observe({
        kind: "run",
        tenant,
        runId,
        sessionId,
        surface,
        status,
        ...this.#end(runId),
        endedAt: ts,
      });
    } else if (callId !== undefined && type === "tool.call.started") this.#begin(callId, ts);
    else if (callId !== undefined && Object.hasOwn(ENDINGS, type)) this.#ended(tenant, callId, receipt);
  }

  #ended(tenant: string, callId: string, receipt: StoredReceipt): void {
    const { type, runId, ts, payload } = receipt;
    // Every receipt of a call says which tool it is of.
    const { toolId } = payload as { readonly toolId: string };
    const by = isReceipt(receipt, "tool.call.denied") ? receipt.payload.decidedBy.kind : undefined;
    this.#observe({
      kind: "call",
      tenant,
      runId,
      callId,
      toolId,
      outcome: ENDINGS[type]!,
      ...this.#end(callId),
      endedAt: ts,
      ...(by === undefined ? {} : { by }),
    });
  }

  #begin(id: string, at: number): void {
    const oldest = this.#begun.keys().next();
    if (this.#begun.size >= LIMITS.observedOpenMax && !oldest.done) this.#begun.delete(oldest.value);
    this.#begun.set(id, at);
  }

  #end(id: string): { readonly startedAt?: number } {
    const startedAt = this.#begun.get(id);
    this.#begun.delete(id);
    return startedAt === undefined ? {} : { startedAt };
  }
}
