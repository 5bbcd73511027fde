import { ToolError } from "@elwood/sdk/tool";

/** A queue for the calls of one session. */
export class CallQueue {
  readonly #max: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(max: number) {
    this.#max = max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#max) {
      throw new ToolError("busy", "Too many calls wait for this browser already. Nothing was done.", {
        retryable: true,
      });
    }
    this.#waiting += 1;
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.#waiting -= 1;
    }
  }
}
