/**
 * Something that is started when it is first needed, and then goes on until it is told to end. It may be
 * asked for any number of times.
 */
export class LateStart {
  readonly #start: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #running: Promise<void> | undefined;

  constructor(start: () => Promise<void>, failed: (error: unknown) => void) {
    this.#start = start;
    this.#failed = failed;
  }

  begin(): void {
    if (this.#running !== undefined) return;
    this.#running = this.#start();
    // Once: it goes on for long, and would keep what every later request came with until then.
    this.#running.catch(this.#failed);
  }

  /** Until it has ended; undefined where it was never begun. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }
}
