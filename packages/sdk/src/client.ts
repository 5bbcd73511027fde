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
import { Store } from "./store.ts";

/** The protocol that this client was written for. */
export const PROTOCOL = 2;

/** The gateway closes with this code where it does not accept the token. */
const REFUSED = 1008;
const CONNECT_MS_MAX = 10_000;
/** Pushes that a connection keeps until somebody listens. */
const EARLY_PUSHES_MAX = 1_000;
/** Runs whose place in the sequence of pushes is remembered. */
const RUNS_MAX = 1_000;

/** As much of a WebSocket as a connection needs: a browser's, Node's, or that of the `ws` package. */
export interface Socket {
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (message: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (close: Close) => void): void;
}

export interface ConnectOptions {
  /** `http://` or `ws://` address of the gateway. */
  readonly url: string;
  readonly token: string;
  readonly client?: { readonly name: string; readonly version?: string; readonly drafts?: boolean };
  /** How long the connection and its first answer may take. */
  readonly timeoutMs?: number;
  /** How long the answer to a method may take before the connection counts as broken; no limit where absent. */
  readonly answerMsMax?: (method: MethodName) => number;
  /** Opens the socket; the global WebSocket where absent. */
  readonly socket?: (url: string) => Socket;
  /** Ends the attempt, and the connection. */
  readonly signal?: AbortSignal;
}

/** Why and how a connection ended. */
export interface Close {
  readonly code: number;
  readonly reason: string;
}

export type Push<E extends EventName = EventName> = {
  [K in E]: { readonly event: K; readonly data: EventData<K> };
}[E];

type Listener = (push: Push) => void;

/** Why a request was not answered with a result. `reason` comes from the closed list of failures. */
export class RequestError extends FailureError {
  /** The connection was gone before the answer came, so that nobody here knows what became of the request. */
  readonly lost: boolean;

  constructor(reason: Failure, lost = false) {
    super(reason);
    this.lost = lost;
  }

  get reason(): FailureReason {
    return this.failure.reason;
  }
}

export type ClientState = "connecting" | "ready" | "lost" | "refused" | "closed";

export interface ClientOptions {
  /** Makes a connection: the first one, and another each time one broke. The signal ends the attempt. */
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  /**
   * How long to wait before try number `tries` since the last connection, counted from 1; undefined
   * gives up. Where absent, a connection that breaks is the last.
   */
  readonly waitMs?: (tries: number) => number | undefined;
}

/** Waits that double from `firstMs` up to `mostMs`, and never end the tries. */
export function growingWaits(firstMs: number, mostMs: number): (tries: number) => number {
  return (tries) => Math.min(firstMs * 2 ** (tries - 1), mostMs);
}

/**
 * A client of the gateway: requests out, pushes in, over one connection after another.
 *
 * G1 A request ends in its result or in a RequestError, never in silence. One that is sent
 *    `again` goes out once more over the next connection where its answer was lost.
 * G2 What the gateway refuses (a token that it does not accept) is not tried again.
 * G3 Pushes of a run come once each and in order. Where some are missing, `onGap` says so,
 *    and but for its end nothing more comes of that run until `chat.resume` was answered.
 */
