import { spawn, type ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { encodeFrame, FrameReader } from "../quickjs/frames.ts";
import { parseJson } from "@elwood/core/base/parse-json";
import { parseListing, parseMessage, parseHostFailure } from "./from-host.ts";
import type { Bubblewrap } from "@elwood/platform/bubblewrap";
import { hostCommand } from "./host-cage.ts";
import { zodFolder, type HostCode } from "./host-code.ts";
import type { WorkspaceLimits } from "./limits.ts";
import { OpenCall, type HostCall } from "./open-call.ts";
import { SOCKET_FD, type FromHost, type HostFailure, type ListedTool, type ToHost } from "./wire.ts";

export interface HostSettings {
  readonly name: string;
  readonly code: HostCode;
  readonly cage: Bubblewrap | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: WorkspaceLimits;
  readonly onGone: (gone: HostGone) => void;
}

export interface HostGone {
  readonly why: string;
  /** Nobody needed it any more. */
  readonly wanted: boolean;
}

/** How a process came up: with tools, with modules that cannot be loaded, or not at all. */
export type HostStart =
  | { readonly kind: "ready"; readonly tools: readonly ListedTool[] }
  | { readonly kind: "broken"; readonly trouble: HostFailure }
  | { readonly kind: "lost"; readonly why: string };

/**
 * One process with the tools of one integration, as they were at one moment. A process that
 * says what an honest one could not is killed, and so is one that does not notice that a call was
 * stopped. Calls that it took and did not answer are then left open: nobody knows what they did.
 */
export class HostProcess {
  readonly started: Promise<HostStart>;
  readonly #settings: HostSettings;
  readonly #child: ChildProcess;
  readonly #socket: Duplex;
  readonly #gone = new AbortController();
  readonly #calls = new Map<number, OpenCall>();
  /** Stopped calls whose `aborted` is still owed. */
  readonly #owed = new Set<number>();
  readonly #fetchOf = new Map<number, OpenCall>();
  #start!: (start: HostStart) => void;
  #isStarted = false;
  #next = 0;
  #lines = 0;
  #leaving = false;
  #resting: AbortController | undefined;
  #crash: HostFailure | undefined;

  constructor(settings: HostSettings) {
    this.#settings = settings;
    this.started = new Promise((resolve) => (this.#start = resolve));
    const { code, cage } = settings;
    const { file, args } = hostCommand(cage, zodFolder(code));
    this.#child = spawn(file, args, {
      env: {},
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      windowsHide: true,
    });
    // Descriptor 3 was asked for as a pipe, which Node makes a socket that works both ways.
    this.#socket = this.#child.stdio[SOCKET_FD] as Duplex;
    this.#listen();
    this.#socket.write(encodeFrame({ t: "code" }, JSON.stringify(code)));
    void this.#watchStart();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get load(): number {
    return this.#calls.size;
  }

  /** False once it is gone, or takes no further call. */
  get open(): boolean {
    return !this.#gone.signal.aborted && !this.#leaving;
  }

  /** The answer as JSON text. Rejects where there will be none. */
  async call(call: HostCall): Promise<string> {
    const n = this.#next++;
    const open = new OpenCall(call, (head, body) => this.#send(head, body));
    if (this.#gone.signal.aborted) open.lost(`the process of ${this.#settings.name} is gone`);
    this.#calls.set(n, open);
    this.#resting?.abort();
    const { signal, tool, fn, body } = call;
    this.#send({ t: "call", n, tool, fn }, JSON.stringify(body));
    const stop = () => void this.#stop(n, open);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await open.answer;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#calls.delete(n);
      if (this.#calls.size === 0) this.#rest();
    }
  }

  /** Takes no further call, and goes when the last one has ended. */
  leave(): void {
    this.#leaving = true;
    if (this.#calls.size === 0) this.kill("nobody needs it", true);
  }

  kill(why: string, wanted = false): void {
    this.#child.kill("SIGKILL");
    this.#end(why, wanted);
  }

  /** Called for a process that has nothing to do, from its start on. */
  rest(): void {
    if (this.#calls.size === 0) this.#rest();
  }

  /** The handler was told to stop. It may still answer for itself; one that does not hear ends with its process. */
  async #stop(n: number, open: OpenCall): Promise<void> {
    const { clock, limits } = this.#settings;
    this.#owed.add(n);
    this.#send({ t: "abort", n });
    await clock.sleep(limits.graceMs, AbortSignal.any([open.over, this.#gone.signal]));
    if (open.over.aborted || this.#gone.signal.aborted) return;
    open.lost("it was stopped, and did not answer");
    // What it left running has no way out any more, but it may not stay either.
    if (this.#owed.has(n)) this.kill("a tool in it did not notice that it was stopped");
    else this.leave();
  }

  #rest(): void {
    if (this.#leaving) {
      this.kill("nobody needs it", true);
      return;
    }
    const resting = new AbortController();
    this.#resting = resting;
    void this.#leaveAfter(resting.signal);
  }

  async #leaveAfter(unless: AbortSignal): Promise<void> {
    const { clock, limits } = this.#settings;
    await clock.sleep(limits.idleMs, AbortSignal.any([unless, this.#gone.signal]));
    if (!unless.aborted) this.kill("nobody needed it", true);
  }

  #send(head: ToHost, body?: string): void {
    if (!this.#gone.signal.aborted) this.#socket.write(encodeFrame(head, body));
  }

  #listen(): void {
    const { limits } = this.#settings;
    const bytesMax = () =>
      this.#isStarted ? limits.answerBytesMax + limits.lineCharsMax * 4 : limits.listingBytesMax;
    const reader = new FrameReader(bytesMax);
    this.#socket.on("data", (chunk: Buffer) => {
      try {
        for (const { head, body } of reader.push(chunk)) {
          if (this.#gone.signal.aborted) return;
          const said = parseMessage(head);
          if (said !== undefined && this.#hear(said, body)) continue;
          this.kill("it said something that only a broken process would say");
          return;
        }
      } catch {
        this.kill("it sent something that could not be read");
      }
    });
    // A process that died breaks the connection too; how it ended says more.
    this.#socket.on("error", () => this.#child.kill("SIGKILL"));
    this.#child.on("error", () => this.kill("it could not be started"));
    this.#child.on("exit", (code, signal) => {
      const words = this.#crash ? `: ${this.#crash.message}` : "";
      this.#end(`it ended by itself (${signal ?? `code ${code}`})${words}`, false);
    });
  }

  #hear(said: FromHost, body: string): boolean {
    const { log, name, limits } = this.#settings;
    switch (said.t) {
      case "ready": {
        const tools = parseListing(parseJson(body));
        if (this.#isStarted || tools === undefined) return false;
        this.#isStarted = true;
        this.#start({ kind: "ready", tools });
        return true;
      }
      case "broken":
        if (this.#isStarted) return false;
        this.#start({ kind: "broken", trouble: parseHostFailure(body) });
        this.kill("its modules cannot be loaded", true);
        return true;
      case "crash":
        this.#crash = parseHostFailure(body);
        if (!this.#isStarted) this.#start({ kind: "broken", trouble: this.#crash });
        return true;
      case "line":
        if (++this.#lines <= limits.linesPerProcessMax)
          log.debug("a tool printed", { integration: name, level: said.level, text: body });
        return true;
      case "aborted":
        return this.#owed.delete(said.n);
      case "drop":
        // It may have been answered in the same moment.
        this.#fetchOf.get(said.f)?.drop(said.f);
        return true;
      case "done":
      case "progress":
      case "fetch":
        return this.#hearOfCall(said, body);
      default:
        return said satisfies never;
    }
  }

  #hearOfCall(said: Extract<FromHost, { t: "done" | "progress" | "fetch" }>, body: string): boolean {
    const call = this.#calls.get(said.n);
    // Of a call that is over nothing is wanted any more; of one that never was, nothing can come.
    if (call === undefined) return said.n < this.#next;
    if (said.t === "progress") call.report(body);
    else if (said.t === "done") call.done(said.how, body);
    else {
      if (body.length > this.#settings.limits.requestBytesMax || this.#fetchOf.has(said.f)) return false;
      this.#fetchOf.set(said.f, call);
      call.over.addEventListener("abort", () => this.#fetchOf.delete(said.f), { once: true });
      return call.fetch(said.f, said, body);
    }
    return true;
  }

  async #watchStart(): Promise<void> {
    const { clock, limits } = this.#settings;
    await clock.sleep(limits.startMs, this.#gone.signal);
    if (this.#isStarted || this.#gone.signal.aborted) return;
    const message = `its modules did not finish loading within ${limits.startMs / 1_000} seconds`;
    this.#start({ kind: "broken", trouble: { message, stack: "" } });
    this.kill(message);
  }

  #end(why: string, wanted: boolean): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort("gone");
    this.#start({ kind: "lost", why });
    this.#socket.destroy();
    this.#settings.onGone({ why, wanted });
    for (const call of this.#calls.values())
      call.lost(`the process of ${this.#settings.name} is gone: ${why}`);
  }
}
