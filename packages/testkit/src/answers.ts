import type { Answer, Exchange } from "./loopback-server.ts";
import { nextEventLoopTurn } from "./manual-clock.ts";

/** A door that a test opens by hand; what waits behind it goes on then, and not before. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** A JSON answer. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (exchange) => {
    exchange.head(status, { "content-type": "application/json", ...headers });
    exchange.end(JSON.stringify(body));
  };
}

/** Any bytes under any content type: an HTML page from a proxy, half a character, noise. */
export function raw(
  status: number,
  bytes: string | Uint8Array,
  headers: Record<string, string> = {},
): Answer {
  return (exchange) => {
    exchange.head(status, headers);
    exchange.end(bytes);
  };
}

/** The request is read and then nothing happens, until the client gives up. */
export function never(): Answer {
  return async (exchange) => {
    await exchange.gone;
  };
}

/** The connection breaks before a byte of the answer. */
export function cut(): Answer {
  return (exchange) => exchange.cut();
}

/** Holds any answer back until the gate opens. */
export function after(door: Gate, answer: Answer): Answer {
  return async (exchange) => {
    await Promise.race([door.opened, exchange.gone]);
    if (!exchange.request.hungUp) await answer(exchange);
  };
}

/** A piece of an event stream: bytes to send, or something to do between two of them. */
export type StreamPart =
  | string
  | Uint8Array
  /** Wait for the test. */
  | { readonly wait: Gate }
  /** Break the connection here. */
  | { readonly cut: true }
  /** Send nothing more, and do not end either. */
  | { readonly hang: true }
  /** Send these bytes one at a time, each in a packet of its own. */
  | { readonly drip: string }
  /** As `drip`, each byte waiting for `next` to be called. */
  | { readonly dripBy: Dripper; readonly bytes: string };

/** Lets bytes through one by one. */
export class Dripper {
  #open = gate();

  /** Lets one byte through. */
  drop(): void {
    this.#open.open();
  }

  async next(): Promise<void> {
    await this.#open.opened;
    this.#open = gate();
  }
}

/** A stream that sends its parts in order and then ends. */
export function stream(parts: readonly StreamPart[], headers: Record<string, string> = {}): Answer {
  return async (exchange) => {
    exchange.head(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers });
    for (const part of parts) if (!(await send(exchange, part))) return;
    exchange.end();
  };
}

/** Answers false where the stream is over. */
async function send(exchange: Exchange, part: StreamPart): Promise<boolean> {
  if (typeof part === "string" || part instanceof Uint8Array) {
    await exchange.write(part);
    return true;
  }
  if ("wait" in part) {
    await Promise.race([part.wait.opened, exchange.gone]);
    return !exchange.request.hungUp;
  }
  if ("cut" in part) {
    // What was written must arrive first: the break comes after it, not instead of it.
    await nextEventLoopTurn();
    exchange.cut();
    return false;
  }
  if ("hang" in part) {
    await exchange.gone;
    return false;
  }
  const bytes = Buffer.from("drip" in part ? part.drip : part.bytes);
  for (let i = 0; i < bytes.length; i++) {
    if ("dripBy" in part) await Promise.race([part.dripBy.next(), exchange.gone]);
    if (exchange.request.hungUp) return false;
    await exchange.write(bytes.subarray(i, i + 1));
    await nextEventLoopTurn();
  }
  return true;
}

/** One server-sent event. */
export function sse(data: unknown, event?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Cuts text into pieces as a model's stream would, without losing a character. */
export function piecesOf(text: string, chars = 12): string[] {
  const pieces: string[] = [];
  for (let i = 0; i < text.length; i += chars) pieces.push(text.slice(i, i + chars));
  return pieces;
}
