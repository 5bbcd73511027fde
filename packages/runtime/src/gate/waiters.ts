/**
 * Those who wait for a row to change. Waking is a hint to look again, and the row alone is the
 * truth; whoever has just written the row for the last time may hand it over.
 */
export class Waiters<Row> {
  readonly #waiting = new Map<string, Set<(row?: Row) => void>>();

  /** `changed` resolves at the next wake of this row, or when the signal fires. Call `leave` whatever happens. */
  join(
    rowId: string,
    signal: AbortSignal,
  ): { readonly changed: Promise<Row | undefined>; readonly leave: () => void } {
    const { promise, resolve } = Promise.withResolvers<Row | undefined>();
    const wake = (row?: Row) => resolve(row);
    const aborted = () => resolve(undefined);
    const waiters = this.#waiting.get(rowId) ?? new Set();
    this.#waiting.set(rowId, waiters.add(wake));
    signal.addEventListener("abort", aborted, { once: true });
    const leave = () => {
      signal.removeEventListener("abort", aborted);
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiting.delete(rowId);
    };
    return { changed: promise, leave };
  }

  wake(rowId: string, row?: Row): void {
    for (const wake of this.#waiting.get(rowId) ?? []) wake(row);
  }
}
