/** What a deadline needs of a clock: a wait that ends early when the signal fires. */
export interface Sleeper {
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A tool did not answer within its time limit. */
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
    return (await settlesImmediately(answer)) ? await answer : await watched(clock, ms, answer, told);
  } finally {
    outer?.removeEventListener("abort", tell);
  }
}

async function watched<T>(clock: Sleeper, ms: number, answer: Promise<T>, told: AbortController): Promise<T> {
  const done = new AbortController();
  const over = Promise.withResolvers<never>();
  const watch = async () => {
    await clock.sleep(ms, done.signal);
    if (done.signal.aborted) return;
    told.abort("timeout");
    over.reject(new TimedOut(`no answer within ${Math.round(ms / 1_000)} seconds`));
  };
  void watch();
  try {
    return await Promise.race([answer, over.promise]);
  } finally {
    // With a reason: without one an exception is made for each call.
    done.abort("answered");
  }
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
