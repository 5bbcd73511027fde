import { spawn, type ChildProcess } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { giveFilter } from "@elwood/platform/bubblewrap";
import { isRecord } from "@elwood/core/base/is-record";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { McpLimits } from "./limits.ts";
import type { ServerLog } from "./server-log.ts";

export interface StdioStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** For the cage that it is started in, if any. */
  readonly filter?: Uint8Array | undefined;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: ServerLog;
  readonly limits: McpLimits;
}

const NEWLINE = 0x0a;

/**
 * A server's process, and the messages over its standard input and output: one line each. A line that is
 * longer than a message may be, a flood, or too much that is no message ends the process; what it
 * prints to standard error goes to its log.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Read by the client library, which tells a process by it. */
  readonly stderr = null;
  readonly #start: StdioStart;
  #child: ChildProcess | undefined;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #streamBytes = 0;
  #junk = 0;
  #inputBroken = false;
  #delivered = Promise.resolve();
  #closed = false;
  #why: string | undefined;
  #gone = Promise.withResolvers<void>();

  constructor(start: StdioStart) {
    this.#start = start;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Why it is gone, once it is; undefined where that was wanted. */
  get why(): string | undefined {
    return this.#why;
  }

  /** Resolves once it is gone, with the code that it ended with; null where it was ended. */
  async ended(): Promise<number | null> {
    await this.#gone.promise;
    return this.#child?.exitCode ?? null;
  }

  async start(): Promise<void> {
    const { file, args, env, cwd, filter } = this.#start;
    const child = spawn(file, args, {
      env,
      cwd,
      stdio: ["pipe", "pipe", "pipe", "ignore", filter === undefined ? "ignore" : "pipe"],
      // A group of its own, so that what the server starts ends with it.
      detached: true,
      windowsHide: true,
    });
    this.#child = child;
    if (filter !== undefined) giveFilter(child, filter);
    const started = Promise.withResolvers<void>();
    child.once("spawn", () => started.resolve());
    child.once("error", (error) => {
      started.reject(error);
      this.#end(`it could not be started (${error.message})`);
    });
    child.once("exit", (code, signal) => {
      this.#end(code === null ? `it was ended by ${signal ?? "a signal"}` : `it ended with code ${code}`);
    });
    // What was still to be written is lost; how it ended is told when it has.
    child.stdin?.on("error", () => (this.#inputBroken = true));
    child.stdout?.on("data", (data: Buffer) => this.#read(data));
    child.stdout?.on("error", (error) => this.onerror?.(error));
    child.stderr?.setEncoding("utf8");
    child.stderr?.on("data", (text: string) => this.#start.log.write(text));
    child.stderr?.on("error", (error) => this.onerror?.(error));
    await started.promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#closed || !stdin?.writable) throw new Error(this.#why ?? "the server is gone");
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** A call has ended: what was sent until now was for something. */
  progressed(): void {
    this.#streamBytes = 0;
  }

  /** Closes its input, and ends it where it does not leave by itself. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    if (this.#closed) return this.#gone.promise;
    this.#closed = true;
    child.stdin?.end();
    const left = new AbortController();
    const late = this.#killLate(left.signal);
    await this.#gone.promise;
    left.abort("gone");
    await late;
  }

  async #killLate(left: AbortSignal): Promise<void> {
    await this.#start.clock.sleep(this.#start.limits.graceMs, left);
    if (!left.aborted) this.#kill();
  }

  /** Ends it at once. */
  kill(why: string): void {
    this.#why ??= why;
    this.#kill();
    this.#end(why);
  }

  #kill(): void {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#child?.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      // It left in between.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }

  #end(why: string): void {
    // One that went away before anybody closed it was not ended by us, even where that was noticed later.
    const wanted = this.#closed && !this.#inputBroken;
    if (!wanted) this.#why ??= why;
    this.#closed = true;
    this.#pieces = [];
    this.#gone.resolve();
    const { onclose } = this;
    delete this.onclose;
    onclose?.();
  }

  #read(data: Buffer): void {
    const { messageBytesMax, streamBytesMax } = this.#start.limits;
    if (this.#closed) return;
    this.#streamBytes += data.length;
    if (this.#streamBytes > streamBytesMax) {
      this.kill(`it sent more than ${streamBytesMax / 1024 / 1024} MB without an end`);
      return;
    }
    let rest = data;
    for (let at = rest.indexOf(NEWLINE); at !== -1 && !this.#closed; at = rest.indexOf(NEWLINE)) {
      this.#pieces.push(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      const line = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#pieceBytes = 0;
      if (line.length > messageBytesMax) this.#tooLong();
      else this.#line(line.toString("utf8"));
    }
    if (this.#closed || rest.length === 0) return;
    this.#pieces.push(rest);
    this.#pieceBytes += rest.length;
    if (this.#pieceBytes > messageBytesMax) this.#tooLong();
  }

  #tooLong(): void {
    const megabytes = this.#start.limits.messageBytesMax / 1024 / 1024;
    this.kill(`its answer is larger than ${megabytes} MB, which was not read`);
  }

  #line(line: string): void {
    if (line.trim() === "") return;
    const message = parsed(line);
    if (message !== undefined) {
      // One after the other: what the library does later for the first must be done before the second.
      this.#delivered = this.#delivered.then(() => this.onmessage?.(message));
      return;
    }
    this.#start.log.write(`${line}\n`);
    this.#junk += 1;
    if (this.#junk > this.#start.limits.junkLinesMax)
      this.kill("it prints to its standard output what is no message of MCP");
  }
}

function parsed(line: string): JSONRPCMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isRecord(value) || value["jsonrpc"] !== "2.0") return undefined;
  const isMessage = typeof value["method"] === "string" || "result" in value || "error" in value;
  // The client library looks at each member by itself.
  return isMessage ? (value as unknown as JSONRPCMessage) : undefined;
}
