import type { EventData, EventName } from "@elwood/core/protocol/events";
import type { ErrorObject, Hello } from "@elwood/core/protocol/frames";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import { Store } from "@elwood/sdk/store";

/** The protocol that this page was written for. */
export const PROTOCOL = 2;

const CLOSED_FOR_GOOD = 1008;
const FIRST_DELAY_MS = 800;
const DELAY_MS_MAX = 15_000;
const CONNECT_MS_MAX = 10_000;
const ANSWER_MS_MAX = 20_000;
/** These wait for a model, or for a tool, before they answer. */
const SLOW: ReadonlySet<MethodName> = new Set([
  "auth.set",
  "auth.test",
  "calls.undo",
  "gateway.doctor",
  "memory.forget",
  "memory.rebuild",
  "models.use",
]);
const SLOW_ANSWER_MS_MAX = 120_000;

/** Why a request was not answered as hoped. `LOST` means that the connection went away and nobody knows. */
export class RequestError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type Push = { [E in EventName]: { readonly event: E; readonly data: EventData<E> } }[EventName];

export type LinkState = "connecting" | "ready" | "lost" | "refused";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: number;
}

/** What the gateway may send: the answer to the auth frame, a push, or the answer to a request. */
interface Frame {
  readonly type?: "auth";
  readonly hello?: Hello;
  readonly event?: string;
  readonly data?: unknown;
  readonly id?: string | null;
  readonly result?: unknown;
  readonly error?: ErrorObject;
}

/**
 * One WebSocket to the gateway that comes back by itself.
 *
 * L1 Pauses between tries grow from 0.8 s to 15 s, and start over once a try succeeded.
 * L2 A request ends in its answer or in a RequestError, never in silence: a connection
 *    that does not answer in time counts as broken.
 */
export class GatewayLink {
  readonly token: string;
  readonly state = new Store<LinkState>("connecting");
  /** What the gateway said of itself at the last connection. */
  readonly hello = new Store<Hello | undefined>(undefined);
  /** Why the gateway will not have this token; then nothing is tried any more. */
  refusal: RequestError | undefined;
  readonly #listeners = new Set<(push: Push) => void>();
  readonly #readyListeners = new Set<() => void>();
  readonly #waiting = new Map<string, Waiting>();
  #socket: WebSocket | undefined;
  #nextId = 1;
  /** How far the gateway's clock is ahead of this browser's. */
  #aheadMs = 0;
  #delayMs = FIRST_DELAY_MS;
  #timer: number | undefined;
  #closed = false;

  constructor(token: string) {
    this.token = token;
  }

  start(): void {
    this.#connect();
  }

  get ready(): boolean {
    return this.state.value === "ready";
  }

  /** Whether the gateway knows the method and this token may use it, as far as that can be told beforehand. */
  has(method: string): boolean {
    return this.hello.value?.methods.includes(method) ?? false;
  }

  may(scope: "chat" | "approve" | "admin"): boolean {
    return this.hello.value?.scopes.includes(scope) ?? false;
  }

  /** What time it is where things expire. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Every push from now on, until what is returned is called. */
  onPush(listener: (push: Push) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Each time the gateway can be reached again; at once where it can now. */
  onReady(listener: () => void): () => void {
    this.#readyListeners.add(listener);
    if (this.ready) listener();
    return () => this.#readyListeners.delete(listener);
  }

  request<M extends MethodName>(method: M, params: MethodParams<M>): Promise<MethodResult<M>> {
    const id = String(this.#nextId++);
    return new Promise((resolve, reject) => {
      const socket = this.#socket;
      if (!this.ready || !socket) {
        reject(lost());
        return;
      }
      const most = SLOW.has(method) ? SLOW_ANSWER_MS_MAX : ANSWER_MS_MAX;
      const timer = window.setTimeout(() => this.#drop(socket), most);
      // The gateway promises that the answer to `method` has the shape of its result.
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject, timer });
      socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Tries at once instead of after the pause. */
  retryNow(): void {
    if (this.#closed || this.#socket) return;
    clearTimeout(this.#timer);
    this.#connect();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#socket) this.#drop(this.#socket);
  }

  #connect(): void {
    const address = new URL("/ws", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.#socket = socket;
    this.refusal = undefined;
    this.#timer = window.setTimeout(() => this.#drop(socket), CONNECT_MS_MAX);
    socket.addEventListener("open", () => {
      const client = { name: "web", protocol: PROTOCOL, drafts: true };
      socket.send(JSON.stringify({ type: "auth", token: this.token, client }));
    });
    socket.addEventListener("message", ({ data }) => {
      // The gateway that served this page is at the other end; its frames are taken at their word.
      if (socket === this.#socket) this.#receive(JSON.parse(String(data)) as Frame);
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket === this.#socket) this.#broke(code);
    });
  }

  /** Gives a connection up without waiting for the other side, which may be long gone. */
  #drop(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    socket.close();
    this.#broke(0);
  }

  #receive({ type, hello, event, data, id, result, error }: Frame): void {
    if (type === "auth" && hello) {
      clearTimeout(this.#timer);
      this.#delayMs = FIRST_DELAY_MS;
      if (hello.now !== undefined) this.#aheadMs = hello.now - Date.now();
      this.hello.set(hello);
      this.state.set("ready");
      for (const listener of this.#readyListeners) listener();
    } else if (event !== undefined) {
      for (const listener of this.#listeners) listener({ event, data } as Push);
    } else if (typeof id === "string") {
      const request = this.#waiting.get(id);
      this.#waiting.delete(id);
      clearTimeout(request?.timer);
      if (error) request?.reject(asRequestError(error));
      else request?.resolve(result);
    } else if (error) {
      // An error without an id is about the connection; the close that follows does not say why.
      this.refusal = asRequestError(error);
    }
  }

  #broke(code: number): void {
    this.#socket = undefined;
    clearTimeout(this.#timer);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(lost());
    }
    if (this.#closed) return;
    if (code === CLOSED_FOR_GOOD) {
      this.#closed = true;
      this.refusal ??= new RequestError("UNAUTHENTICATED", ENDED);
      this.state.set("refused");
      return;
    }
    this.state.set("lost");
    this.#timer = window.setTimeout(() => this.#connect(), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, DELAY_MS_MAX);
  }
}

const ENDED = "The gateway ended this login. Get a fresh link with: npx elwood open";

function asRequestError(error: ErrorObject): RequestError {
  return new RequestError(error.data?.reason ?? "INTERNAL", error.message);
}

function lost(): RequestError {
  return new RequestError("LOST", "The connection to Elwood broke before it answered.");
}
