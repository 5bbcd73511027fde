import { Agent, request as ask, type ClientRequest, type IncomingMessage } from "node:http";
import type { Agent as SecureAgent } from "node:https";
import { LIMITS } from "@elwood/core/base/limits";
import type { StreamGuard } from "./stream-guard.ts";
import { parseJson } from "@elwood/core/base/parse-json";

/** Thrown into the stream of an answer that is larger than any answer should be. */
export class ReplyTooLarge extends Error {
  constructor() {
    super("the provider's answer is larger than allowed");
    this.name = "ReplyTooLarge";
  }
}

/** The connection broke before the answer was whole. */
export class BrokenOff extends Error {
  constructor(cause: unknown) {
    super("the connection broke in the middle of an answer", { cause });
    this.name = "BrokenOff";
  }
}

/** A login page of some network, or a server's front page: whatever it says, it is no answer of a model. */
export class WebPage extends Error {
  constructor() {
    super("a web page came instead of an answer");
    this.name = "WebPage";
  }
}

/** Connections of one provider that are not those of everybody else. */
export interface Agents {
  readonly plain: Agent;
  secure(): Promise<SecureAgent>;
}

/** All requests go through this proxy, to servers with TLS in a tunnel. */
export function throughProxy(proxy: string): Agents {
  const options = { keepAlive: true, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } };
  let secure: SecureAgent | undefined;
  return {
    plain: new Agent(options),
    async secure() {
      const { Agent: Secure } = await import("node:https");
      return (secure ??= new Secure(options));
    },
  };
}

const NEWLINE = 0x0a;

/**
 * The fetch that a provider's SDK is given for one request. It is Node's own client under it: what fetch has
 * between its layers of streams costs several times as much for each piece of an answer, and knows no proxy.
 *
 * F1 Bodies are bounded, error bodies more tightly; a web page is none.
 * F2 Redirects are not followed: the key would go along to wherever they point.
 * F3 Each complete line that arrives is reported, comments and pings included; the SDKs
 *    drop those, and a provider that thinks for minutes sends nothing else.
 * F4 The text of a request, which is that of a whole conversation, is not kept until its answer has come.
 */
export function guardedFetch(onLine: () => void, agents?: Agents): typeof fetch {
  // Not async: what waits for an answer would hold what was asked.
  return (input, init = {}) => responseTo(send(input, init, agents), onLine);
}

async function responseTo(sent: Promise<IncomingMessage>, onLine: () => void): Promise<Response> {
  const message = await sent;
  const { statusCode: status = 502, statusMessage: statusText = "" } = message;
  const head = { status, statusText, headers: headersOf(message) };
  if (!isGood(message)) {
    const text = normalError(await readBounded(message));
    return new Response(text === "" ? null : text, head);
  }
  return streamed(head, watched(message, onLine));
}

/** Where a request goes, and with what headers. */
export interface Address {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** As an SDK builds it, for many requests. */
export function addressOf(built: { url: string; req: RequestInit }): Address {
  return { url: new URL(built.url), headers: Object.fromEntries(new Headers(built.req.headers)) };
}

/** A provider refused a request; the fields are those that the errors of the SDKs have. */
export class Refused extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly error: unknown;
  constructor(status: number, headers: Headers, text: string) {
    super(`the provider answered ${status}`);
    this.name = "Refused";
    this.status = status;
    this.headers = headers;
    this.error = parseJson(text);
  }
}

/** What came in answer to a post: its headers, and its body as it arrives. F1 to F4 hold for it. */
export interface Answer {
  readonly headers: () => Headers;
  readonly pieces: AsyncIterable<Buffer>;
}

/**
 * Posts a body that is ready as it is. An SDK makes its own objects of every request and of every piece of its answer,
 * which for a short answer is more work than all the rest.
 */
export function post(
  address: Address,
  body: Uint8Array,
  guard: Pick<StreamGuard, "signal" | "touch">,
  agents?: Agents,
): Promise<Answer> {
  // Not async: what waits for an answer would hold what was asked.
  const sent = start({ ...address, method: "POST", body, signal: guard.signal }, agents);
  return answerTo(sent, () => guard.touch());
}

/** Of an answer that comes whole. */
export async function jsonOf({ pieces }: Answer): Promise<unknown> {
  return JSON.parse(await textOf(pieces)) as unknown;
}

async function answerTo(sent: Promise<IncomingMessage>, onLine: () => void): Promise<Answer> {
  const message = await sent;
  const headers = () => headersOf(message);
  if (isGood(message)) return { headers, pieces: watched(message, onLine) };
  throw new Refused(message.statusCode ?? 502, headers(), normalError(await readBounded(message)));
}

