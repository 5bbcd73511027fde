import {
  failure,
  FailureError,
  FAILURE_REASONS,
  type Failure,
  type FailureReason,
} from "@elwood/core/base/failure";
import type { EventData, EventName } from "@elwood/core/protocol/events";
import type { ErrorObject, Hello } from "@elwood/core/protocol/frames";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";

export interface ConnectOptions {
  /** `http://` or `ws://` address of the gateway. */
  readonly url: string;
  readonly token: string;
  readonly client?: { readonly name: string; readonly version?: string; readonly drafts?: boolean };
  /** How long the connection and its first answer may take. */
  readonly timeoutMs?: number;
}

export interface Push<E extends EventName = EventName> {
  readonly event: E;
  readonly data: EventData<E>;
}

type Listener = (push: Push) => void;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * A connection to a gateway: calls out, pushes in. Works in Node and in a browser.
 *
 * Everything that goes wrong arrives as a FailureError whose `failure.reason` comes from
 * the closed list. When the connection ends, every open call fails with NETWORK; whether
 * such a call took effect is not known, which is what idempotency keys are for.
 */
export class GatewayClient {
  readonly hello: Hello;
  /** Resolves when the connection is gone, with the code and words of its close. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #waiting: Map<string, Waiting>;
  readonly #listeners: Set<Listener>;
  #nextId = 1;

  private constructor(
    socket: WebSocket,
    hello: Hello,
    shared: {
      waiting: Map<string, Waiting>;
      listeners: Set<Listener>;
      closed: Promise<{ code: number; reason: string }>;
    },
  ) {
    this.#socket = socket;
    this.hello = hello;
    this.#waiting = shared.waiting;
    this.#listeners = shared.listeners;
    this.closed = shared.closed;
  }

  static connect(options: ConnectOptions): Promise<GatewayClient> {
    const waiting = new Map<string, Waiting>();
    const listeners = new Set<Listener>();
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(socketUrl(options.url));
      let settled = false;
      let refusal: Failure | undefined;
      const giveUp = (reason: Failure) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        socket.close();
        reject(new FailureError(reason));
      };
      const timer = setTimeout(
        () => giveUp(failure("TIMEOUT", `The gateway at ${options.url} did not answer in time.`)),
        options.timeoutMs ?? 10_000,
      );
      const closed = new Promise<{ code: number; reason: string }>((resolveClosed) => {
        socket.addEventListener("close", (event) => {
          giveUp(
            refusal ??
              failure("NETWORK", `There is no gateway at ${options.url}, or it closed the connection.`),
          );
          for (const call of waiting.values()) {
            call.reject(
              new FailureError(
                failure(
                  "NETWORK",
                  "The connection to the gateway broke before it answered. Whether the request took effect is not known.",
                ),
              ),
            );
          }
          waiting.clear();
          resolveClosed({ code: event.code, reason: event.reason });
        });
      });
      socket.addEventListener("error", () =>
        giveUp(failure("NETWORK", `There is no gateway at ${options.url}.`)),
      );
      socket.addEventListener("open", () =>
        socket.send(JSON.stringify({ type: "auth", token: options.token, client: options.client })),
      );
      socket.addEventListener("message", (message) => {
        const frame = JSON.parse(String(message.data)) as IncomingFrame;
        if (frame.type === "auth" && frame.hello) {
          settled = true;
          clearTimeout(timer);
          resolve(new GatewayClient(socket, frame.hello, { waiting, listeners, closed }));
        } else if (frame.event !== undefined) {
          for (const listener of listeners) listener({ event: frame.event, data: frame.data } as Push);
        } else if (typeof frame.id === "string") {
          const call = waiting.get(frame.id);
          waiting.delete(frame.id);
          if (frame.error) call?.reject(new FailureError(toFailure(frame.error)));
          else call?.resolve(frame.result);
        } else if (frame.error) {
          refusal = toFailure(frame.error);
        }
      });
    });
  }

  call<M extends MethodName>(method: M, params: MethodParams<M>): Promise<MethodResult<M>> {
    const id = String(this.#nextId++);
    return new Promise<MethodResult<M>>((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) {
        reject(
          new FailureError(failure("NETWORK", "The connection to the gateway is closed. Nothing was sent.")),
        );
        return;
      }
      // The gateway's answers are what the protocol says; the conformance suite holds it to that.
      this.#waiting.set(id, { resolve: (result) => resolve(result as MethodResult<M>), reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Every push, as it comes; answers a function that stops it. */
  onPush(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
    await this.closed;
  }
}

interface IncomingFrame {
  readonly type?: string;
  readonly hello?: Hello;
  readonly id?: string | null;
  readonly result?: unknown;
  readonly error?: ErrorObject;
  readonly event?: EventName;
  readonly data?: unknown;
}

function socketUrl(url: string): string {
  const parsed = new URL(url);
  parsed.protocol = parsed.protocol === "https:" || parsed.protocol === "wss:" ? "wss:" : "ws:";
  parsed.pathname = "/ws";
  parsed.hash = "";
  parsed.search = "";
  return parsed.href;
}

function toFailure(error: ErrorObject): Failure {
  const known = FAILURE_REASONS.find((reason) => reason === error.data?.reason);
  const reason: FailureReason = known ?? "INTERNAL";
  return failure(reason, error.message, {
    retryable: error.data?.retryable ?? false,
    ...(error.data?.retryAfterMs === undefined ? {} : { retryAfterMs: error.data.retryAfterMs }),
  });
}

/** True for a push of one run and one kind; narrows its data. */
export function isPush<E extends EventName>(push: Push, event: E): push is Push<E> {
  return push.event === event;
}
