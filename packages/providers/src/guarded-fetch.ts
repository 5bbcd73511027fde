import { LIMITS } from "@elwood/core/base/limits";

/** Thrown into the stream of an answer that is larger than any answer should be. */
export class ReplyTooLarge extends Error {
  constructor() {
    super("the provider's answer is larger than allowed");
    this.name = "ReplyTooLarge";
  }
}

/** A login page of some network, or a server's front page: whatever it says, it is no answer of a model. */
export class WebPage extends Error {
  constructor() {
    super("a web page came instead of an answer");
    this.name = "WebPage";
  }
}

const NEWLINE = 0x0a;

/**
 * The fetch that a provider's SDK is given for one request.
 *
 * F1 Bodies are bounded, error bodies more tightly; a web page is none.
 * F2 Redirects are not followed: the key would go along to wherever they point.
 * F3 Each complete line that arrives is reported, comments and pings included; the SDKs
 *    drop those, and a provider that thinks for minutes sends nothing else.
 */
export function guardedFetch(onLine: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (!response.ok) return withBody(response, normalError(await readBounded(response)));
    if (!response.body) return response;
    if (/^text\/html\b/i.test(response.headers.get("content-type") ?? "")) {
      await response.body.cancel();
      return withBody(response, failing(new WebPage()));
    }
    return withBody(response, watched(response.body, onLine));
  };
}

function withBody(response: Response, body: ReadableStream<Uint8Array> | string): Response {
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function watched(body: ReadableStream<Uint8Array>, onLine: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) {
        controller.close();
        return;
      }
      bytes += value.length;
      if (bytes > LIMITS.modelReplyBytesMax) {
        await reader.cancel();
        throw new ReplyTooLarge();
      }
      if (value.includes(NEWLINE)) onLine();
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Thrown while reading, not while fetching: the SDKs take the latter for a broken connection. */
function failing(error: Error): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull() {
      throw error;
    },
  });
}

/** The first bytes of an error are all that is ever looked at. */
async function readBounded(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
    if (bytes > LIMITS.modelErrorBytesMax) {
      await reader.cancel();
      return text;
    }
  }
}

/**
 * Some compatible servers put the error at the top level instead of under `error`, where
 * the SDK looks for it and nowhere else.
 */
function normalError(text: string): string {
  const body = parse(text);
  if (typeof body !== "object" || body === null || "error" in body) return text;
  const bare = body as { message?: unknown; detail?: unknown };
  if (bare.message === undefined && bare.detail === undefined) return text;
  return JSON.stringify({ error: { message: bare.message ?? bare.detail, ...bare } });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
