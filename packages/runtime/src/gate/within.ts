import type { Clock } from "../ports/ports.ts";

/** Somebody else's code did not answer in the time it had. */
export class OutOfTime extends Error {}

/**
 * Waits this long for what a tool was asked, and no longer: it rejects with OutOfTime and
 * tells the work by its signal, which fires with `outer` too. What comes later is dropped.
 */
export async function within<T>(
  clock: Pick<Clock, "sleep">,
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
    // Most answer without waiting for anything, and need no watch.
    return (await isSettledSoon(answer)) ? await answer : await watched(clock, ms, answer, told);
  } finally {
    outer?.removeEventListener("abort", tell);
  }
}

async function watched<T>(
  clock: Pick<Clock, "sleep">,
  ms: number,
  answer: Promise<T>,
  told: AbortController,
): Promise<T> {
  const done = new AbortController();
  const over = Promise.withResolvers<never>();
  const watch = async () => {
    await clock.sleep(ms, done.signal);
    if (done.signal.aborted) return;
    told.abort("timeout");
    over.reject(new OutOfTime(`no answer within ${Math.round(ms / 1_000)} seconds`));
  };
  void watch();
  try {
    return await Promise.race([answer, over.promise]);
  } finally {
    // With a reason: without one an exception is made for each call.
    done.abort("answered");
  }
}

/** Turns of the promises' own queue, in which no time passes. */
const TURNS = 4;

/** Whether it answers without waiting for anything. */
export async function isSettledSoon(answer: Promise<unknown>): Promise<boolean> {
  const state = { settled: false };
  const note = () => {
    state.settled = true;
  };
  answer.then(note, note);
  for (let turn = 0; turn < TURNS && !state.settled; turn++) await Promise.resolve();
  return state.settled;
}
