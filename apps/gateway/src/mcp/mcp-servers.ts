import { fail, FailureError } from "@elwood/core/base/failure";
import { showLine } from "@elwood/core/base/show";
import { closest } from "@elwood/core/base/suggest";
import { withTimeout } from "@elwood/runtime/async/deadline";
import { ToolError } from "@elwood/sdk/tool-answer";
import type { Config } from "../config/schema.ts";
import type { ToolGroup } from "../tools/tool-snapshot.ts";
import { unavailableText, type UnavailableTools } from "../tools/unavailable-tools.ts";
import { MCP_LIMITS } from "./limits.ts";
import { McpServer, type McpServerDeps, type ServerState } from "./mcp-server.ts";
import type { Connection } from "./connection.ts";
import {
  promptText,
  readPrompts,
  readResources,
  resourceText,
  type ServerPrompt,
  type ServerResource,
} from "./server-texts.ts";
import type { OAuthLogin } from "./oauth-login.ts";
import { readServer, type ReadServer } from "./server-settings.ts";
import { sweepKnownLists } from "./tool-cache.ts";
import { toolIdOf } from "./tool-names.ts";

/** A server as the owner looks at it. */
export interface ServerView {
  readonly name: string;
  readonly transport: "stdio" | "http" | undefined;
  /** Where it is, without anything secret. */
  readonly where: string;
  readonly state: ServerState | "off";
  readonly problem: string | undefined;
  readonly caged: boolean | undefined;
  readonly login: "in" | "needed" | undefined;
  readonly protocol: string | undefined;
  readonly server: string | undefined;
  readonly pid: number | undefined;
  readonly tools: readonly { readonly toolId: string; readonly name: string }[] | undefined;
}

/** All configured servers, their tools, and what the owner does with them. */
export class McpServers {
  readonly #deps: McpServerDeps;
  readonly #servers = new Map<string, McpServer>();
  readonly #closing = new AbortController();
  #read: readonly ReadServer[] = [];

  constructor(deps: McpServerDeps) {
    this.#deps = deps;
  }

