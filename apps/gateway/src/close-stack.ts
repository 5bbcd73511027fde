import type { Log } from "@elwood/runtime/ports/ports";

/** What closes together, by the names that the log has for it. */
type Closers = Readonly<Record<string, () => unknown>>;

/**
 * What has been opened, so that it can be closed in reverse order: what was opened last may still
 * use what was opened first. A part that fails to close is logged, and keeps no other open.
 */
export class CloseStack {
  readonly #log: Pick<Log, "error">;
  readonly #opened: Closers[] = [];

  constructor(log: Pick<Log, "error">) {
    this.#log = log;
  }

  /** Closed before all that was added earlier; several parts of one call are closed at the same time. */
  add(closers: Closers): void {
    this.#opened.push(closers);
  }

  /** Resolves when everything was closed or has failed to close. Closing again does nothing. */
  async close(): Promise<void> {
    for (let closers = this.#opened.pop(); closers !== undefined; closers = this.#opened.pop())
      await Promise.all(Object.entries(closers).map(([part, close]) => this.#closeOne(part, close)));
  }

  async #closeOne(part: string, close: () => unknown): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.#log.error("a part of the gateway could not be closed; the others are closed all the same", {
        part,
        error,
      });
    }
  }
}
