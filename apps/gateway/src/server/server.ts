import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { failure, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { EventData, EventName } from "@elwood/core/protocol/events";
import { CLOSE_CODES } from "@elwood/core/protocol/frames";
import type { Socket as ClientSocket } from "@elwood/sdk/client";
import type { Services } from "../methods/services.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import type { Api } from "./api/api.ts";
import type { McpRoute } from "./mcp-route.ts";
import { approvalPush } from "./approval-push.ts";
import type { Connection } from "./connection.ts";
import { FailedAuthLimiter } from "../auth/failed-auth.ts";
import { makeGuards, type Guards } from "./guards.ts";
import { sendFailure } from "./http.ts";
import { route } from "./routes.ts";
import { socketPair } from "./socket-pair.ts";
import type { OpenSockets } from "./sockets.ts";
import type { StaticPage } from "./static-page.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
}

export interface RunningServer {
  /** undefined where only clients in this process are served. */
  readonly port: number | undefined;
  /** Another client in this process. Its frames are those of a WebSocket, and it shows its token like any other. */
  connect(): ClientSocket;
  clients(): number;
  /** Whether somebody is connected with this token. */
  isConnected(tokenId: string): boolean;
  /** Closes the connections of a token that was revoked. */
  closeToken(tokenId: string): void;
  /** Pushes to every client of the tenant. */
  tell<E extends EventName>(tenant: string, event: E, data: EventData<E>): void;
  /** From now on `/readyz` says ready. */
  ready(): void;
  close(): Promise<void>;
}

interface ServerDeps {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly page: StaticPage;
}

/** What requests and connections of one server share. */
interface ServerState extends ServerDeps {
  readonly limiter: FailedAuthLimiter;
  readonly connections: Set<Connection>;
  isReady: boolean;
  /** Loaded with the first client, so that a start does not wait for it. */
  readonly sockets: () => Promise<OpenSockets>;
  /** Loaded with the first request to it. */
  readonly api: () => Promise<Api>;
  readonly mcp: () => Promise<McpRoute>;
  /** Made once the port is known. */
  guards?: Guards;
}

/** One HTTP server: pages, health, files, and the WebSocket on `/ws` (on `/` too). */
export async function startServer(options: ServerOptions, deps: ServerDeps): Promise<RunningServer> {
  const state = newState(deps);
  const server = createServer(HTTP_OPTIONS, (request, response) => answer(state, request, response));
  acceptSockets(server, state);
  makeRoom(server);
  const clients = servedClients(state);
  server.maxConnections = LIMITS.socketsMax;
  const port = await listen(server, options);
  state.guards = makeGuards({ ...options, port });
  return {
    ...clients,
    port,
    async close() {
      await clients.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // Clients that do not answer the close are cut off shortly after.
      setTimeout(() => server.closeAllConnections(), 1_500).unref();
      await closed;
    },
  };
}

/** Serves clients in this process alone: no port is opened, so nobody else can come. */
export function serveThisProcess(deps: ServerDeps): RunningServer {
  return servedClients(newState(deps));
}

function newState(deps: ServerDeps): ServerState {
  const limiter = new FailedAuthLimiter(deps.services.system.clock);
  let sockets: Promise<OpenSockets> | undefined;
  let api: Promise<Api> | undefined;
  let mcp: Promise<McpRoute> | undefined;
  const state: ServerState = {
    ...deps,
    limiter,
    connections: new Set(),
    isReady: false,
    sockets: () => (sockets ??= import("./sockets.ts").then(({ openSockets }) => openSockets(state))),
    api: () => (api ??= import("./api/api.ts").then(({ makeApi }) => makeApi(state))),
    mcp: () => (mcp ??= import("./mcp-route.ts").then(({ makeMcpRoute }) => makeMcpRoute(state))),
  };
  return state;
}

/** What a server does for its clients, wherever they come from. */
function servedClients(state: ServerState): RunningServer {
  const { connections, services } = state;
  const tell: RunningServer["tell"] = (tenant, event, data) => {
    for (const connection of connections) if (connection.tenant === tenant) connection.push(event, data);
  };
  const stopTelling = tellOfChanges(services, tell);
  return {
    port: undefined,
    connect() {
      const { client, server } = socketPair();
      state.sockets().then(
        (sockets) => sockets.acceptHere(server),
        (error: unknown) => {
          services.system.log.error("a client in this process could not be accepted", { error });
          server.terminate();
        },
      );
      return client;
    },
    clients: () => [...connections].filter((c) => c.authenticated).length,
    isConnected: (tokenId) => [...connections].some((c) => c.authenticated && c.tokenId === tokenId),
    closeToken(tokenId) {
      for (const c of connections) if (c.tokenId === tokenId) c.close(CLOSE_CODES.policy, "token revoked");
    },
    tell,
    ready() {
      state.isReady = true;
    },
    async close() {
      state.isReady = false;
      stopTelling();
      for (const connection of connections)
        connection.close(CLOSE_CODES.restarting, "the gateway is stopping");
    },
  };
}

