import { EVENTS, type EventName } from "@elwood/core/protocol/events";
import {
  authOkFrameSchema,
  pushFrameSchema,
  responseFrameSchema,
  type Hello,
} from "@elwood/core/protocol/frames";
import { METHODS, type MethodName } from "@elwood/core/protocol/methods";
import { RESULTS } from "@elwood/core/protocol/results";
import { WebSocket } from "ws";

/** A client that trusts nothing: every frame it receives is checked against the protocol's schemas. */

export interface Frame {
  readonly id?: string | null;
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data?: { reason: string; retryable: boolean } };
  readonly event?: EventName;
  readonly data?: Record<string, unknown>;
  readonly type?: string;
  readonly hello?: Hello;
}

const WAIT_MS = 60_000;

export class Wire {
  readonly frames: Frame[] = [];
  readonly #socket: WebSocket;
  readonly #asked = new Map<string, MethodName>();
  readonly #closed: Promise<number>;
  #wake: (() => void)[] = [];
  #broken: Error | undefined;
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#receive(data.toString("utf8")));
    this.#closed = new Promise((resolve) => socket.on("close", (code) => resolve(code)));
    socket.on("error", (error) => this.#fail(error));
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<Wire> {
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`, { headers });
    const wire = new Wire(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", () => resolve());
      socket.once("error", reject);
      socket.once("unexpected-response", (_request, response) =>
        reject(new Error(`HTTP ${response.statusCode}`)),
      );
    });
    return wire;
  }

  static async authenticated(url: string, token: string, client?: Record<string, unknown>): Promise<Wire> {
    const wire = await Wire.open(url);
    wire.send({ type: "auth", token, ...(client ? { client } : {}) });
    await wire.until((frame) => frame.type === "auth");
    return wire;
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  /** Sends a request and answers its response frame, an error included. */
  async ask(method: string, params: unknown = {}): Promise<Frame> {
    const id = `c${this.#nextId++}`;
    if (Object.hasOwn(METHODS, method)) this.#asked.set(id, method as MethodName);
    this.send({ id, method, params });
    return this.until((frame) => frame.id === id);
  }

  /** The result of a request that must succeed. */
  async result(method: MethodName, params: unknown = {}): Promise<Record<string, unknown>> {
    const frame = await this.ask(method, params);
    if (frame.error) throw new Error(`${method} failed: ${frame.error.message}`);
    return frame.result as Record<string, unknown>;
  }

  async until(matches: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      if (this.#broken) throw this.#broken;
      const found = this.frames.slice(from).find(matches);
      if (found) return found;
      if (performance.now() > deadline)
        throw new Error(
          `no such frame within ${WAIT_MS} ms; got ${JSON.stringify(this.frames.slice(-5)).slice(0, 2_000)}`,
        );
      await Promise.race([
        new Promise<void>((resolve) => this.#wake.push(resolve)),
        new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS).unref()),
        this.#closed.then(() => new Promise<void>((resolve) => setImmediate(resolve))),
      ]);
      if (this.#socket.readyState === WebSocket.CLOSED && !this.frames.slice(from).some(matches)) {
        throw this.#broken ?? new Error("the connection closed before the frame came");
      }
    }
  }

  pushesOf(runId: string): Frame[] {
    return this.frames.filter((frame) => frame.event !== undefined && frame.data?.["runId"] === runId);
  }

  closeCode(): Promise<number> {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.#closed;
  }

  #receive(text: string): void {
    try {
      const frame = JSON.parse(text) as Frame;
      this.#check(frame);
      this.frames.push(frame);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }

  #check(frame: Frame): void {
    if (frame.type === "auth") {
      authOkFrameSchema.parse(frame);
    } else if (frame.event !== undefined) {
      pushFrameSchema.parse(frame);
      if (!Object.hasOwn(EVENTS, frame.event)) throw new Error(`unknown push ${frame.event}`);
      EVENTS[frame.event]().parse(frame.data);
    } else {
      responseFrameSchema.parse(frame);
      const method = typeof frame.id === "string" ? this.#asked.get(frame.id) : undefined;
      if (method && !frame.error) RESULTS[method].parse(frame.result);
    }
  }

  #fail(error: Error): void {
    this.#broken ??= error;
    for (const resolve of this.#wake) resolve();
  }
}
