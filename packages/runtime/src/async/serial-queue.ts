/** Work in order: each begins when the one before has ended, however it ended. */
export interface SerialQueue {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves once everything asked so far is done. */
  settled(): Promise<void>;
}

export function serialQueue(): SerialQueue {
  const mutex = keyedMutex();
  return { run: (work) => mutex.run("", work), settled: () => mutex.settled() };
}

/** A mutex per key: work on one key runs in order, work on different keys in parallel. */
export interface KeyedMutex {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves once everything asked so far is done. */
  settled(): Promise<void>;
}

export function keyedMutex(): KeyedMutex {
  /** The last promise of each key's queue; never rejects. */
  const tails = new Map<string, Promise<void>>();
  return {
    run(key, work) {
      const mine = (tails.get(key) ?? Promise.resolve()).then(work);
      const leave = () => {
        if (tails.get(key) === tail) tails.delete(key);
      };
      const tail: Promise<void> = mine.then(leave, leave);
      tails.set(key, tail);
      return mine;
    },
    async settled() {
      await Promise.all(tails.values());
    },
  };
}
