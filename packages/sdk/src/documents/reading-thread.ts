import { Worker } from "node:worker_threads";

export interface ReadingLimits {
  /** A document that takes longer is given up, and its thread ended. */
  readonly readMs: number;
  readonly readMemoryMb: number;
  /** A thread that has nothing to read leaves. */
  readonly readerIdleMs: number;
}

/** Why a document could not be read, for whoever knows what it was. */
export class ReadingFailure extends Error {
  override readonly name = "ReadingFailure";
  readonly reason: "time" | "memory" | "unreadable";

  constructor(reason: ReadingFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What a thread sends back; see answer-tasks.ts. */
export type ThreadAnswer<Answer> = { readonly answer: Answer } | { readonly problem: string };

/**
 * Reads documents away from the gateway's own thread: one can be built so that reading it takes
 * minutes or all memory, and then only the thread ends. A thread that read its document in
 * peace is kept a while for the next one; most of the time of a first one goes into starting it.
 */
export class ReadingThread<Task extends object, Answer> {
  readonly #module: URL;
  readonly #limits: ReadingLimits;
  #spare: { readonly worker: Worker; readonly leave: NodeJS.Timeout } | undefined;

  /** `module` calls answerTasks. */
  constructor(module: URL, limits: ReadingLimits) {
    this.#module = module;
    this.#limits = limits;
  }

  /** Throws a ReadingFailure, or the signal's reason. */
  async read(task: Task, signal: AbortSignal): Promise<Answer> {
    const worker = await this.#take();
    let sound = false;
    try {
      const answer = await this.#ask(worker, task, signal);
      sound = true;
      return answer;
    } finally {
      unheard(worker);
      if (sound) this.#keep(worker);
      else void worker.terminate();
    }
  }

  #ask(worker: Worker, task: Task, signal: AbortSignal): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const fail = (reason: ReadingFailure["reason"], message: string) =>
      reject(new ReadingFailure(reason, message));
    const timer = setTimeout(() => fail("time", "it took too long"), this.#limits.readMs);
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    worker.once("message", (said: ThreadAnswer<Answer>) => {
      if ("answer" in said) resolve(said.answer);
      else fail("unreadable", said.problem);
    });
    worker.once("error", (error: Error) => {
      if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
        fail("memory", "it took too much memory");
      else fail("unreadable", error.message);
    });
    worker.once("exit", () => fail("unreadable", "its reader ended"));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(task);
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
    return new Worker(this.#module, {
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
