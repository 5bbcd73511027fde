import { failure, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Clock } from "../ports/ports.ts";

/** How many at once, and how many a minute; absent: as many as like. */
export interface SlotLimits {
  readonly maxConcurrency?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
}

interface Line {
  running: number;
  readonly waiting: (() => void)[];
  /** When requests of the last minute began. */
  recent: number[];
}

const MINUTE_MS = 60_000;

/** Executions of one thing at a time: who comes too many waits in order, up to a limit, and who comes too often is told when to come again. */
export class Slots {
  readonly #lines = new Map<string, Line>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Gives a function that frees the slot; it may be called twice. */
  async take(
    key: string,
    { maxConcurrency, requestsPerMinute }: SlotLimits,
    signal: AbortSignal,
  ): Promise<Result<() => void, Failure>> {
    if (maxConcurrency === undefined && requestsPerMinute === undefined) return ok(() => {});
    const line = this.#lines.get(key) ?? { running: 0, waiting: [], recent: [] };
    this.#lines.set(key, line);
    const often = requestsPerMinute === undefined ? undefined : this.#tooOften(line, requestsPerMinute);
    if (often) return err(often);
    if (line.running >= (maxConcurrency ?? Infinity)) {
      if (line.waiting.length >= LIMITS.actionQueueMax) return err(queueFull());
      await turn(line, signal);
      if (signal.aborted) {
        this.#tidy(key, line);
        return err(failure("ABORTED", "The request was stopped before its turn came. Nothing was sent."));
      }
    }
    line.running += 1;
    let freed = false;
    return ok(() => {
      if (freed) return;
      freed = true;
      line.running -= 1;
      line.waiting.shift()?.();
      this.#tidy(key, line);
    });
  }

  #tooOften(line: Line, most: number): Failure | undefined {
    const now = this.#clock.now();
    line.recent = line.recent.filter((at) => at > now - MINUTE_MS);
    const oldest = line.recent[0];
    if (line.recent.length >= most && oldest !== undefined)
      return failure(
        "TOO_MANY_REQUESTS",
        `${most} requests a minute are allowed here. Nothing was sent; try again later.`,
        { retryAfterMs: oldest + MINUTE_MS - now },
      );
    line.recent.push(now);
    return undefined;
  }

  #tidy(key: string, line: Line): void {
    if (line.running === 0 && line.waiting.length === 0 && line.recent.length === 0) this.#lines.delete(key);
  }
}

function turn(line: Line, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = () => {
    const at = line.waiting.indexOf(resolve);
    // Whoever was called already passes its turn on.
    if (at >= 0) line.waiting.splice(at, 1);
    resolve();
  };
  line.waiting.push(resolve);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  return promise.finally(() => signal.removeEventListener("abort", leave));
}

function queueFull(): Failure {
  return failure(
    "QUEUE_FULL",
    `${LIMITS.actionQueueMax} requests already wait here. This one was not taken; try again later.`,
  );
}
