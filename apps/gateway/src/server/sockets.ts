import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
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
      sockets.handleUpgrade(request, socket, head, (client) =>
        connect(new GatheringSocket(client, socket), remoteKey(request)),
      );
    },
    acceptHere: (socket) => connect(socket, THIS_PROCESS),
  };
}

/**
 * A WebSocket whose frames of one turn of the event loop leave together: a write to a socket costs more
 * than the words in it, and what several runs say in the same moment is many small frames.
 */
export class GatheringSocket implements ServerSocket {
  readonly OPEN: number;
  readonly on: ServerSocket["on"];
  readonly #client: WebSocket;
  readonly #stream: Duplex;
  #isGathering = false;

  constructor(client: WebSocket, stream: Duplex) {
    this.#client = client;
    this.#stream = stream;
    this.OPEN = client.OPEN;
    this.on = client.on.bind(client);
  }

  get readyState(): number {
    return this.#client.readyState;
  }

  get bufferedAmount(): number {
    return this.#client.bufferedAmount;
  }

  send(data: string): void;
  send(data: Buffer, options: { readonly binary: boolean }, sent: () => void): void;
  send(data: string | Buffer, options: { readonly binary: boolean } = { binary: false }, sent?: () => void) {
    this.#gather();
    this.#client.send(data, options, sent);
  }

  ping(data: undefined, mask: undefined, sent: () => void): void {
    this.#client.ping(data, mask, sent);
  }

  close(code: number, reason: string): void {
    this.#client.close(code, reason);
    this.#letGo();
  }

  terminate(): void {
    this.#letGo();
    this.#client.terminate();
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#stream.cork();
    setImmediate(() => this.#letGo());
  }

  #letGo(): void {
    if (!this.#isGathering) return;
    this.#isGathering = false;
    this.#stream.uncork();
  }
}
