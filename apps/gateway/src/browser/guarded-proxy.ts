import { randomBytes } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Check, type CheckedTarget, type GuardedDialer, orThrow } from "../web/guarded-dialer.ts";
import { AddressRefused } from "../web/web-errors.ts";
import { type Pass, Passes } from "./proxy-passes.ts";

export type { Pass, RefusedRequest } from "./proxy-passes.ts";

/**
 * The only way out of the browser that Elwood drives. Chromium is told to send everything
 * here, what a page fetches from its own machine included; each target is checked and
 * dialled by the same rules as every other request of Elwood's tools.
 *
 * P1 Who has no pass gets nothing: other programs on this machine cannot use it.
 * P2 A target is checked for each request and each tunnel, so that a redirect, a frame, a
 *    socket or a name that changed its address is judged like the first page.
 * P3 A machine of the owner's own, opened in `web.allowedOrigins`, is reached only by a profile that was
 *    sent there by a call: a page from elsewhere cannot use it.
 * P4 What is refused is kept with its pass, so that the tool can say what the page tried.
 */
export interface GuardedProxy {
  readonly port: number;
  /** Lets one profile of the browser through. */
  pass(): Pass;
  close(): Promise<void>;
}

export const PROXY_LIMITS = {
  connectionsMax: 256,
  headBytesMax: 64 * 1024,
  headMs: 30_000,
  /** Silence on a connection after which it is closed. */
  idleMs: 5 * 60_000,
  passesMax: 64,
  refusedKept: 50,
} as const;