function isGood({ statusCode = 502 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 299;
}

/** What a request is sent with, so that its guard hears of each line of the answer. */
export function watchedBy(guard: StreamGuard): {
  readonly signal: AbortSignal;
  readonly fetchOptions: object;
} {
  const watched: WatchedInit = { onLine: () => guard.touch() };
  return { signal: guard.signal, fetchOptions: watched };
}

/** The SDKs hand these on to their fetch as they are. */
interface WatchedInit {
  readonly onLine: () => void;
}

/** The fetch of a client that serves many requests, each of them sent with what `watchedBy` gives. */
export function watchedFetch(agents?: Agents): typeof fetch {
  return (input, init) => guardedFetch((init as unknown as WatchedInit).onLine, agents)(input, init);
}

function send(
  input: string | URL | Request,
  init: RequestInit,
  agents: Agents | undefined,
): Promise<IncomingMessage> {
  const url = new URL(input instanceof Request ? input.url : input);
  const { method = "GET", signal } = init;
  const headers = Object.fromEntries(new Headers(init.headers));
  return start({ url, headers, method, body: bytesOf(init.body), signal }, agents);
}

interface Sent extends Address {
  readonly method: string;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal | null | undefined;
}

async function start(
  { url, headers: own, method, body, signal }: Sent,
  agents: Agents | undefined,
): Promise<IncomingMessage> {
  const secure = url.protocol === "https:";
  const begin = secure ? (await import("node:https")).request : ask;
  const agent = secure ? await agents?.secure() : agents?.plain;
  if (signal?.aborted) throw aborted();
  const headers = { ...own, "accept-encoding": "identity" };
  const request = begin(url, { method, headers, ...(agent ? { agent } : {}) });
  const answer = answerOf(request, signal);
  request.end(body);
  return answer;
}

/** Knows nothing of what is sent, so that nothing here holds it. */
function answerOf(request: ClientRequest, signal: AbortSignal | null | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    const stop = () => {
      // Where all of it has come, the connection serves the next request.
      if (answer?.complete) answer.resume();
      else (answer ?? request).destroy(aborted());
    };
    signal?.addEventListener("abort", stop, { once: true });
    request.once("close", () => signal?.removeEventListener("abort", stop));
    request.once("response", (message: IncomingMessage) => {
      answer = message;
      // Told to whoever reads it.
      message.on("error", () => undefined);
      resolve(message);
    });
    request.on("error", reject);
  });
}

/** F4 */
function bytesOf(body: RequestInit["body"]): Uint8Array | undefined {
  if (typeof body !== "string" && body !== undefined && body !== null)
    throw new TypeError("only text is sent to providers");
  return typeof body === "string" ? Buffer.from(body) : undefined;
}

function aborted(): DOMException {
  return new DOMException("The answer is no longer waited for.", "AbortError");
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  return headers;
}

/** Its body is read as it comes: the SDKs take anything that is iterated, and hold nothing beside it. */
function streamed(head: ResponseInit, pieces: AsyncGenerator<Uint8Array>): Response {
  return Object.defineProperties(new Response(null, head), {
    body: { value: pieces },
    text: { value: () => textOf(pieces) },
    json: { value: async () => JSON.parse(await textOf(pieces)) as unknown },
  });
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let all = "";
  for await (const piece of pieces) all += decoder.decode(piece, { stream: true });
  return all + decoder.decode();
}

async function* watched(message: IncomingMessage, onLine: () => void): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    // Told while it is read, not while it is fetched: the SDKs take the latter for a broken connection.
    if (/^text\/html\b/i.test(message.headers["content-type"] ?? "")) throw new WebPage();
    for await (const piece of piecesOf(message)) {
      bytes += piece.length;
      if (bytes > LIMITS.modelReplyBytesMax) throw new ReplyTooLarge();
      if (piece.includes(NEWLINE)) onLine();
      yield piece;
    }
  } finally {
    // What has come whole leaves its connection to the next request.
    if (message.complete) message.resume();
    else message.destroy();
  }
}

/** Its end is left to whoever reads: the rest of an answer may still be worth its connection. */
async function* piecesOf(message: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw error instanceof DOMException ? error : new BrokenOff(error);
  }
}

/** The first bytes of an error are all that is ever looked at. */
async function readBounded(message: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of piecesOf(message)) {
    bytes += piece.length;
    text += decoder.decode(piece, { stream: true });
    if (bytes > LIMITS.modelErrorBytesMax) {
      message.destroy();
      return text;
    }
  }
  return text + decoder.decode();
}

/**
 * Some compatible servers put the error at the top level instead of under `error`, where
 * the SDK looks for it and nowhere else.
 */
function normalError(text: string): string {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || "error" in body) return text;
  const bare = body as { message?: unknown; detail?: unknown };
  if (bare.message === undefined && bare.detail === undefined) return text;
  return JSON.stringify({ error: { message: bare.message ?? bare.detail, ...bare } });
}
