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
  const compiled = (file: string) => new WebAssembly.Module(readFileSync(new URL(`../${file}`, engine)));
  const modules = {
    engine: compiled("quickjs.wasm"),
    url: compiled("extensions/url/url.so"),
    encoding: compiled("extensions/encoding/encoding.so"),
    structuredClone: compiled("extensions/structured-clone/structured-clone.so"),
  };
  const guests = new Map<number, Guest>();
  const inbox: { head: ToChild; body: string }[] = [];
  const outbox: Buffer[] = [];
  let working = false;
  let left = 0;

  const say = (head: FromChild, body?: string): void => {
    outbox.push(encodeFrame(head, body));
  };
  const flush = (): void => {
    if (outbox.length > 0) socket.write(Buffer.concat(outbox.splice(0)));
  };

  /** One thing after the other, so that the gateway knows whose turn it is. */
  const work = async (): Promise<void> => {
    if (working) return;
    working = true;
    for (let next = inbox.shift(); next !== undefined; next = inbox.shift()) {
      await obey(next.head, next.body);
      flush();
    }
    working = false;
  };

  const obey = async (head: ToChild, body: string): Promise<void> => {
    const { p } = head;
    if (head.t === "drop") {
      guests.get(p)?.drop();
      guests.delete(p);
      say({ t: "dropped", p });
    } else if (head.t === "start") {
      const { chance, limits, settings } = head;
      const guest = new Guest(
        { source: body, chance, limits, settings },
        {
          call: (i, kind, name, json) => say({ t: "call", p, i, kind, name }, json),
          line: (n, level, text) => say({ t: "line", p, n, level }, text),
        },
      );
      guests.set(p, guest);
      tell(p, guest, await guest.start(modules));
    } else {
      const guest = guests.get(p);
      if (guest) tell(p, guest, guest.settle(head.i, body, head.at));
    }
  };

  const tell = (p: number, guest: Guest, ending: GuestEnding | undefined): void => {
    const cpuMs = Math.max(0, guest.cpuMs);
    if (ending === undefined) {
      say({ t: "idle", p, cpuMs });
      return;
    }
    guests.delete(p);
    const { calls, linesDropped: dropped, detached, memoryBytes } = guest;
    guest.drop();
    const counted = { t: "over", p, cpuMs, calls, dropped, detached } as const;
    if ("returned" in ending) say(counted, ending.returned);
    else {
      const { code, message, line, column } = ending;
      const place = line === undefined ? {} : { line, column };
      say({ ...counted, error: { code, ...place } }, message);
    }
    left += memoryBytes;
    if (left < COLLECT_ABOVE_BYTES) return;
    left = 0;
    // Later: now the engine is still in use.
    setImmediate(() => globalThis.gc?.());
  };

  const reader = new FrameReader(() => FRAME_BYTES_MAX);
  socket.on("data", (chunk: Buffer) => {
    // The gateway sends frames of this shape and no other.
    for (const { head, body } of reader.push(chunk)) inbox.push({ head: head as ToChild, body });
    void work();
  });
  socket.on("close", () => process.exit(0));
  socket.on("error", () => process.exit(0));
  // A stop from the terminal or the system reaches the whole group; the gateway decides what it means.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  say({ t: "ready" });
  flush();
  socket.resume();
}
