import { AsyncLocalStorage } from "node:async_hooks";
import { LIMITS } from "@elwood/core/base/limits";

/** Which request is being handled, so that every line that is logged for it can say so. */
export class RequestIds {
  readonly #current = new AsyncLocalStorage<string>();
  /** By run: a run goes on after its request was answered, and may be taken up in the middle of another. */
  readonly #ofRuns = new Map<string, string>();

  /** Handles a request under an id; a run that it answers with belongs to it. */
  async handle<T>(requestId: string, work: () => Promise<T>): Promise<T> {
    return this.#current.run(requestId, work);
  }

  /** The run belongs to the request that is being handled. */
  began(runId: string): void {
    const requestId = this.#current.getStore();
    if (requestId === undefined) return;
    const oldest = this.#ofRuns.keys().next();
    if (this.#ofRuns.size >= LIMITS.requestsRememberedMax && !oldest.done) this.#ofRuns.delete(oldest.value);
    this.#ofRuns.set(runId, requestId);
  }

  ofRun(runId: string): string | undefined {
    return this.#ofRuns.get(runId);
  }

  /** For a line with these fields: that of its run, or the one that is being handled. */
  of(fields: Readonly<Record<string, unknown>>): string | undefined {
    const run = fields["runId"] ?? fields["run"];
    return (typeof run === "string" ? this.#ofRuns.get(run) : undefined) ?? this.#current.getStore();
  }
}
