import { Worker } from "node:worker_threads";
import { FileProblem } from "./file-problem.ts";
import { matcher, matchLines, type LineMatch, type Pattern } from "./match-lines.ts";
import type { MatchTask } from "./match-worker.ts";

const WORKER_HEAP_MB = 128;

/** Looks through one text after the other. Close it. */
export interface LineSearch {
  /** Undefined where time was up. */
  find(text: string, matchesMax: number): Promise<readonly LineMatch[] | undefined>;
  close(): Promise<void>;
}

export function startLineSearch(pattern: Pattern, lineCharsMax: number, signal: AbortSignal): LineSearch {
  try {
    matcher(pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FileProblem("no-match", `This is not a regular expression: ${error.message}`);
  }
  if (!pattern.regex) {
    return {
      find: async (text, matchesMax) =>
        signal.aborted ? undefined : matchLines(text, pattern, matchesMax, lineCharsMax),
      close: async () => undefined,
    };
  }
  const worker = new Worker(new URL("./match-worker.ts", import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
  });
  return {
    find(text, matchesMax) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly LineMatch[] | undefined>();
      const stop = () => resolve(undefined);
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", stop);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      else worker.postMessage({ text, pattern, matchesMax, lineCharsMax } satisfies MatchTask);
      return promise.finally(() => {
        worker.off("message", resolve).off("error", reject).off("exit", stop);
        signal.removeEventListener("abort", stop);
      });
    },
    close: async () => void (await worker.terminate()),
  };
}
