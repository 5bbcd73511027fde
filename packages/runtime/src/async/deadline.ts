/** What a deadline needs of a clock: a wait that ends early when the signal fires. */
export interface Sleeper {
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Waits for work, but no longer than `ms`. If time is up first, `late` decides: what it returns is
 * returned, what it throws is thrown. If `signal` fires first, its reason is thrown. The work itself
 * is not stopped by this, and a later result or error of it is dropped.
 */
export async function withDeadline<T, L>(
  clock: Sleeper,
  ms: number,
  work: Promise<T>,
  late: () => L,
  signal?: AbortSignal,
): Promise<T | L> {
  const settled = new AbortController();
  const over = Promise.withResolvers<L>();
  const watch = async () => {
    await clock.sleep(ms, settled.signal);
    if (!settled.signal.aborted) over.resolve(late());
  };
  watch().catch(over.reject);
  const aborted = () => over.reject(signal?.reason);
  signal?.addEventListener("abort", aborted, { once: true });
  if (signal?.aborted) aborted();
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    signal?.removeEventListener("abort", aborted);
    // With a reason: without one an exception is made for each call.
    settled.abort("settled");
  }
}

/** Work did not settle within its time limit. */
export class TimedOut extends Error {}

/**
 * Runs `work` with a time limit. After it, rejects with TimedOut and aborts the signal given to `work`,
 * which also follows `outer`. A later result is dropped.
 */
export async function withTimeout<T>(
  clock: Sleeper,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const told = new AbortController();
  const tell = () => told.abort(outer?.reason);
  outer?.addEventListener("abort", tell, { once: true });
  if (outer?.aborted) tell();
  try {
    const answer = work(told.signal);
    // Most work settles immediately and needs no timer.
    if (await settlesImmediately(answer)) return await answer;
    return await withDeadline(clock, ms, answer, () => {
      told.abort("timeout");
      throw new TimedOut(timedOut(ms));
    });
  } finally {
    outer?.removeEventListener("abort", tell);
  }
}

/** The same for work that cannot be told to stop: a signal is made for nobody. */
export async function withinTime<T>(clock: Sleeper, ms: number, work: () => Promise<T>): Promise<T> {
  const answer = work();
  if (await settlesImmediately(answer)) return answer;
  return withDeadline(clock, ms, answer, () => {
    throw new TimedOut(timedOut(ms));
  });
}

function timedOut(ms: number): string {
  return `no answer within ${Math.round(ms / 1_000)} seconds`;
}

/** Microtask turns, in which no time passes. */
const TURNS = 4;

/** Whether a promise settles within a few microtasks. */
export async function settlesImmediately(answer: Promise<unknown>): Promise<boolean> {
  const state = { settled: false };
  const note = () => {
    state.settled = true;
  };
  answer.then(note, note);
  for (let turn = 0; turn < TURNS && !state.settled; turn++) await Promise.resolve();
  return state.settled;
}
