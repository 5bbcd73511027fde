import { ID_RANDOM_BYTES, makeId, type IdKind } from "@elwood/core/base/ids";
import type { Ids } from "@elwood/runtime/ports/ports";

/**
 * Ids that are the same in every run of a test and still look and sort like real ones:
 * the nth id of a kind carries n, both as its time and as its random part.
 */
export class FixedIds implements Ids {
  readonly #counts = new Map<IdKind, number>();

  next(kind: IdKind): string {
    const n = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, n);
    return fixedId(kind, n);
  }
}

/** The id that FixedIds gives as the nth of its kind. */
export function fixedId(kind: IdKind, n: number): string {
  const random = new Uint8Array(ID_RANDOM_BYTES);
  new DataView(random.buffer).setUint32(ID_RANDOM_BYTES - 4, n);
  return makeId(kind, n, random);
}

/** Numbers from 0 to 1 that depend on the seed only (a 32-bit linear congruence, good enough for jitter). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
