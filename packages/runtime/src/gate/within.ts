import type { Clock } from "../ports.ts";

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
  const done = new AbortController();
  const tell = () => told.abort(outer?.reason);
  outer?.addEventListener("abort", tell, { once: true });
  if (outer?.aborted) tell();
  const over = Promise.withResolvers<never>();
  const watch = async () => {
    await clock.sleep(ms, done.signal);
    if (done.signal.aborted) return;
    told.abort("timeout");
    over.reject(new OutOfTime(`no answer within ${Math.round(ms / 1_000)} seconds`));
  };
  void watch();
  try {
    return await Promise.race([work(told.signal), over.promise]);
  } finally {
    // With a reason: without one an exception is made for each call.
    done.abort("answered");
    outer?.removeEventListener("abort", tell);
  }
}
