/** Those who wait for a row to change. Waking is only a hint to look again; the row alone is the truth. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** `changed` resolves at the next wake of this row, or when the signal fires. Call `leave` whatever happens. */
  join(rowId: string, signal: AbortSignal): { readonly changed: Promise<void>; readonly leave: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const waiters = this.#waiting.get(rowId) ?? new Set();
    this.#waiting.set(rowId, waiters.add(wake));
    signal.addEventListener("abort", wake, { once: true });
    const leave = () => {
      signal.removeEventListener("abort", wake);
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiting.delete(rowId);
    };
    return { changed: promise, leave };
  }

  wake(rowId: string): void {
    for (const wake of this.#waiting.get(rowId) ?? []) wake();
  }
}
