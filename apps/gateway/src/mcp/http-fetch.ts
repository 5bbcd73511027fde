import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "@elwood/runtime/ports/ports";
import { MCP_LIMITS } from "./limits.ts";

type Fetch = typeof globalThis.fetch;

/** The call that a request is made for. The client library does not tell it when its stream breaks. */
interface CallInFlight {
  broken(cause: unknown): void;
}

/**
 * The way to a server over HTTP, for the client library. Where the stream of an answer breaks (too long, too slow,
 * cut) its call is told so at once, in place of waiting until its time is over. One that the server ends early, to
 * be asked for the rest, is opened again; so is the one on which servers of the older revisions ask and tell
 * beside the calls, where they have it. Neither for ever.
 */
export class HttpWire {
  readonly fetch: Fetch;
  readonly #calls = new AsyncLocalStorage<CallInFlight>();
  readonly #clock: Pick<Clock, "sleep">;
  #reopened = 0;

  constructor(guarded: Fetch, clock: Pick<Clock, "sleep">) {
    this.#clock = clock;
    this.fetch = async (input, init) => {
      const isBeside = (init?.method ?? "GET") === "GET" && !new Headers(init?.headers).has(LAST_EVENT);
      const response = await guarded(input, init);
      if (isBeside) return response.ok ? response : without(response);
      const call = this.#calls.getStore();
      if (call === undefined || response.body === null) return response;
      const { status, statusText, headers } = response;
      const watched = new Response(watchedBody(response.body, call), { status, statusText, headers });
      Object.defineProperty(watched, "url", { value: response.url });
      return watched;
    };
  }

  /** When a stream that ended is opened again: after as long as the server said, and so many times at most. */
  readonly reopen = (again: () => void, delayMs: number): (() => void) => {
    const over = new AbortController();
    if (++this.#reopened > MCP_LIMITS.reopeningsMax)
      this.#calls.getStore()?.broken(new Error("it ended the stream of its answer too often"));
    else
      void this.#clock
        .sleep(Math.max(delayMs, MCP_LIMITS.reopenMsMin), over.signal)
        .then(() => (over.signal.aborted ? undefined : again()));
    return () => over.abort("closed");
  };

  /** Runs a request; rejects with what broke its stream. */
  async during<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const broke = new AbortController();
    const call: CallInFlight = { broken: (cause) => broke.abort(cause) };
    try {
      const done = await this.#calls.run(call, () => work(AbortSignal.any([signal, broke.signal])));
      this.#reopened = 0;
      return done;
    } catch (cause) {
      if (broke.signal.aborted && !signal.aborted) throw broke.signal.reason;
      throw cause;
    }
  }
}

const LAST_EVENT = "last-event-id";

/** The stream beside the calls is a courtesy: a server that has none answers calls all the same. */
async function without(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, { status: 405 });
}

function watchedBody(body: ReadableStream<Uint8Array>, call: CallInFlight): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (cause) {
          call.broken(cause);
          controller.error(cause);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The one stream of a server of the first kind. It is opened once: after it another connection has to be made. */
export class SseStream {
  readonly fetch: Fetch;
  readonly #ended = Promise.withResolvers<void>();
  readonly #stop = new AbortController();

  constructor(guarded: Fetch) {
    let opened = false;
    this.fetch = async (input, init) => {
      if ((init?.method ?? "GET") !== "GET") return guarded(input, init);
      // By this status the client library knows that it must not come again.
      if (opened) return new Response(null, { status: 204 });
      const { signal } = this.#stop;
      const response = await guarded(input, {
        ...init,
        signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal,
      });
      if (response.status !== 200 || response.body === null) return response;
      opened = true;
      const { status, headers } = response;
      const body = watchedEnd(response.body, () => this.#ended.resolve());
      const watched = new Response(body, { status, headers });
      Object.defineProperty(watched, "url", { value: response.url });
      return watched;
    };
  }

  /** Resolves once the stream is over, whoever ended it. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async close(): Promise<void> {
    this.#stop.abort("closed");
  }
}

function watchedEnd(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          ended();
        } catch (cause) {
          controller.error(cause);
          ended();
        }
      },
      async cancel(reason) {
        ended();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
