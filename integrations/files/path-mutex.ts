import { FileProblem } from "./file-problem.ts";

/** A mutex per path for calls that change files. */
export type PathMutex = <T>(paths: readonly string[], work: () => Promise<T>) => Promise<T>;

export function makePathMutex(waitersMax: number): PathMutex {
  const last = new Map<string, { tail: Promise<unknown>; waiting: number }>();

  async function one<T>(path: string, work: () => Promise<T>): Promise<T> {
    const line = last.get(path) ?? { tail: Promise.resolve(), waiting: 0 };
    if (line.waiting >= waitersMax) {
      throw new FileProblem("conflict", `Too many calls are waiting to change ${path}. Nothing was changed.`);
    }
    last.set(path, line);
    line.waiting++;
    const mine = line.tail.then(work);
    line.tail = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      line.waiting--;
      if (line.waiting === 0) last.delete(path);
    }
  }

  return (paths, work) => {
    let go = work;
    // Always in the same order, so that no two calls wait for each other.
    for (const path of [...new Set(paths)].sort().reverse()) {
      const inner = go;
      go = () => one(path, inner);
    }
    return go();
  };
}
