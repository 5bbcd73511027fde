import type { ServerResponse } from "node:http";
import { LIMITS } from "@elwood/core/base/limits";
import type { Clock } from "@elwood/runtime/ports/ports";
import { SECURITY_HEADERS } from "../http.ts";

/**
 * One answer as server-sent events.
 *
 * E1 Who does not read is waited for up to a limit, and then left; nothing is held for them beyond what the
 *    connection itself holds.
 * E2 Comments keep the connection alive while there is nothing to say.
 */
export class SseStream {
  /** Fires when the other side is gone, or was given up. */
  readonly gone: AbortSignal;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  readonly #left = new AbortController();
  #ended = false;

  constructor(response: ServerResponse, clock: Clock, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    this.#clock = clock;
    this.gone = this.#left.signal;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      ...headers,
    });
    response.flushHeaders();
    response.once("close", () => {
      this.#over.abort("over");
      if (!this.#ended) this.#left.abort("gone");
    });
    void this.#keepAlive();
  }

  /** Resolves when it was taken over for sending, or at once where nobody is there any more. */
  async send(data: string, event?: string, id?: string | number): Promise<void> {
    const head = `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}`;
    const lines = data.split("\n").map((line) => `data: ${line}\n`);
    await this.#write(`${head}${lines.join("")}\n`);
  }

  end(): void {
    this.#ended = true;
    this.#over.abort("over");
    this.#response.end();
  }

  async #write(text: string): Promise<void> {
    if (this.gone.aborted || this.#response.destroyed) return;
    if (this.#response.write(text)) return;
    const drained = Promise.withResolvers<void>();
    const settle = () => drained.resolve();
    this.#response.once("drain", settle);
    this.gone.addEventListener("abort", settle, { once: true });
    const waited = new AbortController();
    void this.#giveUp(waited.signal);
    await drained.promise;
    waited.abort("drained");
    this.#response.off("drain", settle);
    this.gone.removeEventListener("abort", settle);
  }

  /** E1 */
  async #giveUp(drained: AbortSignal): Promise<void> {
    await this.#clock.sleep(LIMITS.sseSlowReaderMs, drained);
    if (!drained.aborted) this.#response.destroy();
  }

  async #keepAlive(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#clock.sleep(LIMITS.sseKeepAliveMs, this.#over.signal);
      if (!this.#over.signal.aborted && !this.#response.writableNeedDrain)
        this.#response.write(": still here\n\n");
    }
  }
}
