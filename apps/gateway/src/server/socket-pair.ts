import { Buffer } from "node:buffer";
import { LIMITS } from "@elwood/core/base/limits";
import { CLOSE_CODES } from "@elwood/core/protocol/frames";
import type { Close, Socket } from "@elwood/sdk/client";

/** As much of a WebSocket as a connection needs of its client: one of the `ws` package, or one in this process. */
export interface ServerSocket {
  readonly readyState: number;
  readonly OPEN: number;
  /** Bytes that were sent and have not left. */
  readonly bufferedAmount: number;
  on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  send(data: string): void;
  send(data: Buffer, options: { readonly binary: boolean }, sent: () => void): void;
  ping(data: undefined, mask: undefined, sent: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

const OPEN = 1;
const CLOSED = 3;

/**
 * Both ends of a connection that never leaves this process. They behave like a WebSocket's: a frame
 * arrives after whoever sent it is done, in order, and one that is too large ends the connection.
 */
export function socketPair(): { readonly client: Socket; readonly server: ServerSocket } {
  const heardByClient = new ClientListeners();
  const heardByServer: ServerListeners = { message: [], close: [] };
  /** Frames until the server listens. */
  const early: Buffer[] = [];
  let state = OPEN;
  const end = (close: Close) => {
    if (state === CLOSED) return;
    state = CLOSED;
    queueMicrotask(() => {
      for (const listener of heardByServer.close) listener();
      heardByClient.closed(close);
    });
  };
  const toClient = (text: string) =>
    queueMicrotask(() => {
      if (state === OPEN) heardByClient.received(text);
    });
  const toServer = (data: Buffer) =>
    queueMicrotask(() => {
      if (state === OPEN) for (const listener of heardByServer.message) listener(data, false);
    });
  const server: ServerSocket = {
    get readyState() {
      return state;
    },
    OPEN,
    // What is sent has arrived.
    bufferedAmount: 0,
    on(event: string, listener: (...given: never[]) => void) {
      if (event === "message") {
        heardByServer.message.push(listener as ServerListeners["message"][number]);
        for (const data of early.splice(0)) toServer(data);
      }
      if (event === "close") heardByServer.close.push(listener);
    },
    send(data: string | Buffer, _options?: { readonly binary: boolean }, sent?: () => void) {
      if (state !== OPEN) return;
      toClient(data.toString());
      if (sent) queueMicrotask(sent);
    },
    ping: (_data, _mask, sent) => queueMicrotask(sent),
    close: (code, reason) => queueMicrotask(() => end({ code, reason })),
    terminate: () => end({ code: CLOSE_CODES.internal, reason: "" }),
  };
  const client: Socket = {
    send(text) {
      if (state !== OPEN) return;
      const data = Buffer.from(text);
      if (data.length > LIMITS.frameBytesMax)
        end({ code: CLOSE_CODES.tooLarge, reason: "the frame is too large" });
      else if (heardByServer.message.length > 0) toServer(data);
      else if (early.push(data) > LIMITS.requestsInFlightPerConnectionMax)
        end({ code: CLOSE_CODES.policy, reason: "too many frames before anybody listens" });
    },
    close: (code = 1000) => end({ code, reason: "" }),
    addEventListener: (type: string, listener: (given: never) => void) => heardByClient.add(type, listener),
  };
  queueMicrotask(() => heardByClient.opened());
  return { client, server };
}

interface ServerListeners {
  readonly message: ((data: Buffer, isBinary: boolean) => void)[];
  readonly close: (() => void)[];
}

class ClientListeners {
  readonly #open: (() => void)[] = [];
  readonly #message: ((message: { readonly data: unknown }) => void)[] = [];
  readonly #close: ((close: Close) => void)[] = [];

  add(type: string, listener: (given: never) => void): void {
    if (type === "open") this.#open.push(listener as () => void);
    if (type === "message") this.#message.push(listener as (message: { readonly data: unknown }) => void);
    if (type === "close") this.#close.push(listener as (close: Close) => void);
  }

  opened(): void {
    for (const listener of this.#open) listener();
  }

  received(data: string): void {
    for (const listener of this.#message) listener({ data });
  }

  closed(close: Close): void {
    for (const listener of this.#close) listener(close);
  }
}