export async function startGuardedProxy(dialer: GuardedDialer): Promise<GuardedProxy> {
  const passes = new Passes(
    () => randomBytes(24).toString("base64url"),
    PROXY_LIMITS.passesMax,
    PROXY_LIMITS.refusedKept,
  );
  const sockets = new Set<Duplex>();
  const server = createServer({
    maxHeaderSize: PROXY_LIMITS.headBytesMax,
    headersTimeout: PROXY_LIMITS.headMs,
    requestTimeout: 0,
  });
  server.maxConnections = PROXY_LIMITS.connectionsMax;
  server.on("connection", (socket: Socket) => keep(sockets, socket));
  server.on("request", (req, res) => void forward(dialer, passes, req, res));
  server.on("connect", (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    void tunnel(dialer, passes, sockets, req, socket, head);
  });
  // A page's sockets come through tunnels; nobody else has one to open here.
  server.on("upgrade", (_req, socket: Duplex) => socket.destroy());
  server.on("clientError", (_error, socket: Duplex) => socket.destroy());
  await listen(server);
  return {
    port: (server.address() as AddressInfo).port,
    pass: () => passes.issue(),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function tunnel(
  dialer: GuardedDialer,
  passes: Passes,
  sockets: Set<Duplex>,
  req: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const over = new AbortController();
  client.on("error", () => client.destroy());
  client.once("close", () => over.abort());
  const pass = passes.of(req.headers["proxy-authorization"]);
  if (!pass) return void client.end(NO_PASS);
  const target = hostAndPort(req.url ?? "");
  if (!target) return void client.end(answerHead(400, "Bad Request"));
  try {
    const checked = await dialer.checkHost(target.host, target.port, over.signal);
    const far = await dialer.connect(mayGo(pass, checked, target.host), over.signal);
    keep(sockets, far);
    far.on("error", () => client.destroy());
    far.once("close", () => client.destroy());
    client.once("close", () => far.destroy());
    client.write(answerHead(200, "Connection Established"));
    if (head.length > 0) far.write(head);
    far.pipe(client).pipe(far);
  } catch (error) {
    if (client.destroyed) return;
    const status = noteRefusal(pass, `${target.host}:${target.port}`, error);
    client.end(answerHead(status, status === 403 ? "Forbidden" : "Bad Gateway"));
  }
}

async function forward(
  dialer: GuardedDialer,
  passes: Passes,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const over = new AbortController();
  res.once("close", () => over.abort());
  const pass = passes.of(req.headers["proxy-authorization"]);
  if (!pass) {
    res.writeHead(407, { "proxy-authenticate": CHALLENGE, "content-length": "0" }).end();
    return;
  }
  const url = req.url !== undefined && URL.canParse(req.url) ? new URL(req.url) : undefined;
  if (url?.protocol !== "http:") {
    res.writeHead(400, { "content-length": "0" }).end();
    return;
  }
  try {
    const target = mayGo(pass, await dialer.check(url, over.signal), url.host);
    const socket = await dialer.connect(target, over.signal);
    const far = request({
      createConnection: () => socket,
      method: req.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      headers: forwardedHead(req.rawHeaders, url.host),
      setHost: false,
      timeout: PROXY_LIMITS.idleMs,
      maxHeaderSize: PROXY_LIMITS.headBytesMax,
    });
    far.on("timeout", () => far.destroy());
    far.on("error", () => (res.headersSent ? res.destroy() : refuse(res, 502)));
    far.on("response", (answer) => {
      // Only this proxy may ask for a pass.
      const status = answer.statusCode === 407 ? 502 : (answer.statusCode ?? 502);
      res.writeHead(status, returnedHead(answer.rawHeaders));
      answer.on("error", () => res.destroy());
      answer.pipe(res);
    });
    res.once("close", () => far.destroy());
    req.on("error", () => far.destroy());
    req.pipe(far);
  } catch (error) {
    if (res.destroyed) return;
    refuse(res, noteRefusal(pass, url.host, error));
  }
}

function mayGo(pass: Pass, checked: Check, shown: string): CheckedTarget {
  const target = orThrow(checked, shown);
  if (pass.mayReach(target)) return target;
  throw new AddressRefused(
    "hard.not-visited",
    `Elwood does not connect to ${shown}. It is opened for you to name and not for pages to reach; open it in this conversation first. Nothing was sent.`,
  );
}

/** 403 where a rule spoke; 502 where the target was not there. */
function noteRefusal(pass: Pass, target: string, error: unknown): number {
  if (!(error instanceof AddressRefused)) return 502;
  pass.note({ target, rule: error.rule, reason: error.message });
  return 403;
}

function refuse(res: ServerResponse, status: number): void {
  const words = status === 403 ? "Elwood does not connect to this address." : "The address did not answer.";
  res.writeHead(status, { "content-type": "text/plain", "content-length": String(words.length) }).end(words);
}

const CHALLENGE = 'Basic realm="Elwood"';
const NO_PASS = answerHead(407, "Proxy Authentication Required", `Proxy-Authenticate: ${CHALLENGE}\r\n`);

function answerHead(status: number, words: string, more = ""): string {
  const length = status === 200 ? "" : "Content-Length: 0\r\n";
  return `HTTP/1.1 ${status} ${words}\r\n${more}${length}\r\n`;
}

/** `host:port` of a tunnel, with an IPv6 address in brackets. */
function hostAndPort(authority: string): { host: string; port: number } | undefined {
  const parts = /^(\[[0-9a-f:.]+\]|[^:\s/@[\]]+):(\d{1,5})$/i.exec(authority);
  if (!parts) return undefined;
  const port = Number(parts[2]);
  return port >= 1 && port <= 65_535 ? { host: parts[1]!, port } : undefined;
}

function keep(sockets: Set<Duplex>, socket: Socket): void {
  sockets.add(socket);
  socket.setTimeout(PROXY_LIMITS.idleMs, () => socket.destroy());
  socket.once("close", () => sockets.delete(socket));
}

async function listen(server: Server): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", resolve);
  await promise;
}

/** Lines that concern one connection and not the request. */
const HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Header lines of a request as they go on: without the pass, and with the host that was checked. */
function forwardedHead(raw: readonly string[], host: string): string[] {
  const body = lines(raw).some(([name]) => name.toLowerCase() === "transfer-encoding");
  return [
    "Host",
    host,
    ...lines(raw)
      .filter(([name]) => !HOP.has(name.toLowerCase()) && name.toLowerCase() !== "host")
      .flat(),
    ...(body ? ["Transfer-Encoding", "chunked"] : []),
    "Connection",
    "close",
  ];
}

/** Header lines of an answer as they come back. */
function returnedHead(raw: readonly string[]): string[] {
  return lines(raw)
    .filter(([name]) => !HOP.has(name.toLowerCase()))
    .flat();
}

function lines(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""]] : []));
}
