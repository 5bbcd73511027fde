/** Work on one key happens one after the other, in the order asked; work on different keys side by side. */
export interface KeyQueue {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves once everything asked so far is done. */
  settled(): Promise<void>;
}

export function keyQueue(): KeyQueue {
  /** The end of each key's line; never rejects. */
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
