import { hash, randomBytes } from "node:crypto";
import { ID_RANDOM_BYTES, makeId } from "@elwood/core/base/ids";
import type { Clock, Ids } from "@elwood/runtime/ports/ports";

/** The world's own clock, ids and hash: named here once, handed to everything else. */

const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    // Timers hold 24.8 days at most; longer waits are walked in steps.
    let left = ms;
    while (left > 0) {
      if (signal?.aborted) return;
      await pause(Math.min(left, TIMER_MS_MAX), signal);
      left -= TIMER_MS_MAX;
    }
  },
};

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}

export function systemIds(clock: Clock): Ids {
  const chance = pooledRandom();
  return { next: (kind) => makeId(kind, clock.now(), chance(ID_RANDOM_BYTES)) };
}

const POOL_BYTES = 4_096;

/** Random bytes, fetched from the system many at a time: asking for each few costs more than all else about an id. */
export function pooledRandom(): (bytes: number) => Buffer {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (pool.length < bytes) pool = randomBytes(POOL_BYTES);
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** 256 bits, with a prefix by which redaction knows it. */
export function newToken(): string {
  return `elw_${randomBytes(32).toString("base64url")}`;
}
