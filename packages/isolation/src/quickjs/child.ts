/**
 * The process in which programs run, started under Node's permission model with nothing to
 * read but its own code, an empty environment and one socket. It trusts the gateway; the
 * gateway does not trust it.
 */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { encodeFrame, FrameReader } from "./frames.ts";
import { Guest } from "./guest.ts";
import type { GuestEnding } from "./guest-ending.ts";
import type { FromChild, ToChild } from "./wire.ts";

const FRAME_BYTES_MAX = 256 * 1024 * 1024;
/** Memory of engines that ended is given back after so much of it. */
const COLLECT_ABOVE_BYTES = 16 * 1024 * 1024;

/** `engine` is where the engine's package begins. */
export function serve(socket: Socket, engine: string): void {
  const server = new ProgramServer(socket, compiledModules(engine));
  const reader = new FrameReader(() => FRAME_BYTES_MAX);
  socket.on("data", (chunk: Buffer) => {
    // The gateway sends frames of this shape and no other.
    for (const { head, body } of reader.push(chunk)) server.take({ head: head as ToChild, body });
    void server.work();
  });
  socket.on("close", () => process.exit(0));
  socket.on("error", () => process.exit(0));
  // A stop from the terminal or the system reaches the whole group; the gateway decides what it means.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  server.ready();
  socket.resume();
}

type Modules = Parameters<Guest["start"]>[0];

function compiledModules(engine: string): Modules {
  const compiled = (file: string) => new WebAssembly.Module(readFileSync(new URL(`../${file}`, engine)));
  return {
    engine: compiled("quickjs.wasm"),
    url: compiled("extensions/url/url.so"),
    encoding: compiled("extensions/encoding/encoding.so"),
    structuredClone: compiled("extensions/structured-clone/structured-clone.so"),
  };
}

interface Request {
  readonly head: ToChild;
  readonly body: string;
}

/** Handles the gateway's requests one after another, so that the gateway knows whose turn it is. */
class ProgramServer {
  readonly #socket: Socket;
  readonly #modules: Modules;
  readonly #guests = new Map<number, Guest>();
  readonly #inbox: Request[] = [];
  readonly #outbox: Buffer[] = [];
  #working = false;
  /** Memory of engines that ended since the last collection. */
  #freedBytes = 0;

  constructor(socket: Socket, modules: Modules) {
    this.#socket = socket;
    this.#modules = modules;
  }

  ready(): void {
    this.#send({ t: "ready" });
    this.#flush();
  }

  take(request: Request): void {
    this.#inbox.push(request);
  }

  async work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      await this.#handle(next);
      this.#flush();
    }
    this.#working = false;
  }

  async #handle({ head, body }: Request): Promise<void> {
    const { p } = head;
    if (head.t === "drop") {
      this.#guests.get(p)?.drop();
      this.#guests.delete(p);
      this.#send({ t: "dropped", p });
    } else if (head.t === "start") {
      const { chance, limits, settings } = head;
      const guest = new Guest(
        { source: body, chance, limits, settings },
        {
          call: (i, kind, name, json) => this.#send({ t: "call", p, i, kind, name }, json),
          line: (n, level, text) => this.#send({ t: "line", p, n, level }, text),
        },
      );
      this.#guests.set(p, guest);
      this.#report(p, guest, await guest.start(this.#modules));
    } else {
      const guest = this.#guests.get(p);
      if (guest) this.#report(p, guest, guest.settle(head.i, body, head.at));
    }
  }

  /** Says that a program waits, or how it ended. */
  #report(p: number, guest: Guest, ending: GuestEnding | undefined): void {
    const cpuMs = Math.max(0, guest.cpuMs);
    if (ending === undefined) {
      this.#send({ t: "idle", p, cpuMs });
      return;
    }
    this.#guests.delete(p);
    const { calls, linesDropped: dropped, detached, memoryBytes } = guest;
    guest.drop();
    const counted = { t: "over", p, cpuMs, calls, dropped, detached } as const;
    if ("returned" in ending) this.#send(counted, ending.returned);
    else {
      const { code, message, line, column } = ending;
      const place = line === undefined ? {} : { line, column };
      this.#send({ ...counted, error: { code, ...place } }, message);
    }
    this.#collect(memoryBytes);
  }

  #collect(freedBytes: number): void {
    this.#freedBytes += freedBytes;
    if (this.#freedBytes < COLLECT_ABOVE_BYTES) return;
    this.#freedBytes = 0;
    // Later: now the engine is still in use.
    setImmediate(() => globalThis.gc?.());
  }

  #send(head: FromChild, body?: string): void {
    this.#outbox.push(encodeFrame(head, body));
  }

  #flush(): void {
    if (this.#outbox.length > 0) this.#socket.write(Buffer.concat(this.#outbox.splice(0)));
  }
}
