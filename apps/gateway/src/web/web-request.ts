import { Unreachable } from "./web-errors.ts";
import type { WebLimits } from "./web-limits.ts";

/** One request as it is sent: everything decided, nothing left to a library's defaults. */
export interface WebRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: Uint8Array;
}

/** These belong to the connection or to the address, and a tool could mislead a server or Elwood with them. */
const NOT_FOR_TOOLS = [
  "host",
  "connection",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "content-length",
  "accept-encoding",
];

/** All that another origin is told. What is not on this list may be a credential. */
const KEPT_ACROSS_ORIGINS = ["accept", "accept-language", "cache-control", "range", "user-agent"];

/** Not `deflate`, of which there are two; where it comes all the same, the standard one is understood. */
export const ENCODINGS = "gzip, br, zstd";

/** Reads what a tool asked for, in the terms of the standard `fetch`; the body is read whole. */
export async function readRequest(
  url: URL,
  input: string | URL | Request,
  init: RequestInit | undefined,
  limits: WebLimits,
  userAgent: string,
): Promise<WebRequest & { readonly redirect: RequestRedirect }> {
  const asked = standardRequest(input, init);
  const headers = new Headers(asked.headers);
  for (const name of NOT_FOR_TOOLS) headers.delete(name);
  if (!headers.has("user-agent")) headers.set("user-agent", userAgent);
  if (!headers.has("accept")) headers.set("accept", "*/*");
  headers.set("accept-encoding", ENCODINGS);
  const body = asked.body === null ? undefined : await readBody(asked.body, limits.requestBodyBytesMax);
  return { url, method: asked.method, headers, redirect: asked.redirect, ...(body && { body }) };
}

/** The request that a redirect leads to, by the rules of `fetch`, with nothing private for another origin. */
export function redirected(request: WebRequest, status: number, to: URL): WebRequest {
  const { method } = request;
  const turnsToGet =
    (status === 303 && method !== "GET" && method !== "HEAD") ||
    ((status === 301 || status === 302) && method === "POST");
  const headers = new Headers(request.headers);
  if (to.origin !== request.url.origin) {
    drop(headers, (name) => !KEPT_ACROSS_ORIGINS.includes(name));
    headers.set("accept-encoding", ENCODINGS);
  }
  if (to.hash === "") to.hash = request.url.hash;
  if (!turnsToGet) return { ...request, url: to, headers };
  drop(headers, (name) => name.startsWith("content-"));
  return { url: to, method: "GET", headers };
}

function drop(headers: Headers, unwanted: (name: string) => boolean): void {
  const names = Array.from(headers.keys());
  for (const name of names.filter(unwanted)) headers.delete(name);
}

export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function standardRequest(input: string | URL | Request, init: RequestInit | undefined): Request {
  // The signal is watched by the client itself; a Request would wrap it once more.
  const { signal: _watched, ...rest } = init ?? {};
  try {
    return new Request(input, Object.assign({ duplex: "half" }, rest));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "it is not well formed";
    throw new Unreachable("invalid_request", `The request could not be made: ${why} Nothing was sent.`);
  }
}

async function readBody(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new Unreachable(
        "invalid_request",
        `The request is larger than ${bytesMax} bytes. Nothing was sent.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
