import type { Clock } from "./options.ts";

/** Waits for work, but no longer than `ms`; then what `late` returns or throws counts. */
export async function inTime<T, L>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  late: () => L,
): Promise<T | L> {
  const over = new AbortController();
  const timeUp = clock.sleep(ms, over.signal).then(() => {
    // Once the work is done nobody hears of it any more.
    over.signal.throwIfAborted();
    return late();
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    over.abort("done");
  }
}
