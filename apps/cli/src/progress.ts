import type { Clock } from "@elwood/runtime/ports/ports";
import { durationText } from "./duration.ts";
import type { Io } from "./io.ts";
import { cutToWidth } from "./terminal-text.ts";

const SILENCE_MS = 1_000;
const TICK_MS = 200;
const COLUMNS_UNLESS_TOLD = 80;

/**
 * A line on a terminal's stderr that says what goes on and for how long, once nothing was
 * printed for a second; in a pipe there is none. Whatever is written through `io` takes it
 * away first. It never appears behind the beginning of a line, so that half an answer or a
 * question stays as it is.
 */
export class Progress {
  /** Like the one given; what is written through it is seen. */
  readonly io: Io;
  readonly #terminal: Io["stderr"];
  readonly #clock: Pick<Clock, "now">;
  readonly #on: boolean;
  /** When the last thing happened; how long somebody took to decide does not count. */
  #since: number;
  #words: string;
  #quietSince: number;
  #atLineStart = true;
  #paused = false;
  #shown = "";

  constructor(io: Io, words: string, clock: Pick<Clock, "now">) {
    this.#terminal = io.stderr;
    this.#clock = clock;
    this.#on = io.stderr.isTTY === true && io.env["TERM"] !== "dumb";
    this.#words = words;
    this.#since = this.#quietSince = clock.now();
    this.io = this.#on ? { ...io, stdout: this.#seen(io.stdout), stderr: this.#seen(io.stderr) } : io;
  }

  /** What goes on from here. */
  say(words: string): void {
    this.#words = words;
    this.#since = this.#clock.now();
  }

  /** While somebody is asked, nothing moves. */
  pause(paused: boolean): void {
    this.#paused = paused;
    this.#quietSince = this.#since = this.#clock.now();
    if (paused) this.#clear();
  }

  /** Looks whether there is something to show; called often. */
  tick(): void {
    const now = this.#clock.now();
    if (!this.#on || this.#paused || !this.#atLineStart || now - this.#quietSince < SILENCE_MS) return;
    const width = (this.#terminal.columns ?? COLUMNS_UNLESS_TOLD) - 1;
    const line = cutToWidth(`${this.#words}… ${durationText(now - this.#since)}`, width);
    if (line === this.#shown) return;
    this.#terminal.write(`\r${line}\u001b[K`);
    this.#shown = line;
  }

  #clear(): void {
    if (this.#shown === "") return;
    this.#shown = "";
    this.#terminal.write("\r\u001b[K");
  }

  #seen<S extends Io["stdout"] | Io["stderr"]>(stream: S): S {
    const write = (...args: Parameters<typeof stream.write>) => {
      this.#clear();
      this.#quietSince = this.#clock.now();
      const text = String(args[0]);
      if (stream.isTTY === true && text !== "") this.#atLineStart = text.endsWith("\n");
      return stream.write(...args);
    };
    return new Proxy(stream, {
      get(target, key) {
        if (key === "write") return write;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** Ticks until the work is done, and leaves nothing behind. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#on) return work();
    const timer = setInterval(() => this.tick(), TICK_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.#clear();
    }
  }
}
