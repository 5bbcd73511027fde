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
import type { StaticPage } from "./static-page.ts";

export interface OpenSockets {
  /** Makes a connection of a request to upgrade. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
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
  return {
    accept(request, socket, head) {
      sockets.handleUpgrade(request, socket, head, (client) => {
        const connection = new Connection(client, remoteKey(request), deps);
        connections.add(connection);
        client.on("close", () => connections.delete(connection));
      });
    },
  };
}
