import type { Worker } from "node:worker_threads";
import { ToolError } from "@elwood/sdk/tool";
import type { WebToolLimits } from "./limits.ts";
import type { PageTask, PageText } from "./read-page.ts";

/**
 * Reads pages away from the gateway's own thread: a page can be built so that reading it takes
 * minutes or all memory, and then only the thread ends. A thread that read its page in peace
 * is kept a while for the next one; most of the time of a first page goes into starting it.
 */
export class PageReader {
  readonly #limits: WebToolLimits;
  #spare: { readonly worker: Worker; readonly leave: NodeJS.Timeout } | undefined;

  constructor(limits: WebToolLimits) {
    this.#limits = limits;
  }

  async read(
    task: Pick<PageTask, "kind" | "html" | "bytes" | "url">,
    signal: AbortSignal,
  ): Promise<PageText> {
    const worker = await this.#take();
    let sound = false;
    try {
      const page = await this.#ask(worker, task, signal);
      sound = true;
      return page;
    } finally {
      unheard(worker);
      if (sound) this.#keep(worker);
      else void worker.terminate();
    }
  }

  #ask(worker: Worker, task: object, signal: AbortSignal): Promise<PageText> {
    const { linksMax, elementsMax, textCharsMax, pdfPagesMax, readMs } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<PageText>();
    const fail = (message: string) => reject(new ToolError("unreadable", message));
    const timer = setTimeout(
      () => fail("The page came, but reading it took too long, so it was given up."),
      readMs,
    );
    const stop = () => reject(signal.reason);
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
    worker.postMessage({ ...task, linksMax, elementsMax, textCharsMax, pdfPagesMax });
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    });
  }

  async #take(): Promise<Worker> {
    const spare = this.#spare;
    if (spare) {
      this.#spare = undefined;
      clearTimeout(spare.leave);
      unheard(spare.worker);
      spare.worker.ref();
      return spare.worker;
    }
    const { Worker } = await import("node:worker_threads");
    return new Worker(new URL("page-worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.readMemoryMb },
      // Nothing of the environment is needed in there, and nothing of it is given.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
  }

  #keep(worker: Worker): void {
    if (this.#spare) {
      void worker.terminate();
      return;
    }
    // Neither the thread nor its timer keeps a process alive that has nothing else to do.
    worker.unref();
    const forget = () => {
      if (this.#spare?.worker === worker) this.#spare = undefined;
      void worker.terminate();
    };
    const leave = setTimeout(forget, this.#limits.readerIdleMs).unref();
    worker.once("error", forget);
    worker.once("exit", forget);
    this.#spare = { worker, leave };
  }
}

function unheard(worker: Worker): void {
  for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
}
