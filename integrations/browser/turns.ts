import { ToolError } from "@elwood/sdk/tool";

/** Lets the calls of one session at its pages one after the other. */
export class Turns {
  readonly #max: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(max: number) {
    this.#max = max;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
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