export class GatewayClient {
  readonly state = new Store<ClientState>("connecting");
  /** What the gateway told of itself at the last connection. */
  readonly hello = new Store<Hello | undefined>(undefined);
  /** Why the gateway refused this client (G2). */
  refusal: RequestError | undefined;
  /** Resolves when the last connection is gone and none will follow, with the code and words of its close. */
  readonly closed: Promise<Close>;
  readonly #options: ClientOptions;
  readonly #listeners = new Set<Listener>();
  readonly #readyListeners = new Set<() => void>();
  readonly #gapListeners = new Set<(runId: string) => void>();
  readonly #sequence = new PushSequence();
  readonly #ended = Promise.withResolvers<Close>();
  #connection: Connection | undefined;
  #opening: AbortController | undefined;
  /** Those who wait for the next connection. */
  #next: PromiseWithResolvers<Connection> | undefined;
  #over: Error | undefined;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How far the gateway's clock is ahead of this one. */
  #aheadMs = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.closed = this.#ended.promise;
  }

  /** A client with one connection, which is there when this resolves. */
  static connect(options: ConnectOptions): Promise<GatewayClient> {
    return GatewayClient.over(Connection.open(options));
  }

  /** The same, over a connection that somebody else has made. */
  static async over(connection: Connection | Promise<Connection>): Promise<GatewayClient> {
    const client = new GatewayClient({ open: async () => connection });
    client.start();
    await client.#anyConnection();
    return client;
  }

  start(): void {
    void this.#connect();
  }

  get ready(): boolean {
    return this.#connection !== undefined;
  }

  /** Why there will be no other connection. */
  get over(): Error | undefined {
    return this.#over;
  }

  /** Whether the gateway has the method, as far as it can be known before the first connection. */
  has(method: string): boolean {
    return this.hello.value?.methods.includes(method) ?? false;
  }

  may(scope: "chat" | "approve" | "admin"): boolean {
    return this.hello.value?.scopes.includes(scope) ?? false;
  }

  /** The gateway's time: what expires does so by its clock. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Every push from now on, until the function returned is called. */
  onPush(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Each time the gateway can be reached again; at once where it can now. */
  onReady(listener: () => void): () => void {
    this.#readyListeners.add(listener);
    if (this.ready) listener();
    return () => this.#readyListeners.delete(listener);
  }

  /** Pushes of a run are missing (G3): call `chat.resume`. */
  onGap(listener: (runId: string) => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  /** `again` is for requests that may arrive twice: those that change nothing, or carry an idempotency key. */
  call<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    { again = false }: { readonly again?: boolean } = {},
  ): Promise<MethodResult<M>> {
    if (again) return this.#callAgain(method, params);
    if (!this.#connection) return Promise.reject(notSent());
    return this.#callOver(this.#connection, method, params);
  }

  /** Tries at once instead of after the wait. */
  retryNow(): void {
    if (this.#over || this.#connection || this.#opening) return;
    clearTimeout(this.#timer);
    void this.#connect();
  }

  async close(): Promise<void> {
    if (!this.#over) {
      clearTimeout(this.#timer);
      this.#end(notSent());
      this.#opening?.abort();
      if (this.#connection) void this.#connection.close();
      else this.#ended.resolve({ code: 1000, reason: "" });
    }
    await this.closed;
  }

  async #connect(): Promise<void> {
    const opening = new AbortController();
    this.#opening = opening;
    this.refusal = undefined;
    try {
      const connection = await this.#options.open(opening.signal);
      this.#opening = undefined;
      if (this.#over) connection.drop();
      else this.#opened(connection);
    } catch (error) {
      this.#opening = undefined;
      if (error instanceof ConnectError) this.#broke(error.close, error.refusal, error);
      else this.#giveUp(error instanceof Error ? error : new Error(String(error)), NO_CLOSE);
    }
  }

  #opened(connection: Connection): void {
    const { hello } = connection;
    this.#connection = connection;
    this.#tries = 0;
    if (hello.now !== undefined) this.#aheadMs = hello.now - Date.now();
    this.hello.set(hello);
    this.state.set("ready");
    this.#next?.resolve(connection);
    this.#next = undefined;
    for (const listener of this.#readyListeners) listener();
    connection.onPush((push) => this.#pushed(push));
    connection.onClose((close, refusal) => {
      this.#connection = undefined;
      if (this.#over) this.#ended.resolve(close);
      else
        this.#broke(
          close,
          refusal,
          new RequestError(failure("NETWORK", "The connection to the gateway broke."), true),
        );
    });
  }

  #broke(close: Close, refusal: Failure | undefined, why: RequestError): void {
    if (this.#over) return;
    if (close.code === REFUSED) {
      this.refusal = new RequestError(refusal ?? failure("UNAUTHENTICATED", LOGIN_ENDED));
      this.#end(refusal ? this.refusal : why);
      this.#ended.resolve(close);
      this.state.set("refused");
      return;
    }
    const waitMs = this.#options.waitMs?.(++this.#tries);
    if (waitMs === undefined) {
      this.#giveUp(why, close);
      return;
    }
    this.state.set("lost");
    this.#timer = setTimeout(() => void this.#connect(), waitMs);
  }

  #giveUp(why: Error, close: Close): void {
    this.#end(why);
    this.#ended.resolve(close);
    this.state.set("closed");
  }

  #end(why: Error): void {
    this.#over = why;
    this.#next?.reject(why);
    this.#next = undefined;
  }

  #anyConnection(): Promise<Connection> {
    if (this.#connection) return Promise.resolve(this.#connection);
    if (this.#over) return Promise.reject(this.#over);
    this.#next ??= Promise.withResolvers<Connection>();
    return this.#next.promise;
  }

  /** G1. How often is limited by `waitMs`. */
  async #callAgain<M extends MethodName>(method: M, params: MethodParams<M>): Promise<MethodResult<M>> {
    for (;;) {
      const connection = await this.#anyConnection();
      try {
        return await this.#callOver(connection, method, params);
      } catch (error) {
        if (!(error instanceof RequestError) || !(error.lost || error.reason === "STOPPING")) throw error;
        // A gateway that is about to leave takes nothing more; the next one does.
        connection.drop();
        if (this.#over) throw error;
      }
    }
  }

  async #callOver<M extends MethodName>(
    connection: Connection,
    method: M,
    params: MethodParams<M>,
  ): Promise<MethodResult<M>> {
    return connection.call(method, params, (result) => {
      // Set while the answer is read: pushes that come right behind it are compared with it.
      if (method === "chat.resume")
        this.#sequence.startAt(
          (params as MethodParams<"chat.resume">).runId,
          (result as MethodResult<"chat.resume">).seq,
        );
    });
  }

  #pushed(push: Push): void {
    if (this.#over) return;
    // A client that cannot show drafts is sent a selection, whose numbers have gaps.
    const place = this.#connection?.drafts && "seq" in push.data ? this.#sequence.take(push) : "next";
    if (place === "next") for (const listener of this.#listeners) listener(push);
    else if (place === "gap" && "runId" in push.data)
      for (const listener of this.#gapListeners) listener(push.data.runId);
  }
}

/**
 * One WebSocket to a gateway, from its handshake to its close. When it ends, every open
 * request fails with `lost`; whether such a request took effect is not known, which is what
 * idempotency keys are for.
 */
export class Connection {
  readonly drafts: boolean;
  readonly #options: ConnectOptions;
  readonly #socket: Socket;
  readonly #waiting = new Map<string, Waiting>();
  readonly #opened = Promise.withResolvers<Connection>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #timer: ReturnType<typeof setTimeout>;
  #hello: Hello | undefined;
  /** What the gateway wrote before it closed; the close itself does not say why. */
  #refusal: Failure | undefined;
  #early: Push[] = [];
  #listener: Listener | undefined;
  #closeListener: ((close: Close, refusal: Failure | undefined) => void) | undefined;
  #nextId = 1;
  #close: Close | undefined;

  private constructor(options: ConnectOptions) {
    this.#options = options;
    this.drafts = options.client?.drafts ?? false;
    const { url, token, client, timeoutMs = CONNECT_MS_MAX, signal } = options;
    this.#socket = (options.socket ?? globalSocket)(socketUrl(url));
    this.#timer = setTimeout(
      () => this.#end(NO_CLOSE, failure("TIMEOUT", `The gateway at ${url} did not answer in time.`)),
      timeoutMs,
    );
    this.#socket.addEventListener("open", () =>
      this.#socket.send(
        JSON.stringify({ type: "auth", token, client: client && { protocol: PROTOCOL, ...client } }),
      ),
    );
    this.#socket.addEventListener("message", ({ data }) => {
      // A gateway is at the other end; the conformance suite checks that its frames have these shapes.
      if (!this.#close) this.#receive(JSON.parse(String(data)) as IncomingFrame);
    });
    this.#socket.addEventListener("error", () => {
      if (!this.#hello) this.#end(NO_CLOSE, failure("NETWORK", `There is no gateway at ${url}.`));
    });
    this.#socket.addEventListener("close", ({ code, reason }) => this.#end({ code, reason }));
    signal?.addEventListener("abort", () => this.drop());
  }

  /** Rejects with a ConnectError. */
  static open(options: ConnectOptions): Promise<Connection> {
    return new Connection(options).#opened.promise;
  }

  get hello(): Hello {
    if (!this.#hello) throw new Error("the handshake is not done");
    return this.#hello;
  }

  /** `answered` hears of the result before anything that came after it. */
  call<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    answered?: (result: MethodResult<M>) => void,
  ): Promise<MethodResult<M>> {
    if (this.#close) return Promise.reject(notSent());
    const id = String(this.#nextId++);
    const answerMs = this.#options.answerMsMax?.(method);
    return new Promise<MethodResult<M>>((resolve, reject) => {
      this.#waiting.set(id, {
        resolve: (result) => {
          // The gateway promises that the answer to `method` has the shape of its result.
          answered?.(result as MethodResult<M>);
          resolve(result as MethodResult<M>);
        },
        reject,
        timer: answerMs === undefined ? undefined : setTimeout(() => this.drop(), answerMs),
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Every push; those that came before somebody listened, first. */
  onPush(listener: Listener): void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = [];
    for (const push of early) listener(push);
  }

  /** Called once, when the connection ends, before its open requests hear of it. */
  onClose(listener: (close: Close, refusal: Failure | undefined) => void): void {
    this.#closeListener = listener;
    if (this.#close) listener(this.#close, this.#refusal);
  }

  async close(): Promise<void> {
    if (!this.#close) this.#socket.close(1000);
    await this.#ended.promise;
  }

  /** Ends it without waiting for the other side, which may be long gone. */
  drop(): void {
    this.#end(NO_CLOSE);
  }

  #receive({ type, hello, event, data, id, result, error }: IncomingFrame): void {
    if (type === "auth" && hello) {
      clearTimeout(this.#timer);
      this.#hello = hello;
      this.#opened.resolve(this);
    } else if (event !== undefined) {
      const push = { event, data } as Push;
      if (this.#listener) this.#listener(push);
      else if (this.#early.length < EARLY_PUSHES_MAX) this.#early.push(push);
      else this.drop();
    } else if (typeof id === "string") {
      const request = this.#waiting.get(id);
      this.#waiting.delete(id);
      clearTimeout(request?.timer);
      if (error) request?.reject(new RequestError(toFailure(error)));
      else request?.resolve(result);
    } else if (error) {
      this.#refusal = toFailure(error);
    }
  }

  #end(close: Close, why?: Failure): void {
    if (this.#close) return;
    this.#close = close;
    clearTimeout(this.#timer);
    this.#socket.close();
    this.#closeListener?.(close, this.#refusal);
    const closed = `There is no gateway at ${this.#options.url}, or it closed the connection.`;
    this.#opened.reject(
      new ConnectError(why ?? this.#refusal ?? failure("NETWORK", closed), close, this.#refusal),
    );
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(lostAnswer());
    }
    this.#ended.resolve();
  }
}

/** Why there is no connection. `refusal` is the gateway's own word, where it gave one. */
export class ConnectError extends RequestError {
  readonly close: Close;
  readonly refusal: Failure | undefined;

  constructor(reason: Failure, close: Close, refusal: Failure | undefined) {
    super(reason);
    this.close = close;
    this.refusal = refusal;
  }
}

/** Where each run stands in its sequence of pushes (G3). */
class PushSequence {
  /** The last number of a run, or that numbers are missing. */
  readonly #runs = new Map<string, number | "gap">();

  startAt(runId: string, seq: number): void {
    this.#set(runId, seq);
  }

  take({ event, data }: Push): "next" | "seen" | "gap" | "waits" {
    if (!("seq" in data)) return "next";
    const { runId, seq, firstSeq = seq } = data;
    const last = this.#runs.get(runId);
    // Its end says all there is to say of a run.
    if (event === "chat.final" || event === "chat.error") {
      this.#runs.delete(runId);
      return "next";
    }
    if (last === "gap") return "waits";
    if (last !== undefined && seq <= last) return "seen";
    // A new attempt may begin at any later number.
    if (last !== undefined && firstSeq > last + 1 && event !== "run.started") {
      this.#set(runId, "gap");
      return "gap";
    }
    this.#set(runId, seq);
    return "next";
  }

  #set(runId: string, place: number | "gap"): void {
    this.#runs.set(runId, place);
    const oldest = this.#runs.keys().next().value;
    if (this.#runs.size > RUNS_MAX && oldest !== undefined) this.#runs.delete(oldest);
  }
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

/** What the gateway may send: the answer to the auth frame, a push, or the answer to a request. */
interface IncomingFrame {
  readonly type?: string;
  readonly hello?: Hello;
  readonly id?: string | null;
  readonly result?: unknown;
  readonly error?: ErrorObject;
  readonly event?: EventName;
  readonly data?: unknown;
}

/** The other side did not close it. */
const NO_CLOSE: Close = { code: 0, reason: "" };

const LOGIN_ENDED = "The gateway ended this login. Get a fresh link with: npx elwood open";

function globalSocket(url: string): Socket {
  return new WebSocket(url);
}

function socketUrl(url: string): string {
  const parsed = new URL("/ws", url);
  parsed.protocol = /^(https|wss):$/.test(parsed.protocol) ? "wss:" : "ws:";
  return parsed.href;
}

function notSent(): RequestError {
  return new RequestError(
    failure("NETWORK", "The connection to the gateway is closed. Nothing was sent."),
    true,
  );
}

function lostAnswer(): RequestError {
  const message =
    "The connection to the gateway broke before it answered. Whether the request took effect is not known.";
  return new RequestError(failure("NETWORK", message), true);
}

function toFailure({ message, data }: ErrorObject): Failure {
  const reason = FAILURE_REASONS.find((known) => known === data?.reason) ?? "INTERNAL";
  return failure(reason, message, {
    retryable: data?.retryable ?? false,
    ...(data?.retryAfterMs === undefined ? {} : { retryAfterMs: data.retryAfterMs }),
  });
}

/** True for a push of one kind; narrows its data. */
export function isPush<E extends EventName>(push: Push, event: E): push is Extract<Push, { event: E }> {
  return push.event === event;
}
