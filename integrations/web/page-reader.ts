import { ToolError } from "@elwood/sdk/tool";
import type { WebToolLimits } from "./limits.ts";
import type { PageTask, PageText } from "./read-page.ts";

/**
 * Reads a page away from the gateway's own thread: a page can be built so that reading it takes
 * minutes or all memory, and then only the thread ends.
 */
export async function readInThread(
  task: Pick<PageTask, "kind" | "html" | "bytes" | "url">,
  limits: WebToolLimits,
  signal: AbortSignal,
): Promise<PageText> {
  const { Worker } = await import("node:worker_threads");
  const { linksMax, elementsMax, textCharsMax, pdfPagesMax } = limits;
  const worker = new Worker(new URL("page-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: limits.readMemoryMb },
    // Nothing of the environment is needed in there, and nothing of it is given.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  try {
    return await new Promise<PageText>((resolve, reject) => {
      const fail = (message: string) => reject(new ToolError("unreadable", message));
      timer = setTimeout(
        () => fail("The page came, but reading it took too long, so it was given up."),
        limits.readMs,
      );
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      worker.once("message", ({ page, problem }: { page?: PageText; problem?: string }) => {
        if (page !== undefined) resolve(page);
        else fail(`The page came, but could not be read: ${problem}.`);
      });
      worker.once("error", () =>
        fail("The page came, but reading it took too much memory, so it was given up."),
      );
      worker.once("exit", () => fail("The page came, but could not be read."));
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage({ ...task, linksMax, elementsMax, textCharsMax, pdfPagesMax } satisfies PageTask);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    void worker.terminate();
  }
}