  /** Takes the settings in. Servers whose settings stayed the same go on as they are. */
  async configure(servers: Config["mcpServers"]): Promise<void> {
    const entries = Object.entries(servers ?? {});
    const taken = new Map<string, string>();
    this.#read = entries.map(([name, written], i): ReadServer => {
      const off = (why: string): ReadServer => ({
        name,
        off: `The MCP server "${showLine(name)}" is off: ${why}`,
        why,
      });
      if (i >= MCP_LIMITS.serversMax) return off(`there are ${MCP_LIMITS.serversMax} others.`);
      const read = readServer(name, written, this.#deps.home);
      if (read.off !== undefined) return read;
      const other = taken.get(read.settings.part);
      if (other !== undefined) return off(`its name can be taken for "${showLine(other)}".`);
      taken.set(read.settings.part, name);
      return read;
    });
    const wanted = new Map(
      this.#read.flatMap((each) => (each.off === undefined ? [[each.name, each.settings]] : [])),
    );
    for (const [name, server] of this.#servers) {
      const settings = wanted.get(name);
      if (settings !== undefined && JSON.stringify(settings) === JSON.stringify(server.settings)) continue;
      this.#servers.delete(name);
      await (settings?.identity === server.settings.identity ? server.close() : server.forget());
    }
    await sweepKnownLists(this.#deps.home, [...wanted.values()]);
    for (const [name, settings] of wanted) {
      if (this.#servers.has(name)) continue;
      const server = new McpServer(settings, this.#deps);
      this.#servers.set(name, server);
    }
    await Promise.all([...this.#servers.values()].map((server) => server.recall()));
  }

  /** Their tools as they are known now. Starts nothing. */
  group(): ToolGroup & { readonly problems: readonly string[] } {
    const servers = [...this.#servers.values()];
    const made = servers.map((server) => server.tools());
    const down = servers.flatMap(unavailable);
    return {
      source: "mcp",
      tools: made.flatMap(({ tools }) => tools),
      off: down,
      problems: [
        ...this.#read.flatMap(({ off, wanted }) => (off === undefined || wanted ? [] : [off])),
        ...down.map(unavailableText),
        ...made.flatMap(({ problems }) => problems),
      ],
    };
  }

  /** Servers whose tools nobody has listed yet are asked, one after another; one that does not answer is told in the log. */
  async readNew(): Promise<void> {
    for (const server of this.#servers.values()) {
      if (this.#closing.signal.aborted) return;
      if (server.listed !== undefined) continue;
      try {
        await this.#inTime((signal) => server.refresh(signal));
      } catch (error) {
        const { name } = server.settings;
        this.#deps.log.warn("the tools of an MCP server could not be listed", { server: name, error });
      }
    }
  }

  list(): readonly ServerView[] {
    return this.#read.map((read) => this.#view(read));
  }

  view(name: string): ServerView {
    const read = this.#read.find((each) => each.name === name);
    return read === undefined ? this.#unknown(name) : this.#view(read);
  }

  /** The variables, headers and secrets that its settings give it, by name. */
  given(name: string): readonly (readonly [kind: "env" | "headers" | "oauth", key: string])[] {
    const read = this.#read.find((each) => each.name === name);
    if (read === undefined || read.off !== undefined) return [];
    const { way } = read.settings;
    return way.kind === "stdio"
      ? Object.keys(way.env).map((key) => ["env", key] as const)
      : [
          ...Object.keys(way.headers).map((key) => ["headers", key] as const),
          ...(way.oauth?.secret === undefined ? [] : [["oauth", "secret"] as const]),
        ];
  }

  /** Starts it, also where it crashed before, and lists its tools. */
  async test(name: string): Promise<ServerView> {
    const server = this.#usable(name);
    const isDown = server.state === "down" || server.state === "stopped";
    await this.#tell((signal) => (isDown ? server.restart(signal) : server.refresh(signal)));
    return this.view(name);
  }

  async restart(name: string): Promise<ServerView> {
    const server = this.#usable(name);
    await this.#tell((signal) => server.restart(signal));
    return this.view(name);
  }

  async resources(name: string): Promise<readonly ServerResource[]> {
    return readResources(await this.#asked(name, (connection, signal) => connection.resources(signal)));
  }

  /** The text of one. Whoever shows it to a model says that it is somebody else's. */
  async resource(name: string, uri: string): Promise<string> {
    const read = await this.#asked(name, (connection, signal) => connection.resource(uri, signal));
    return (
      resourceText(read) ??
      fail("INVALID_INPUT", `${showLine(uri)} of "${showLine(name)}" has no text. Nothing was sent.`)
    );
  }

  async prompts(name: string): Promise<readonly ServerPrompt[]> {
    return readPrompts(await this.#asked(name, (connection, signal) => connection.prompts(signal)));
  }

  async prompt(name: string, prompt: string, given: Readonly<Record<string, string>>): Promise<string> {
    return promptText(
      await this.#asked(name, (connection, signal) => connection.prompt(prompt, given, signal)),
    );
  }

  async #asked<T>(
    name: string,
    work: (connection: Connection, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const server = this.#usable(name);
    return this.#told(() =>
      withTimeout(
        this.#deps.clock,
        MCP_LIMITS.startMs,
        (signal) => server.ask((connection) => work(connection, signal), signal),
        this.#closing.signal,
      ),
    );
  }

  /** The address to open in a browser. Once the owner is back, the server's tools are listed. */
  async beginLogin(name: string): Promise<{ readonly url: string }> {
    const server = this.#usable(name);
    const login = this.#loginOf(server);
    const { url, ended } = await this.#told(() => login.begin());
    void ended
      .then(() => this.#inTime((signal) => server.restart(signal)))
      .catch((error: unknown) => {
        server.log.note(
          `the login came to nothing: ${error instanceof Error ? error.message : String(error)}`,
        );
      });
    return { url };
  }

  /** Ends a login with the address that the browser was sent to. */
  async finishLogin(name: string, address: string): Promise<ServerView> {
    const server = this.#usable(name);
    await this.#told(() => this.#loginOf(server).finish(address));
    await this.#tell((signal) => server.restart(signal));
    return this.view(name);
  }

  async logout(name: string): Promise<void> {
    await this.#loginOf(this.#usable(name)).forget();
  }

  #loginOf({ login, settings }: McpServer): OAuthLogin {
    if (login) return login;
    return fail(
      "INVALID_INPUT",
      `"${showLine(settings.name)}" takes no login: it is a program of this machine, or the settings have its token.`,
    );
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof FailureError) throw cause;
      if (cause instanceof ToolError) return fail("UPSTREAM_ERROR", cause.message);
      const why = cause instanceof Error ? cause.message : String(cause);
      return fail("UPSTREAM_ERROR", `That came to nothing: ${showLine(why).slice(0, 500)} Try it again.`);
    }
  }

  logs(name: string, count: number): readonly string[] {
    return this.#usable(name).log.tail(count);
  }

  async close(): Promise<void> {
    this.#closing.abort("closing");
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  /** What a person asked for is answered in words. */
  async #tell(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await this.#inTime(work);
    } catch (cause) {
      if (cause instanceof ToolError) fail("UPSTREAM_ERROR", cause.message);
      throw cause;
    }
  }

  #inTime(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return withTimeout(this.#deps.clock, MCP_LIMITS.startMs, work, this.#closing.signal);
  }

  #usable(name: string): McpServer {
    const server = this.#servers.get(name);
    if (server) return server;
    const read = this.#read.find((each) => each.name === name);
    if (read?.off !== undefined) return fail("INVALID_INPUT", `${read.off} Nothing was started.`);
    return this.#unknown(name);
  }

  #unknown(name: string): never {
    const near = closest(
      name,
      this.#read.map((each) => each.name),
    );
    const hint = near === undefined ? "See them with: elwood mcp list" : `Did you mean ${showLine(near)}?`;
    return fail("NOT_FOUND", `There is no MCP server "${showLine(name)}". Nothing was done. ${hint}`);
  }

  #view(read: ReadServer): ServerView {
    const { name } = read;
    const server = this.#servers.get(name);
    const way = read.off === undefined ? read.settings.way : undefined;
    return {
      name,
      transport: way?.kind,
      where:
        way === undefined
          ? ""
          : way.kind === "http"
            ? new URL(way.url).origin
            : [way.command, ...way.args].join(" "),
      state: server?.state ?? "off",
      problem: read.off ?? server?.problem,
      caged: server?.caged,
      login: server?.login?.standing,
      protocol: server?.connection?.protocol,
      server: server?.connection?.server,
      pid: server?.pid,
      tools: server?.listed?.tools.map((tool) => ({
        toolId: toolIdOf(name, tool.name),
        name: showLine(tool.name),
      })),
    };
  }
}

/** The tools of a server that is not there at the moment. */
function unavailable(server: McpServer): UnavailableTools[] {
  const { state, settings, problem } = server;
  if (state !== "down" && state !== "stopped") return [];
  const name = showLine(settings.name);
  const stopped = state === "stopped";
  return [
    {
      tools: [`mcp-${settings.part}.*`],
      what: `The MCP server "${name}" is down: ${problem ?? "it crashed"}.`,
      fix: stopped
        ? `It crashed too often. Start it again: elwood mcp test ${name}`
        : "It is started again by itself in a while.",
    },
  ];
}
