import { join } from "node:path";
import type { Redactor } from "@elwood/core/base/redact";
import { isRecord } from "@elwood/core/base/is-record";
import { showLine } from "@elwood/core/base/show";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { withDeadline } from "@elwood/runtime/async/deadline";
import { ToolError, type HandlerAnswer, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { answerOf } from "./call-result.ts";
import { connectHttp, connectStdio, type Connection, type ConnectOptions } from "./connection.ts";
import { pinOf, readList, type ListedTool } from "./listed-tool.ts";
import { MCP_LIMITS, type McpLimits } from "./limits.ts";
import type { CageReport } from "@elwood/platform/bubblewrap";
import { OAuthLogin } from "./oauth-login.ts";
import { ServerLog } from "./server-log.ts";
import { npmFetch } from "../config/mcp-pin.ts";
import { forgetPackages, holdPackages } from "./npm-packages.ts";
import type { HttpWay, ServerSettings, StdioWay } from "./server-settings.ts";
import { serverTool, type PinnedTool } from "./server-tool.ts";
import { serverProgram, type ServerProgram } from "./start-server.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { readKnownList, writeKnownList, type KnownList } from "./tool-cache.ts";

export interface McpServerDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
  /** Elwood's own folder: below it lie the server's own files, the list of its tools, and tokens. */
  readonly home: string;
  /** Elwood's own places, of which a server in a cage sees nothing. */
  readonly hidden: readonly string[];
  readonly cage: () => Promise<CageReport>;
  /** The guarded client for one origin. */
  readonly fetchFrom: (origin: string, timeoutMs: number) => typeof globalThis.fetch;
  /** The same, and the open web: whoever logs people in for a server may be elsewhere. */
  readonly fetchForLogin: (origin: string) => typeof globalThis.fetch;
  /** Whether the owner opened an origin in the settings. */
  readonly isOpened: (origin: string) => boolean;
  /** Its tools are others now, or it went away or came back. */
  readonly changed: () => void;
  readonly limits?: Partial<McpLimits>;
}

/** `idle`: it is started with the first call. `down`: it crashed, and is started again by itself. `stopped`: it crashed too often. */
export type ServerState = "idle" | "starting" | "running" | "down" | "stopped";

/**
 * One configured server.
 *
 * S1 Nothing is started before it is needed: its tools are known from the last time.
 * S2 A call that reached no server throws a ToolError: it did not happen. One that was sent and got no answer
 *    rejects with something else: nobody knows.
 * S3 A tool that is no longer the one that the caller knows is not called, and nothing is sent.
 * S4 After a crash its tools are off until it is back; it is started again after a while, so many times at most.
 */
export class McpServer {
  readonly settings: ServerSettings;
  readonly log: ServerLog;
  /** For servers elsewhere that the settings give no token for. */
  readonly login: OAuthLogin | undefined;
  readonly #deps: McpServerDeps;
  readonly #limits: McpLimits;
  readonly #closing = new AbortController();
  #known: KnownList | undefined;
  #pinned: { readonly of: KnownList | undefined; readonly pins: ReadonlyMap<string, string> } | undefined;
  #connection: Connection | undefined;
  #transport: StdioTransport | undefined;
  #connecting: Promise<Connection> | undefined;
  #restarting: Promise<void> | undefined;
  #resting: AbortController | undefined;
  #neededAt = 0;
  #relisting = false;
  #relistAgain = false;
  #calls = 0;
  #crashes = 0;
  #down = false;
  #lastProblem: string | undefined;
  #caged: boolean | undefined;

