import { Worker } from "node:worker_threads";

const HEAP_MB = 512;
const IDLE_MS = 30_000;
export const THREADS_MAX = 4;

/** Threads that look through folders. One that has done its work is kept a while: starting it takes longer than most looks. */
export interface LookThreads {
  take(): Worker;
  /** Only one that has nothing to do any more. */
  keep(worker: Worker): void;
}

export function lookThreads(): LookThreads {
  const spare = new Map<Worker, NodeJS.Timeout>();
  const forget = (worker: Worker) => {
    clearTimeout(spare.get(worker));
    spare.delete(worker);
  };
  return {
    take() {
      const [known] = spare.keys();
      if (known !== undefined) {
        forget(known);
        unheard(known);
        known.ref();
        return known;
      }
      return new Worker(new URL("./look-worker.ts", import.meta.url), {
        env: {},
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      });
    },
    keep(worker) {
      unheard(worker);
      if (spare.size >= THREADS_MAX) {
        void worker.terminate();
        return;
      }
      // Neither the thread nor its timer keeps a process alive that has nothing else to do.
      worker.unref();
      worker.once("error", () => forget(worker));
      worker.once("exit", () => forget(worker));
      const leave = setTimeout(() => {
        forget(worker);
        void worker.terminate();
      }, IDLE_MS).unref();
      spare.set(worker, leave);
    },
  };
}

function unheard(worker: Worker): void {
  for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
}