function answer(state: ServerState, request: IncomingMessage, response: ServerResponse): void {
  const { services, authenticator, limiter, page, api, mcp } = state;
  const { log } = services.system;
  const refused = state.guards?.refusal(request);
  if (refused) {
    log.warn("refused a request", { reason: refused.reason, detail: refused.message });
    sendFailure(response, refused);
    return;
  }
  const isReady = () => state.isReady;
  const routed = route(request, response, { services, authenticator, limiter, page, isReady, api, mcp });
  routed.catch((error: unknown) => {
    if (request.errored) {
      log.debug("a client went away before it was answered", { error });
      response.destroy();
      return;
    }
    const known = error instanceof FailureError ? error.failure : undefined;
    if (!known) log.error("a request broke", { path: request.url?.split("?")[0], error });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // The rest of a body nobody will read must not keep the connection alive.
    response.setHeader("connection", "close");
    sendFailure(
      response,
      known ?? failure("INTERNAL", "The request failed inside Elwood. The log says more."),
    );
    request.resume();
  });
}

function acceptSockets(server: Server, state: ServerState): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { log } = state.services.system;
    socket.on("error", (error) => log.debug("a socket broke before its upgrade", { error }));
    const accept = (sockets: OpenSockets) => {
      const refusal = upgradeRefusal(state, request);
      if (refusal) lastWords(socket, refusal);
      else sockets.accept(request, socket, head);
    };
    state.sockets().then(accept, (error: unknown) => {
      log.error("a WebSocket could not be accepted", { error });
      lastWords(socket, "500 Internal Server Error");
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) lastWords(socket, CLIENT_ERRORS[error.code ?? ""] ?? "400 Bad Request");
    else socket.destroy();
  });
}

/** Tells clients what was asked and decided, which sessions changed, and what needs the owner; answers how to stop. */
function tellOfChanges(services: Services, tell: RunningServer["tell"]): () => void {
  const { watch } = services.attention;
  const stops = [
    services.approvals.events.onEvent(({ tenant, ...event }) => {
      const { name, data } = approvalPush(event);
      tell(tenant, name, data);
      watch.poke(tenant);
    }),
    watch.onChange((tenant, told) => tell(tenant, "attention.changed", told)),
    services.runs.engine.onSessionChange((tenant, change) => {
      tell(tenant, "session.changed", change);
      if (change.what === "updated" && change.acceptedRun === undefined) void watch.runEnded(tenant);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    watch.stop();
  };
}

function upgradeRefusal(state: ServerState, request: IncomingMessage): string | undefined {
  const { connections, guards } = state;
  // A client that came before runs were taken up again would find none of them.
  if (!state.isReady) return "503 Service Unavailable";
  const refused = guards?.refusal(request);
  if (refused) {
    const detail = { reason: refused.reason, detail: refused.message };
    state.services.system.log.warn("refused a WebSocket", detail);
    return "403 Forbidden";
  }
  const path = (request.url ?? "/").split("?")[0];
  if (path !== "/ws" && path !== "/") return "404 Not Found";
  const strangers = [...connections].filter((c) => !c.authenticated);
  if (connections.size < LIMITS.connectionsMax && strangers.length < LIMITS.preAuthConnectionsMax)
    return undefined;
  // Whoever has shown no token yet gives way, the oldest first: silence must not keep the owner out.
  const oldest = strangers.find((c) => !c.authenticating);
  if (!oldest) return "503 Service Unavailable";
  connections.delete(oldest);
  oldest.close(CLOSE_CODES.policy, "another client needs the place");
  return undefined;
}

/** Sockets on which nothing is being asked give way to new ones, the oldest first. */
function makeRoom(server: Server): void {
  const idle = new Set<Socket>();
  let open = 0;
  const settle = (socket: Socket) => {
    if (socket.destroyed) return;
    idle.add(socket);
    // Of a thousand that come at once, each is silent until it is read: they need not give way while there is room.
    if (idle.size <= LIMITS.idleSocketsMax || open < LIMITS.socketsMax - SOCKETS_SPARE) return;
    const oldest = idle.values().next();
    if (!oldest.done) oldest.value.destroy();
  };
  server.on("connection", (socket: Socket) => {
    open++;
    socket.once("close", () => {
      open--;
      idle.delete(socket);
    });
    settle(socket);
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    idle.delete(request.socket);
    response.once("close", () => settle(request.socket));
  });
  server.on("upgrade", (request: IncomingMessage) => idle.delete(request.socket));
}

/** Places that are kept free, so that nobody finds all of them taken. */
const SOCKETS_SPARE = 8;

/** A stranger gets as long for its headers as for its first frame; the check itself must come often enough. */
const HTTP_OPTIONS = {
  headersTimeout: LIMITS.preAuthMs,
  requestTimeout: LIMITS.httpRequestMs,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: LIMITS.httpHeadBytesMax,
  // The system finds out that the other machine is gone; else its connection would stay for ever.
  keepAlive: true,
  keepAliveInitialDelay: LIMITS.deadPeerProbeMs,
};

const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
};

/** Answers on a bare socket and closes it, both halves: who never closes theirs must not keep it open. */
function lastWords(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

function listen(server: Server, options: ServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port }, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : options.port);
    });
  });
}
