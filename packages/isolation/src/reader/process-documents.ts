import { serialQueue } from "@elwood/runtime/async/serial-queue";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { documentProblem, type DocumentReader } from "@elwood/sdk/documents/document-reader";
import type { DocumentRead } from "@elwood/sdk/documents/read-document";
import { DOCUMENT_LIMITS, type DocumentLimits } from "./limits.ts";
import { ReaderProcess, type ReaderSettings } from "./reader-process.ts";

export interface DocumentsOptions extends Pick<ReaderSettings, "memoryMb"> {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "debug">;
  readonly limits?: Partial<DocumentLimits>;
}

/**
 * Reads documents one after the other in a process that is started for the first of them and
 * leaves when none came for a minute.
 */
export class ProcessDocuments implements DocumentReader {
  readonly #options: DocumentsOptions;
  readonly #limits: DocumentLimits;
  readonly #queue = serialQueue();
  #process: ReaderProcess | undefined;
  #waiting = 0;
  #idle = new AbortController();
  #closed = false;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#limits = { ...DOCUMENT_LIMITS, ...options.limits };
  }

  /** Of the process that is there now; for whoever measures or looks after it. */
  get pid(): number | undefined {
    return this.#process?.alive === true ? this.#process.pid : undefined;
  }

  async read(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<DocumentRead> {
    signal.throwIfAborted();
    if (bytes.length > this.#limits.bytesMax)
      throw documentProblem("bomb", name, `it has more than ${this.#limits.bytesMax} bytes`);
    if (this.#closed || this.#waiting >= this.#limits.waitingMax)
      throw documentProblem("lost", name, this.#closed ? "Elwood is stopping" : "too many documents wait");
    this.#waiting += 1;
    this.#idle.abort();
    try {
      const answer = await this.#queue.run(() => {
        signal.throwIfAborted();
        return this.#living().read(bytes, name, signal);
      });
      if (answer.ok) return answer.read;
      if (this.#process?.alive !== true)
        this.#options.log.warn("a reader of documents is gone", { why: answer.why, detail: answer.detail });
      throw documentProblem(answer.why, name, answer.detail);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#rest();
    }
  }

  close(): void {
    this.#closed = true;
    this.#idle.abort();
    this.#process?.kill("the gateway is stopping");
  }

  #living(): ReaderProcess {
    if (this.#process?.alive !== true) {
      const { clock, memoryMb } = this.#options;
      this.#process = new ReaderProcess({ clock, limits: this.#limits, ...(memoryMb && { memoryMb }) });
    }
    this.#process.hold(true);
    return this.#process;
  }

  /** Nobody waits any more: after a while the process goes, and until then it keeps nothing alive. */
  #rest(): void {
    const process = this.#process;
    if (process?.alive !== true) return;
    process.hold(false);
    this.#idle = new AbortController();
    void this.#leave(process, this.#idle.signal);
  }

  async #leave(process: ReaderProcess, unless: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(this.#limits.idleMs, unless);
    if (!unless.aborted) process.kill("nobody needed it");
  }
}
