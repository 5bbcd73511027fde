/** @import { ErrorObject, Hello } from "@elwood/core/protocol/frames" */
/** @import { MethodName, MethodParams } from "@elwood/core/protocol/methods" */
/** @import { MethodResult } from "@elwood/core/protocol/results" */

/** The protocol that this page was written for. */
export const PROTOCOL = 1;

const CLOSED_FOR_GOOD = 1008;
const FIRST_DELAY_MS = 800;
const DELAY_MS_MAX = 15_000;
const CONNECT_MS_MAX = 10_000;
const ANSWER_MS_MAX = 20_000;

/** Why a request was not answered as hoped. `LOST` means that the connection went away and nobody knows. */
export class RequestError extends Error {
  /**
   * @param {string} reason
   * @param {string} message
   */
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/**
 * @typedef {object} LinkListener
 * @property {(hello: Hello) => void} ready  connected and known to the gateway, also after a break
 * @property {() => void} lost  the connection broke; it is tried again until `close`
 * @property {(event: string, data: unknown) => void} push
 * @property {(why: RequestError) => void} refused  the gateway does not accept the token; nothing is tried any more
 */

/**
 * What the gateway may send: the answer to the auth frame, a push, or the answer to a request.
 *
 * @typedef {object} Frame
 * @property {"auth"} [type]
 * @property {Hello} [hello]
 * @property {string} [event]
 * @property {unknown} [data]
 * @property {string | null} [id]
 * @property {unknown} [result]
 * @property {ErrorObject} [error]
 */

/**
 * One WebSocket to the gateway that comes back by itself.
 *
 * L1 Pauses between tries grow from 0.8 s to 15 s, and start over once a try succeeded.
 * L2 A request ends in its answer or in a RequestError, never in silence: a connection
 *    that does not answer in time counts as broken.
 */
export class GatewayLink {
  /** @type {WebSocket | undefined} */
  #socket;
  /** @type {Map<string, { resolve: (result: unknown) => void, reject: (error: Error) => void, timer: number }>} */
  #waiting = new Map();
  #nextId = 1;
  #delayMs = FIRST_DELAY_MS;
  /** @type {number | undefined} */
  #timer;
  #ready = false;
  #closed = false;
  /** @type {RequestError | undefined} */
  #refusal;

  /**
   * @param {string} token
   * @param {LinkListener} listener
   */
  constructor(token, listener) {
    this.token = token;
    this.listener = listener;
  }

  start() {
    this.#connect();
  }

  get ready() {
    return this.#ready;
  }

  /**
   * @template {MethodName} M
   * @param {M} method
   * @param {MethodParams<M>} params
   * @returns {Promise<MethodResult<M>>}
   */
  request(method, params) {
    const id = String(this.#nextId++);
    return new Promise((resolve, reject) => {
      if (!this.#ready || !this.#socket) {
        reject(lost());
        return;
      }
      const socket = this.#socket;
      const timer = window.setTimeout(() => this.#drop(socket), ANSWER_MS_MAX);
      // The gateway promises that the answer to `method` has the shape of its result.
      const settle = /** @type {(result: unknown) => void} */ (resolve);
      this.#waiting.set(id, { resolve: settle, reject, timer });
      socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Tries at once instead of after the pause. */
  retryNow() {
    if (this.#closed || this.#socket) return;
    clearTimeout(this.#timer);
    this.#connect();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#socket) this.#drop(this.#socket);
  }

  #connect() {
    const address = new URL("/ws", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.#socket = socket;
    this.#refusal = undefined;
    this.#timer = window.setTimeout(() => this.#drop(socket), CONNECT_MS_MAX);
    socket.addEventListener("open", () => {
      const client = { name: "web", protocol: PROTOCOL, drafts: true };
      socket.send(JSON.stringify({ type: "auth", token: this.token, client }));
    });
    socket.addEventListener("message", ({ data }) => {
      // The gateway that served this page is at the other end; its frames are taken at their word.
      if (socket === this.#socket) this.#receive(/** @type {Frame} */ (JSON.parse(String(data))));
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket === this.#socket) this.#broke(code);
    });
  }

  /**
   * Gives a connection up without waiting for the other side, which may be long gone.
   *
   * @param {WebSocket} socket
   */
  #drop(socket) {
    if (socket !== this.#socket) return;
    socket.close();
    this.#broke(0);
  }

  /** @param {Frame} frame */
  #receive({ type, hello, event, data, id, result, error }) {
    if (type === "auth" && hello) {
      clearTimeout(this.#timer);
      this.#ready = true;
      this.#delayMs = FIRST_DELAY_MS;
      this.listener.ready(hello);
    } else if (event !== undefined) {
      this.listener.push(event, data);
    } else if (typeof id === "string") {
      const request = this.#waiting.get(id);
      this.#waiting.delete(id);
      clearTimeout(request?.timer);
      if (error) request?.reject(asRequestError(error));
      else request?.resolve(result);
    } else if (error) {
      // An error without an id is about the connection; the close that follows does not say why.
      this.#refusal = asRequestError(error);
    }
  }

  /** @param {number} code */
  #broke(code) {
    this.#socket = undefined;
    this.#ready = false;
    clearTimeout(this.#timer);
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(lost());
    }
    this.#waiting.clear();
    if (this.#closed) return;
    if (code === CLOSED_FOR_GOOD) {
      this.#closed = true;
      this.listener.refused(this.#refusal ?? new RequestError("UNAUTHENTICATED", ENDED));
      return;
    }
    this.listener.lost();
    this.#timer = window.setTimeout(() => this.#connect(), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, DELAY_MS_MAX);
  }
}

const ENDED = "The gateway ended this login. Get a fresh link with: npx elwood open";

/** @param {ErrorObject} error */
function asRequestError(error) {
  return new RequestError(error.data?.reason ?? "INTERNAL", error.message);
}

function lost() {
  return new RequestError("LOST", "The connection to Elwood broke before it answered.");
}