  constructor(settings: ServerSettings, deps: McpServerDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#limits = { ...MCP_LIMITS, ...deps.limits };
    const { clock, log, redact } = deps;
    const { way, name, part } = settings;
    const hasToken =
      way.kind === "http" && Object.keys(way.headers).some((key) => key.toLowerCase() === "authorization");
    this.login =
      way.kind === "http" && !hasToken
        ? new OAuthLogin({
            name,
            url: way.url,
            file: join(deps.home, "mcp-logins", `${part}.json`),
            fetch: deps.fetchForLogin(new URL(way.url).origin),
            isOpened: deps.isOpened,
            settings: way.oauth,
            clock,
          })
        : undefined;
    this.log = new ServerLog({ path: join(this.#dir(), "server.log"), clock, log, redact });
  }

  get state(): ServerState {
    if (this.#down) return this.#crashes >= this.#limits.crashesMax ? "stopped" : "down";
    if (this.#connection) return "running";
    return this.#connecting ? "starting" : "idle";
  }

  /** What went wrong last, a sentence; undefined once it works. */
  get problem(): string | undefined {
    return this.#lastProblem;
  }

  /** Whether bubblewrap keeps it in; undefined while it has not been started. */
  get caged(): boolean | undefined {
    return this.#caged;
  }

  get pid(): number | undefined {
    return this.#transport?.pid ?? undefined;
  }

  get connection(): Pick<Connection, "protocol" | "server"> | undefined {
    return this.#connection;
  }

  /** The tools it listed last; undefined where it never did. */
  get listed(): Pick<KnownList, "tools" | "problems" | "at"> | undefined {
    return this.#known;
  }

  /** Reads the list that was stored. Starts nothing. */
  async recall(): Promise<void> {
    await this.login?.recall();
    this.#known ??= await readKnownList(this.#deps.home, this.settings, this.#deps.log);
  }

  /** Its tools as they can be offered, with a sentence for each that cannot; none while it is down. */
  tools(): { readonly tools: readonly ToolDefinition[]; readonly problems: readonly string[] } {
    const tools: ToolDefinition[] = [];
    const problems = (this.#known?.problems ?? []).map(
      (problem) => `The MCP server "${showLine(this.settings.name)}": ${problem}.`,
    );
    if (this.#down) return { tools, problems };
    for (const listed of this.#known?.tools ?? []) {
      const made = serverTool(this.settings, listed, (tool, input, ctx) => this.#call(tool, input, ctx));
      if (typeof made === "string") problems.push(made);
      else tools.push(made);
    }
    return { tools, problems };
  }

  /** Starts it, if it does not run, and lists its tools as they are now. */
  async refresh(signal: AbortSignal): Promise<void> {
    const fresh = this.#connection === undefined;
    const connection = await this.#connected(signal);
    if (!fresh) await this.#list(connection, signal);
    this.#rest();
  }

  /** Asks it for something that is no call of a tool, starting it if it does not run. */
  async ask<T>(work: (connection: Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#calls += 1;
    try {
      const connection = await this.#connected(signal);
      return await work(connection);
    } catch (cause) {
      if (cause instanceof ToolError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ToolError(
        "mcp_failed",
        `The MCP server "${showLine(this.settings.name)}" could not answer: ${showLine(why).slice(0, MCP_LIMITS.errorCharsMax).replace(/\.$/, "")}.`,
      );
    } finally {
      this.#calls -= 1;
      this.#rest();
    }
  }

  /** Ends it and starts it again, whatever happened before. */
  async restart(signal: AbortSignal): Promise<void> {
    await this.#disconnect();
    this.#crashes = 0;
    this.#down = false;
    await this.refresh(signal);
    this.#deps.changed();
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#closing.abort("closing");
    await this.login?.cancel();
    await this.#disconnect();
    await this.#restarting;
    await this.log.flushed();
  }

  /** It is configured no more. */
  async forget(): Promise<void> {
    await this.close();
    await this.login?.forget();
    await forgetPackages(this.#packagesFile());
  }

  async #call(tool: PinnedTool, input: unknown, ctx: ToolContext): Promise<HandlerAnswer> {
    const { callsAtOnceMax, inputBytesMax } = this.#limits;
    const { name, timeoutMs } = this.settings;
    if (!isRecord(input)) throw this.#unavailable("its input must have named arguments");
    if (JSON.stringify(input).length > inputBytesMax)
      throw this.#unavailable(`the input is larger than ${inputBytesMax} bytes`);
    if (this.#calls >= callsAtOnceMax)
      throw this.#unavailable(`${callsAtOnceMax} calls are being made already`);
    this.#calls += 1;
    try {
      const connection = await this.#connected(ctx.signal);
      this.#checkPin(tool);
      const transport = this.#transport;
      if (ctx.signal.aborted) throw this.#unavailable("the call was stopped before it began");
      const answer = await connection
        .call(tool.name, input, {
          signal: ctx.signal,
          // The gate's own limit comes first; it stands still while the owner is asked.
          timeoutMs: ctx.ask ? this.#limits.callCeilingMs : timeoutMs + this.#limits.graceMs,
          progress: (text) => ctx.progress(text),
          ask: ctx.ask,
        })
        .catch((cause: unknown) => this.#callFailed(cause, transport));
      this.#crashes = 0;
      return answerOf(name, answer, tool.hasSchema);
    } finally {
      this.#calls -= 1;
      this.#rest();
    }
  }

  #checkPin({ id, name, pin }: PinnedTool): void {
    const now = this.#pins().get(name);
    if (now === pin) return;
    const server = showLine(this.settings.name);
    throw new ToolError(
      "tool_changed",
      now === undefined
        ? `The MCP server "${server}" no longer has this tool. Nothing was sent to it.`
        : `The MCP server "${server}" has changed this tool since it was offered. Nothing was sent to it. See what it says now: elwood tools show ${id}`,
    );
  }

  /** By the names of its tools as they are listed now; a list never changes, another one takes its place. */
  #pins(): ReadonlyMap<string, string> {
    const known = this.#known;
    if (this.#pinned?.of !== known) {
      const { identity } = this.settings;
      const pins = (known?.tools ?? []).map((tool) => [tool.name, pinOf(identity, tool)] as const);
      this.#pinned = { of: known, pins: new Map(pins) };
    }
    return this.#pinned!.pins;
  }

  /** Which failures are the server's own answer, and which leave open what happened. */
  async #callFailed(cause: unknown, transport: StdioTransport | undefined): Promise<never> {
    const { InsufficientScopeError, ProtocolError, SdkHttpError } =
      await import("@modelcontextprotocol/client");
    const server = showLine(this.settings.name);
    if (cause instanceof ToolError) throw cause;
    if (cause instanceof ProtocolError) {
      const quoted = cause.message.slice(0, MCP_LIMITS.errorCharsMax);
      const message = `The MCP server "${server}" answered with an error (${cause.code}).`;
      throw new ToolError("tool_failed", message, { quoted });
    }
    if (cause instanceof SdkHttpError && cause.status !== undefined && cause.status < 500) {
      if (cause.status === 404) await this.#disconnect();
      throw new ToolError("mcp_refused", httpRefusal(server, cause.status), {
        retryable: cause.status === 404,
      });
    }
    if (cause instanceof InsufficientScopeError) throw new ToolError("mcp_refused", httpRefusal(server, 403));
    const why = transport?.why ?? (cause instanceof Error ? cause.message : String(cause));
    throw new Error(`the MCP server "${server}": ${showLine(why).slice(0, MCP_LIMITS.errorCharsMax)}`, {
      cause,
    });
  }

  /** Several callers wait for one start; one that is stopped meanwhile stops nobody else's. */
  async #connected(signal: AbortSignal): Promise<Connection> {
    if (this.#connection) return this.#connection;
    if (this.#down)
      throw this.#unavailable(
        this.state === "stopped"
          ? `${this.#lastProblem ?? "it crashed too often"}. Start it again: elwood mcp test ${this.settings.name}`
          : `${this.#lastProblem ?? "it crashed"}, and it is started again in a while`,
      );
    const late = () => {
      throw this.#unavailable("it does not answer");
    };
    try {
      return await withDeadline(this.#deps.clock, this.#limits.startMs, this.#opening(), late, signal);
    } catch (cause) {
      if (signal.aborted) throw this.#unavailable("the call was stopped before it began");
      throw cause;
    }
  }

  #opening(): Promise<Connection> {
    this.#connecting ??= this.#open(this.#closing.signal).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    try {
      const connection = await this.#greet(signal);
      this.#connection = connection;
      await this.#list(connection, signal);
      this.#lastProblem = undefined;
      return connection;
    } catch (cause) {
      await this.#disconnect();
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#lastProblem = showLine(why).slice(0, MCP_LIMITS.errorCharsMax);
      this.log.note(`could not be used: ${this.#lastProblem}`);
      throw cause instanceof ToolError ? cause : this.#unavailable(this.#lastProblem);
    }
  }

  async #greet(signal: AbortSignal): Promise<Connection> {
    const { way } = this.settings;
    if (way.kind === "http") return this.#greetHttp(way, signal);
    const isFetched = await this.#holdPackages(way, signal);
    // A server of an older kind may end itself over a question it does not know; it is then asked as those want it.
    const eras =
      this.#known?.era === "legacy" ? (["legacy", undefined] as const) : ([undefined, "legacy"] as const);
    let failed: unknown;
    for (const era of eras) {
      const program = await this.#program(isFetched ? offline(way) : way);
      this.#caged = program.caged;
      const transport = this.#process(program);
      this.#transport = transport;
      this.log.note(`starting ${way.command}${program.caged ? " in a cage" : ""}`);
      try {
        return await connectStdio(
          transport,
          this.#options(signal, era, () => this.#gone(transport)),
        );
      } catch (cause) {
        await transport.close();
        const { why } = transport;
        failed = why === undefined ? cause : new Error(why, { cause });
        if (signal.aborted || why?.startsWith("it could not be started")) break;
        // One that was of the older kind the last time may be of the newest now.
        const mayDiffer = era === "legacy" && this.#known?.era === "legacy";
        if (why === undefined && !mayDiffer) break;
      }
    }
    throw failed;
  }

  /** What npm fetches is fetched and looked at before any of it runs. Whether there is such. */
  async #holdPackages(way: StdioWay, signal: AbortSignal): Promise<boolean> {
    const fetch = npmFetch(way.command, way.args);
    if (fetch === undefined) return false;
    const { command, args, packages: wanted } = fetch;
    // The owner's folders are not there for it.
    const alone: StdioWay = { ...way, command, folders: [], cwd: undefined };
    await holdPackages({
      server: this.settings.name,
      wanted,
      home: this.#home(),
      file: this.#packagesFile(),
      fetch: () => this.#run({ ...alone, args, network: true }, `fetching ${wanted.join(" ")}`, signal),
      build: (folder) =>
        this.#run(
          { ...alone, command: command.replace(/npx$/, "npm"), args: ["rebuild", "--prefix", folder] },
          `building what was fetched`,
          signal,
        ),
    });
    return true;
  }

  /** Runs a program to its end; what it prints goes to the log. */
  async #run(way: StdioWay, what: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.log.note(what);
    const child = this.#process(await this.#program(way));
    const stop = () => child.kill("it was stopped");
    signal.addEventListener("abort", stop);
    try {
      await child.start();
      const code = await child.ended();
      if (code !== 0) throw new Error(`${what} came to nothing: ${child.why ?? "it was ended"}`);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  #program(way: StdioWay): Promise<ServerProgram> {
    return serverProgram(way, { home: this.#home(), hidden: this.#deps.hidden, cage: this.#deps.cage });
  }

  #process(program: ServerProgram): StdioTransport {
    const { clock } = this.#deps;
    return new StdioTransport({ ...program, clock, log: this.log, limits: this.#limits });
  }

  async #greetHttp(way: HttpWay, signal: AbortSignal): Promise<Connection> {
    const guarded = this.#deps.fetchFrom(new URL(way.url).origin, this.settings.timeoutMs);
    const connect = (era: Connection["era"] | undefined) =>
      connectHttp(
        way,
        guarded,
        this.login,
        this.#options(signal, era, () => this.#lost()),
      );
    if (this.#known?.era !== "legacy") return connect(undefined);
    try {
      return await connect("legacy");
    } catch (cause) {
      if (signal.aborted) throw cause;
      return connect(undefined);
    }
  }

  #options(signal: AbortSignal, era: Connection["era"] | undefined, closed: () => void): ConnectOptions {
    return {
      version: this.#deps.version,
      name: this.settings.name,
      era,
      signal,
      clock: this.#deps.clock,
      note: (text) => this.log.note(text),
      listChanged: () => void this.#relist(),
      closed,
    };
  }

  async #list(connection: Connection, signal: AbortSignal): Promise<void> {
    const { tools, problems } = readList(await connection.list(signal));
    const before = this.#known;
    const { identity } = this.settings;
    const next: KnownList = { identity, era: connection.era, at: this.#deps.clock.now(), tools, problems };
    this.#known = next;
    if (before !== undefined && before.era === next.era && isSameList(identity, before, next)) return;
    await writeKnownList(this.#deps.home, this.settings, next, this.#deps.log);
    this.log.note(`lists ${tools.length} tools`);
    this.#deps.changed();
  }

  /** One list at a time, and one more where the server said meanwhile that it changed again. */
  async #relist(): Promise<void> {
    if (this.#relisting) {
      this.#relistAgain = true;
      return;
    }
    this.#relisting = true;
    try {
      do {
        this.#relistAgain = false;
        await this.#deps.clock.sleep(RELIST_MS, this.#closing.signal);
        const connection = this.#connection;
        if (connection === undefined || this.#closing.signal.aborted) return;
        await this.#list(connection, this.#closing.signal);
      } while (this.#relistAgain);
    } catch (error) {
      this.log.note(
        `its tools could not be listed: ${error instanceof Error ? error.message : String(error)}`,
      );
    } finally {
      this.#relisting = false;
    }
  }

  /** A server elsewhere has ended the connection: the next call makes another one. */
  #lost(): void {
    if (this.settings.way.kind === "http") this.#connection = undefined;
  }

  /** The process is gone. */
  #gone(transport: StdioTransport): void {
    if (this.#transport !== transport) return;
    const started = this.#connection !== undefined;
    this.#connection = undefined;
    this.#transport = undefined;
    const { why } = transport;
    if (why === undefined) {
      this.log.note("ended");
      return;
    }
    this.log.note(`gone: ${why}`);
    if (!started || this.#closing.signal.aborted) return;
    this.#crashes += 1;
    this.#down = true;
    this.#lastProblem = why;
    this.#deps.log.warn("an MCP server is gone", { server: this.settings.name, why });
    this.#deps.changed();
    this.#restarting ??= this.#restartLater().finally(() => {
      this.#restarting = undefined;
    });
  }

  async #restartLater(): Promise<void> {
    const { backoffMs, backoffMaxMs, crashesMax } = this.#limits;
    const { clock, log } = this.#deps;
    const { signal } = this.#closing;
    while (this.#down && this.#crashes < crashesMax) {
      await clock.sleep(Math.min(backoffMs * 4 ** (this.#crashes - 1), backoffMaxMs), signal);
      if (signal.aborted || !this.#down) return;
      try {
        await this.#opening();
        this.#down = false;
        log.info("an MCP server was started again", { server: this.settings.name });
        this.#rest();
      } catch (error) {
        this.#crashes += 1;
        log.warn("an MCP server could not be started again", { server: this.settings.name, error });
      }
      this.#deps.changed();
    }
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    const transport = this.#transport;
    this.#connection = undefined;
    this.#transport = undefined;
    this.#resting?.abort("disconnected");
    this.#resting = undefined;
    await transport?.close();
    await connection?.close().catch((error: unknown) => {
      this.log.note(`did not close well: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  /** Nobody needs it for now: once that has lasted, it is ended. */
  #rest(): void {
    this.#neededAt = this.#deps.clock.now();
    if (this.#resting !== undefined || this.#connection === undefined) return;
    const resting = new AbortController();
    this.#resting = resting;
    void this.#endIdle(resting).finally(() => {
      if (this.#resting === resting) this.#resting = undefined;
    });
  }

  /** One wait for all calls: whoever came meanwhile makes it longer, and costs nothing. */
  async #endIdle(resting: AbortController): Promise<void> {
    const over = AbortSignal.any([resting.signal, this.#closing.signal]);
    const { clock } = this.#deps;
    for (;;) {
      const left = this.#neededAt + this.#limits.idleMs - clock.now();
      if (left <= 0 && this.#calls === 0) break;
      await clock.sleep(Math.max(left, MIN_REST_MS), over);
      if (over.aborted) return;
    }
    await this.#disconnect();
  }

  #dir(): string {
    return join(this.#deps.home, "mcp", this.settings.part);
  }

  #home(): string {
    return join(this.#dir(), "home");
  }

  #packagesFile(): string {
    return join(this.#dir(), "packages.json");
  }

  #unavailable(why: string): ToolError {
    const server = showLine(this.settings.name);
    return new ToolError(
      "mcp_unavailable",
      `The MCP server "${server}" could not be used: ${why.replace(/\.$/, "")}. Nothing was sent to it. Its log: elwood mcp logs ${server}`,
      { retryable: true },
    );
  }
}

const RELIST_MS = 200;
/** A call that takes longer than a server may rest is looked for again after this. */
const MIN_REST_MS = 1_000;

/** What npm fetched and was looked at is what it runs. */
function offline(way: StdioWay): StdioWay {
  return { ...way, env: { ...way.env, npm_config_offline: "true" } };
}

function httpRefusal(server: string, status: number): string {
  if (status === 401 || status === 403)
    return `The MCP server "${server}" does not let Elwood in (HTTP ${status}). The call was not made. Log in with elwood mcp login ${server}, or set its token under \`headers\` in the settings.`;
  if (status === 404)
    return `The MCP server "${server}" no longer knows this connection. The call was not made.`;
  return `The MCP server "${server}" refused the call (HTTP ${status}).`;
}

function isSameList(identity: string, a: KnownList, b: KnownList): boolean {
  const pins = ({ tools }: KnownList) => tools.map((tool: ListedTool) => pinOf(identity, tool)).join();
  return pins(a) === pins(b) && a.problems.join() === b.problems.join();
}
