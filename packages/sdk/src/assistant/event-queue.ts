import type { StreamEvent } from "./events.ts";

/** Events that wait for somebody who reads them; above this the oldest pieces of text are dropped: the message has them all. */
export const EVENTS_WAITING_MAX = 10_000;

/** Events for one reader, in order. */
export class EventQueue {
  #waiting: StreamEvent[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  push(event: StreamEvent): void {
    if (this.#closed) return;
    this.#waiting.push(event);
    if (this.#waiting.length > EVENTS_WAITING_MAX) {
      const piece = this.#waiting.findIndex(({ type }) => type === "text_delta" || type === "thinking");
      this.#waiting.splice(Math.max(piece, 0), 1);
    }
    this.#wake?.();
  }

  /** What waits is still read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** All that waits. */
  take(): StreamEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  async *read(): AsyncGenerator<StreamEvent, void, undefined> {
    for (;;) {
      yield* this.take();
      if (this.#waiting.length > 0) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
