import { ToolError } from "@elwood/sdk/tool-answer";
import { WORKSPACE_LIMITS } from "./limits.ts";
import type { FetchError, FetchedHead, FromHost, ToHost } from "./wire.ts";

type Heard = Extract<ToHost, { t: "fetched" | "failed" }>;

/** `ctx.fetch` of every call: the request goes to the gateway, which makes it or refuses it. */
export class HostFetch {
  readonly #say: (head: FromHost, body?: string) => void;
  readonly #waiting = new Map<number, { heard(head: Heard, body: string): void }>();
  #next = 0;

  constructor(say: (head: FromHost, body?: string) => void) {
    this.#say = say;
  }

  /** The same signature and the same answers as the standard one. */
  of(n: number, signal: AbortSignal): typeof globalThis.fetch {
    return async (input, init) => {
      // A signal of another kind than the platform's own would be refused; it is watched here anyway.
      const { signal: asked, ...rest } = init ?? {};
      const request = new Request(input, Object.assign({ duplex: "half" }, rest));
      const over = AbortSignal.any([
        signal,
        ...(asked ? [asked] : []),
        ...(input instanceof Request ? [input.signal] : []),
      ]);
      over.throwIfAborted();
      const body = request.body === null ? "" : Buffer.from(await request.arrayBuffer()).toString("base64");
      over.throwIfAborted();
      const headers = [...request.headers];
      mustFit(request.url, headers, body);
      const f = this.#next++;
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      this.#waiting.set(f, {
        heard: (head, text) =>
          head.t === "fetched" ? resolve(responseOf(head, text)) : reject(errorOf(head.error)),
      });
      const drop = () => {
        if (!this.#waiting.delete(f)) return;
        this.#say({ t: "drop", f });
        reject(over.reason);
      };
      over.addEventListener("abort", drop, { once: true });
      const { url, method, redirect } = request;
      this.#say({ t: "fetch", n, f, url, method, redirect, headers }, body);
      try {
        return await promise;
      } finally {
        over.removeEventListener("abort", drop);
      }
    };
  }

  hear(head: Heard, body: string): void {
    const waiting = this.#waiting.get(head.f);
    this.#waiting.delete(head.f);
    waiting?.heard(head, body);
  }
}

/** A larger one the gateway would not even read. */
function mustFit(url: string, headers: readonly (readonly [string, string])[], body: string): void {
  const { requestUrlCharsMax, requestHeadersMax, requestHeaderCharsMax, requestBytesMax } = WORKSPACE_LIMITS;
  const fits =
    url.length <= requestUrlCharsMax &&
    headers.length <= requestHeadersMax &&
    headers.every(([name, value]) => name.length + value.length <= requestHeaderCharsMax) &&
    body.length <= requestBytesMax;
  if (!fits) throw new ToolError("too_large", "The request is too large. Nothing was sent.");
}

const WITHOUT_BODY = new Set([101, 204, 205, 304]);

function responseOf({ status, statusText, headers, url, redirected }: FetchedHead, body: string): Response {
  const bytes = WITHOUT_BODY.has(status) ? null : Buffer.from(body, "base64");
  const response = new Response(bytes, {
    status,
    statusText,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
  });
  Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
  return response;
}

function errorOf({ kind, name, code, message, retryable }: FetchError): Error {
  if (kind === "tool") return new ToolError(code, message, { retryable });
  const error = new Error(message);
  error.name = name;
  return error;
}
