import { AsyncLocalStorage } from "node:async_hooks";

type Fetch = typeof globalThis.fetch;

/** The call that a request is made for. The client library does not tell it when its stream breaks. */
interface CallInFlight {
  broken(cause: unknown): void;
}

/**
 * The way to a server over HTTP, for the client library. No stream is kept open for what a server may want to
 * say unasked, and where the stream of an answer breaks (too long, too slow, cut) its call is told so at
 * once, in place of waiting until its time is over.
 */
export class HttpWire {
  readonly fetch: Fetch;
  readonly #calls = new AsyncLocalStorage<CallInFlight>();

  constructor(guarded: Fetch) {
    this.fetch = async (input, init) => {
      if ((init?.method ?? "GET") === "GET") return new Response(null, { status: 405 });
      const response = await guarded(input, init);
      const call = this.#calls.getStore();
      if (call === undefined || response.body === null) return response;
      const { status, statusText, headers } = response;
      const watched = new Response(watchedBody(response.body, call), { status, statusText, headers });
      Object.defineProperty(watched, "url", { value: response.url });
      return watched;
    };
  }

  /** Runs a request; rejects with what broke its stream. */
  async during<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const broke = new AbortController();
    const call: CallInFlight = { broken: (cause) => broke.abort(cause) };
    try {
      return await this.#calls.run(call, () => work(AbortSignal.any([signal, broke.signal])));
    } catch (cause) {
      if (broke.signal.aborted && !signal.aborted) throw broke.signal.reason;
      throw cause;
    }
  }
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
