import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Redactor } from "@elwood/core/base/redact";
import { showLine } from "@elwood/core/base/show";
import { isMissing } from "@elwood/platform/system-error";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { MCP_LIMITS } from "./limits.ts";

export interface ServerLogOptions {
  readonly path: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly redact: Redactor;
}

/**
 * The log of one server: what it writes to its standard error, and what became of it. Bounded in
 * memory and on disk, where one older file is kept; a flood is cut, and counted.
 */
export class ServerLog {
  readonly #options: ServerLogOptions;
  readonly #lines: string[] = [];
  #pending = "";
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #rest = "";

  constructor(options: ServerLogOptions) {
    this.#options = options;
  }

  /** The last lines, the oldest first. */
  tail(count: number): readonly string[] {
    return this.#lines.slice(-count);
  }

  /** A sentence of Elwood's own. */
  note(text: string): void {
    this.#add(`[elwood] ${text}`);
  }

  /** Bytes of the server's own, in pieces as they come. */
  write(text: string): void {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, MCP_LIMITS.logLineCharsMax);
    for (const line of lines) this.#add(line.replace(/\r$/, ""));
  }

  /** Resolves once everything is on disk. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  #add(line: string): void {
    const { clock, redact } = this.#options;
    const text = showLine(redact(line.slice(0, MCP_LIMITS.logLineCharsMax)));
    const whole = `${new Date(clock.now()).toISOString()} ${text}`;
    this.#lines.push(whole);
    if (this.#lines.length > MCP_LIMITS.logLinesKept) this.#lines.shift();
    if (this.#pending.length > MCP_LIMITS.logPendingCharsMax) this.#dropped += 1;
    else this.#pending += `${whole}\n`;
    this.#writing ??= this.#flush().finally(() => {
      this.#writing = undefined;
    });
  }

  async #flush(): Promise<void> {
    const { path, log } = this.#options;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      while (this.#pending !== "" || this.#dropped > 0) {
        const lost =
          this.#dropped === 0 ? "" : `[elwood] ${this.#dropped} lines came too fast and were left out\n`;
        const text = `${this.#pending}${lost}`;
        this.#pending = "";
        this.#dropped = 0;
        if ((await sizeOf(path)) > MCP_LIMITS.logFileBytesMax) await rename(path, `${path}.1`);
        await appendFile(path, text, { mode: 0o600 });
      }
    } catch (error) {
      this.#pending = "";
      log.warn("the log of an MCP server could not be written", { path, error });
    }
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
