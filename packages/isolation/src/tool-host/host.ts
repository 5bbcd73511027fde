import type { Socket } from "node:net";
import { format } from "node:util";
import { encodeFrame, FrameReader } from "../quickjs/frames.ts";
import { HostFetch } from "./host-fetch.ts";
import { HostedTools } from "./host-tools.ts";
import { WORKSPACE_LIMITS } from "./limits.ts";
import {
  type CallBody,
  type FromHost,
  type HostFailure,
  LINE_LEVELS,
  type LineLevel,
  type ToHost,
} from "./wire.ts";

/**
 * The process that holds the tools of one integration. It trusts the gateway; the gateway
 * does not trust it. Modules of the user's run here with an empty environment, no files, and
 * no other processes; where the system can, without a network either.
 */

const FRAME_BYTES_MAX = 64 * 1024 * 1024;

export interface Loaded {
  /** Addresses of all files of the integration. */
  readonly files: readonly string[];
  readonly mode: "serve" | "test";
}

export async function serve(socket: Socket, loaded: Loaded): Promise<void> {
  const say = (head: FromHost, body?: string): boolean => socket.write(encodeFrame(head, body));
  socket.on("close", () => process.exit(0));
  socket.on("error", () => process.exit(0));
  // A stop from the terminal or the system reaches the whole group; the gateway decides what it means.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  if (loaded.mode === "test") {
    removeUnsafeGlobals();
    await runTests(socket, loaded.files);
    return;
  }
  const crash = (error: unknown) => {
    socket.write(encodeFrame({ t: "crash" } satisfies FromHost, JSON.stringify(hostFailureOf(error))), () =>
      process.exit(1),
    );
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  const print =
    (level: LineLevel) =>
    (...words: unknown[]) =>
      void say({ t: "line", level }, lineOf(words));
  const printers = Object.fromEntries(LINE_LEVELS.map((level) => [level, print(level)]));
  Object.assign(console, printers, { log: print("info") });
  removeUnsafeGlobals();

  const fetches = new HostFetch(say);
  const tools = new HostedTools(fetches, say);
  for (const file of loaded.files) {
    if (!isModule(file)) continue;
    try {
      // Loading runs what stands at the top of the module.
      tools.add(file, (await import(file)) as Record<string, unknown>);
    } catch (error) {
      say({ t: "broken" }, JSON.stringify({ ...hostFailureOf(error), file }));
      return;
    }
  }
  say({ t: "ready" }, JSON.stringify(tools.listed()));

  const reader = new FrameReader(() => FRAME_BYTES_MAX);
  socket.on("data", (chunk: Buffer) => {
    for (const { head, body } of reader.push(chunk)) {
      // The gateway sends frames of this shape and no other.
      const asked = head as unknown as ToHost;
      if (asked.t === "call") void tools.make(asked.n, asked.tool, asked.fn, JSON.parse(body) as CallBody);
      else if (asked.t === "abort") tools.abort(asked.n);
      else fetches.hear(asked, body);
    }
  });
  socket.resume();
}

/** Modules directly in the folder are looked at for tools; files further down are theirs to import. */
function isModule(url: string): boolean {
  return /^tool:\/\/\/[^/]+\.(ts|js|mjs)$/.test(url) && !/\.test\.\w+$/.test(url);
}

/**
 * Takes the usual ways out of reach, so that a tool which takes one by habit is told at once.
 * This is no wall: that is the permission model for files and processes, and the system's own
 * cage for the network.
 */
function removeUnsafeGlobals(): void {
  for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name);
  for (const name of ["getBuiltinModule", "binding", "kill", "dlopen"]) {
    Reflect.defineProperty(process, name, { value: undefined });
  }
}

function lineOf(words: readonly unknown[]): string {
  return format(...words).slice(0, WORKSPACE_LIMITS.lineCharsMax);
}

const STACK_CHARS_MAX = 4_000;

function hostFailureOf(error: unknown): HostFailure {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const message = error instanceof Error ? error.message : String(error);
  return { message: message.slice(0, STACK_CHARS_MAX), stack: stack.slice(0, STACK_CHARS_MAX) };
}

/**
 * Runs the tests that lie beside the tools, by Node's own runner, which prints to standard
 * output and sets the exit code. The process ends when the last of them has ended.
 */
async function runTests(socket: Socket, files: readonly string[]): Promise<void> {
  // Nothing more comes from the gateway; it must not keep a process alive that has done its work.
  socket.unref();
  for (const file of files) {
    if (!/^tool:\/\/\/[^/]+\.test\.(ts|js|mjs)$/.test(file)) continue;
    await import(file);
  }
}
