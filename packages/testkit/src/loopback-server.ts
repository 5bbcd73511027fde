import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One request as it came in. `at` counts requests in the order of arrival, from 1. */
export interface LedgerEntry {
  readonly at: number;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parsed where it is JSON, otherwise undefined. */
  readonly body: unknown;
  /** True once the client hung up before the answer was complete. */
  readonly hungUp: boolean;
}

/** The server's side of one request, for answers that act by hand. */
export interface Exchange {
  readonly request: LedgerEntry;
  head(status: number, headers?: Record<string, string>): void;
  /** Writes, and resolves when the bytes have left for the socket. */
  write(bytes: string | Uint8Array): Promise<void>;
  end(bytes?: string | Uint8Array): void;
  /** Breaks the connection where it stands. */
  cut(): void;
  /** Resolves when the client is gone. */
  readonly gone: Promise<void>;
}

export type Answer = (exchange: Exchange) => void | Promise<void>;

export interface LoopbackOptions {
  /** Requests kept in the ledger; older ones are forgotten, so that a benchmark does not grow. */
  readonly ledgerMax?: number;
  /** Called before the script; a sentence back means that a real server would have refused it with 400. */
  readonly check?: (request: LedgerEntry) => string | undefined;
  /** How this API writes an error; plain `{error: {message}}` unless told. */
  readonly refuse?: (status: number, message: string) => Answer;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;

/**
 * A real HTTP server on 127.0.0.1 that plays a script and keeps a ledger.
 *
 * S1 Answers are taken first in, first out, per route (`POST /v1/messages`).
 * S2 A request that no script expects is answered 599 and makes `assertDone` throw; so
 *    does a request that `check` finds malformed, and a step nobody asked for.
 * S3 `close` ends every connection: a test never waits for a hanging one.
 */
export class LoopbackServer {
  readonly requests: LedgerEntry[] = [];
  readonly #scripts = new Map<string, Answer[]>();
  readonly #standing = new Map<string, Answer>();
  readonly #complaints: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #arrivals = new Set<() => void>();
  readonly #options: LoopbackOptions;
  readonly #server = createServer((req, res) => void this.#serve(req, res));
  #count = 0;

  constructor(options: LoopbackOptions = {}) {
    this.#options = options;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  async start(): Promise<this> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return this;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** The last request of a route, or of all; fails where none came. */
  last(route?: string): LedgerEntry {
    const found = this.requests.findLast((r) => route === undefined || `${r.method} ${r.path}` === route);
    if (!found) throw new Error(`no request came in${route ? ` for ${route}` : ""}`);
    return found;
  }

  /** Adds answers to the script of a route. */
  script(route: string, ...answers: Answer[]): this {
    const queue = this.#scripts.get(route) ?? [];
    queue.push(...answers);
    this.#scripts.set(route, queue);
    return this;
  }

  /** Answers a route whenever its script is empty, any number of times. */
  always(route: string, answer: Answer): this {
    this.#standing.set(route, answer);
    return this;
  }

  /** Resolves once `count` requests have come in, all told. */
  async untilRequests(count: number): Promise<void> {
    while (this.#count < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#arrivals.add(resolve);
      await promise;
    }
  }

  /** Throws where something unexpected came, or something expected did not. */
  assertDone(): void {
    const unused = [...this.#scripts]
      .filter(([, queue]) => queue.length > 0)
      .map(([route, queue]) => `${queue.length} scripted answer(s) for ${route} were never asked for`);
    const complaints = [...this.#complaints, ...unused];
    if (complaints.length > 0) throw new Error(`loopback server:\n- ${complaints.join("\n- ")}`);
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const text = await readBody(req);
    if (text === undefined) return;
    const request = this.#record(req, text);
    const answer = this.#pick(request);
    const exchange = exchangeOf(request, req, res);
    try {
      await answer(exchange);
    } catch (error) {
      if (request.hungUp) return;
      this.#complaints.push(`the answer to ${request.method} ${request.path} threw: ${String(error)}`);
      exchange.cut();
    }
  }

  #record(req: IncomingMessage, text: string): LedgerEntry & { hungUp: boolean } {
    const url = new URL(req.url ?? "/", "http://loopback");
    this.#count += 1;
    const entry = {
      at: this.#count,
      method: req.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      headers: flatHeaders(req),
      text,
      body: parseJson(text),
      hungUp: false,
    };
    this.requests.push(entry);
    if (this.requests.length > (this.#options.ledgerMax ?? 10_000)) this.requests.shift();
    for (const arrived of this.#arrivals) arrived();
    this.#arrivals.clear();
    return entry;
  }

  #pick(request: LedgerEntry): Answer {
    const route = `${request.method} ${request.path}`;
    const refuse = this.#options.refuse ?? plainRefusal;
    const wrong = this.#options.check?.(request);
    if (wrong !== undefined) {
      this.#complaints.push(`${route} was malformed: ${wrong}`);
      return refuse(400, wrong);
    }
    const answer = this.#scripts.get(route)?.shift() ?? this.#standing.get(route);
    if (answer) return answer;
    this.#complaints.push(`request ${request.at} (${route}) was not expected`);
    return refuse(599, `The test did not expect request ${request.at}: ${route}.`);
  }
}

function plainRefusal(status: number, message: string): Answer {
  return (exchange) => {
    exchange.head(status, { "content-type": "application/json", "x-should-retry": "false" });
    exchange.end(JSON.stringify({ error: { message } }));
  };
}

function exchangeOf(
  request: LedgerEntry & { hungUp: boolean },
  req: IncomingMessage,
  res: ServerResponse,
): Exchange {
  const gone = Promise.withResolvers<void>();
  res.on("close", () => {
    if (!res.writableFinished) request.hungUp = true;
    gone.resolve();
  });
  return {
    request,
    gone: gone.promise,
    head(status, headers = {}) {
      res.writeHead(status, headers);
      res.flushHeaders();
    },
    async write(bytes) {
      if (res.destroyed) throw new Error("the client has hung up");
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      res.write(bytes, (error) => (error ? reject(error) : resolve()));
      await promise;
    },
    end(bytes) {
      res.end(bytes);
    },
    cut() {
      // Not a reset, which could overtake bytes already sent: the client sees them, then the break.
      req.socket.destroy();
    },
  };
}

async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) throw new Error("request body too large for a test server");
      chunks.push(chunk);
    }
  } catch {
    // The client went away, or sent nonsense: there is nobody left to answer.
    req.destroy();
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function flatHeaders(req: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
