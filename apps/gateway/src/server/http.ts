import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import { failure, FailureError, wireClassOf, type Failure, type WireClass } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { toErrorObject } from "@elwood/core/protocol/frames";

/** Small pieces every HTTP route needs. */

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
};

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(response.req.method === "HEAD" ? undefined : text);
}

const HTTP_STATUS: Readonly<Record<WireClass, number>> = {
  BAD_JSON: 400,
  BAD_FRAME: 400,
  UNKNOWN_METHOD: 404,
  INVALID_INPUT: 400,
  INTERNAL: 500,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  TIMEOUT: 504,
  UPSTREAM_ERROR: 502,
  LIMIT: 413,
  UNAVAILABLE: 503,
};

/** A full queue is no fault of what was sent, and a key that came with another body is one of this very request. */
export function statusOf({ reason }: Failure): number {
  if (reason === "QUEUE_FULL") return 429;
  return reason === "KEY_REUSED" ? 422 : HTTP_STATUS[wireClassOf(reason)];
}

export function sendFailure(response: ServerResponse, reason: Failure): void {
  sendJson(response, statusOf(reason), { error: toErrorObject(reason) }, retryHeaders(reason));
}

/** The same as a problem document (RFC 9457), for addresses that programs use. */
export function sendProblem(
  response: ServerResponse,
  reason: Failure,
  requestId: string,
  more: { readonly status?: number; readonly headers?: Record<string, string> } = {},
): void {
  const { status, problem } = problemDocument(reason, requestId, more.status);
  const type = { "content-type": "application/problem+json; charset=utf-8" };
  sendJson(response, status, problem, { ...retryHeaders(reason), ...type, ...more.headers });
}

/** The same to be kept, and sent when the request comes again. */
export function problemOf(
  reason: Failure,
  requestId: string,
): { readonly status: number; readonly body: string } {
  const { status, problem } = problemDocument(reason, requestId);
  return { status, body: JSON.stringify(problem) };
}

function problemDocument(reason: Failure, requestId: string, given?: number) {
  const code = wireClassOf(reason.reason);
  const status = given ?? statusOf(reason);
  const { retryable, retryAfterMs } = reason;
  const problem = {
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail: reason.message,
    code,
    reason: reason.reason,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    requestId,
  };
  return { status, problem };
}

function retryHeaders({ retryAfterMs }: Failure): Record<string, string> {
  return retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
}

/** The whole body, or a Failure as soon as it grows past `bytesMax`. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () =>
    new FailureError(
      failure("FRAME_TOO_LARGE", `The body is larger than ${bytesMax} bytes. Nothing was stored.`),
    );
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Left open where we stop reading: the refusal goes out over the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function readJson(
  request: IncomingMessage,
  bytesMax: number = LIMITS.httpBodyBytesMax,
): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new FailureError(failure("INVALID_INPUT", "Send the body as application/json. Nothing was done."));
  }
  const body = await readBody(request, bytesMax);
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new FailureError(failure("BAD_JSON", "The body is not valid JSON. Nothing was done."));
    throw error;
  }
}

export function bearerOf(request: IncomingMessage): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? "")?.[1];
}
