import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { LIMITS } from "@elwood/core/base/limits";
import type { Authenticator } from "../auth/authenticate.ts";
import type { FailedAuthLimiter } from "../auth/failed-auth.ts";
import { makeDispatcher } from "../methods/dispatch.ts";
import type { Services } from "../methods/services.ts";
import { Connection } from "./connection.ts";
import { remoteKey } from "./guards.ts";
import type { ServerSocket } from "./socket-pair.ts";
import type { StaticPage } from "./static-page.ts";

/** In place of the address of another machine. */
const THIS_PROCESS = "this process";

export interface OpenSockets {
  /** Makes a connection of a request to upgrade. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Makes a connection of a client in this process. */
  acceptHere(socket: ServerSocket): void;
}

/** The WebSocket side of the server, with all methods. */
export function openSockets(parts: {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly limiter: FailedAuthLimiter;
  readonly page: StaticPage;
  readonly connections: Set<Connection>;
}): OpenSockets {
  const { services, authenticator, limiter, page, connections } = parts;
  const deps = { services, dispatcher: makeDispatcher(), authenticator, limiter, build: () => page.build() };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.frameBytesMax,
    perMessageDeflate: false,
  });
  const connect = (client: ServerSocket, remote: string) => {
    const connection = new Connection(client, remote, deps);
    connections.add(connection);
    client.on("close", () => connections.delete(connection));
  };
  return {
    accept(request, socket, head) {
      sockets.handleUpgrade(request, socket, head, (client) => connect(client, remoteKey(request)));
    },
    acceptHere: (socket) => connect(socket, THIS_PROCESS),
  };
}
