import { setTimeout } from "node:timers/promises";
import { fail } from "@elwood/core/base/failure";
import { plainLine } from "@elwood/core/message/session-text";
import { TOOL_LABELS, type ToolLabel } from "@elwood/core/tool/tool-label";
import type { WireMcpServer } from "@elwood/core/protocol/mcp-shapes";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, ownName, type Io } from "./io.ts";
import { canAsk, confirm } from "./confirm.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { gatewayText, say, sayCount, type Sentence } from "./words/say.ts";

export interface McpDeps {
  readonly client: GatewayClient;
}

/** `elwood mcp list` */
export async function listServers(
  io: Io,
  { client }: McpDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const { servers } = await client.call("mcp.list", {});
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ servers })}\n`);
    return EXIT.ok;
  }
  if (servers.length === 0) {
    io.stdout.write(
      `${say(io, "There are no MCP servers. Add one: {0} mcp add <name> -- <command>", ownName(io.env))}\n`,
    );
    return EXIT.ok;
  }
  const rows = servers.map((server) => [
    plainLine(server.name),
    server.state,
    server.tools === undefined ? "" : String(server.tools.length),
    visibleText(plainLine(server.where)),
  ]);
  io.stdout.write(table(io, COLUMNS, rows));
  for (const { name, state, problem } of servers)
    if (problem !== undefined)
      io.stderr.write(
        `! ${state === "off" ? "" : `${plainLine(name)}: `}${visibleText(gatewayText(io, problem))}\n`,
      );
  return EXIT.ok;
}

const COLUMNS = [
  { title: "SERVER" },
  { title: "STATE" },
  { title: "TOOLS" },
  { title: "WHERE", flexible: true },
] as const;

export interface AddFlags {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly folder?: readonly string[];
  readonly writeFolder?: readonly string[];
  readonly cwd?: string;
  readonly url?: string;
  readonly oauthId?: string;
  readonly oauthSecret?: string;
  readonly oauthPort?: string;
  readonly oauthScope?: readonly string[];
  readonly timeout?: string;
  readonly network?: boolean;
  readonly yes?: boolean;
  readonly json: boolean;
}

/** `elwood mcp add <name> -- <command>` or `--url`: shows what would be started, then adds it. */
export async function addServer(
  io: Io,
  { client }: McpDeps,
  name: string,
  words: readonly string[],
  flags: AddFlags,
): Promise<number> {
  const params = added(name, words, flags);
  const what =
    params.url === undefined
      ? `${say(io, "This starts a program on this machine with your rights:")}\n  ${[params.command, ...(params.args ?? [])].join(" ")}`
      : `${say(io, "What the assistant asks of it is sent to")}\n  ${params.url}`;
  if (!flags.json) io.stderr.write(`${visibleText(what)}\n`);
  if (flags.yes !== true) {
    if (!canAsk(io)) {
      io.stderr.write(
        `${say(io, "Nothing was added. To add it without a question, put --yes before the name.")}\n`,
      );
      return EXIT.failed;
    }
    if (!(await confirm(io, say(io, "Add the MCP server {0}?", plainLine(name))))) {
      io.stderr.write(`${say(io, "Nothing was added.")}\n`);
      return EXIT.denied;
    }
  }
  if (!flags.json && params.command !== undefined)
    io.stderr.write(`${say(io, "Starting it. If it has to be fetched first, that takes a while.")}\n`);
  const { server, problem } = await client.call("mcp.add", params);
  if (flags.json) {
    io.stdout.write(`${JSON.stringify({ server, ...(problem === undefined ? {} : { problem }) })}\n`);
    return problem === undefined ? EXIT.ok : EXIT.failed;
  }
  if (problem !== undefined) {
    io.stderr.write(`${say(io, "It was added, but: {0}", visibleText(gatewayText(io, problem)))}\n`);
    return EXIT.failed;
  }
  io.stdout.write(`${say(io, "Added.")} ${described(io, server)}`);
  if ((server.tools?.length ?? 0) > 0)
    io.stderr.write(
      `${say(io, "Each of its tools asks for every call, until you say what it does: {0} mcp label <tool>", ownName(io.env))}\n`,
    );
  return EXIT.ok;
}

function added(name: string, words: readonly string[], flags: AddFlags): MethodParams<"mcp.add"> {
  const [command, ...args] = words;
  if ((command === undefined) === (flags.url === undefined))
    fail("INVALID_INPUT", "Write either a command behind --, or --url with an address. Nothing was added.");
  const timeoutMs = flags.timeout === undefined ? undefined : Number(flags.timeout) * 1_000;
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= 1_000))
    fail("INVALID_INPUT", "--timeout must be a whole number of seconds. Nothing was added.");
  const oauth = login(flags);
  const folders = [
    ...(flags.folder ?? []).map((path) => ({ path, write: false })),
    ...(flags.writeFolder ?? []).map((path) => ({ path, write: true })),
  ];
  return {
    name,
    ...(command === undefined ? { url: flags.url! } : { command, ...(args.length > 0 ? { args } : {}) }),
    ...(flags.env && { env: pairs(flags.env, "--env") }),
    ...(flags.header && { headers: pairs(flags.header, "--header") }),
    ...(oauth && { oauth }),
    ...(folders.length > 0 ? { folders } : {}),
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
    ...(flags.network === false ? { network: false } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function login({ oauthId: id, oauthSecret: secret, oauthPort, oauthScope: scopes }: AddFlags) {
  const port = oauthPort === undefined ? undefined : Number(oauthPort);
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
    fail("INVALID_INPUT", "--oauth-port must be a number from 1 to 65535. Nothing was added.");
  const given = {
    ...(id !== undefined && { id }),
    ...(secret !== undefined && { secret }),
    ...(port !== undefined && { port }),
    ...(scopes && { scopes: [...scopes] }),
  };
  return Object.keys(given).length === 0 ? undefined : given;
}

function pairs(written: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(
    written.map((pair) => {
      const at = pair.search(flag === "--env" ? /=/ : /[=:]/);
      if (at < 1) fail("INVALID_INPUT", `${flag} takes NAME=value. Nothing was added.`);
      return [pair.slice(0, at), pair.slice(at + 1).trim()];
    }),
  );
}

/** `elwood mcp test <name>` */
export async function testServer(
  io: Io,
  { client }: McpDeps,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const { server } = await client.call("mcp.test", { name: options.name });
  if (options.json) io.stdout.write(`${JSON.stringify({ server })}\n`);
  else io.stdout.write(described(io, server));
  return EXIT.ok;
}

function described(io: Io, server: WireMcpServer): string {
  const tools = server.tools ?? [];
  const cage =
    server.transport === "stdio"
      ? server.caged === true
        ? ` ${say(io, "It runs in a cage.")}`
        : ` ${say(io, "It does not run in a cage: without bubblewrap it can do what you can.")}`
      : "";
  const about = say(
    io,
    "{0} answers{1} (MCP {2}), with {3}.",
    plainLine(server.name),
    server.server === undefined ? "" : ` ${say(io, "as {0}", visibleText(server.server))}`,
    server.protocol ?? "?",
    sayCount(io, tools.length, "1 tool", "{0} tools"),
  );
  return `${about}${cage}\n${tools.map(({ toolId, name }) => `  ${toolId}${toolId.includes(`.${name}.`) ? "" : `  ${visibleText(name)}`}\n`).join("")}`;
}

export interface LabelFlags {
  readonly toolId: string;
  /** What the owner says that it does; undefined asks them. */
  readonly label: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

const AS_LABELLED: Readonly<Record<ToolLabel, Sentence>> = {
  reads: "As a tool that only reads, it runs without asking.",
  changes: "As a tool that changes things, it asks unless you asked for it.",
  sends: "As a tool that sends things out, it asks unless you named who gets what.",
};

const LABELLED: Readonly<Record<ToolLabel, Sentence>> = {
  reads: "{0} only reads.",
  changes: "{0} changes things.",
  sends: "{0} sends things out.",
};

/** `elwood mcp label <tool> [reads|changes|sends|none]`: shows what the tool is, and what the label would mean. */
export async function labelTool(io: Io, { client }: McpDeps, flags: LabelFlags): Promise<number> {
  const { tool } = await client.call("tools.get", { toolId: flags.toolId });
  const { toolId, contractHash, description, labelling } = tool;
  if (labelling === undefined)
    fail("INVALID_INPUT", `${toolId} is no tool of an MCP server, and takes no label. Nothing was changed.`);
  const wanted = flags.label ?? tool.label ?? labelling.suggested;
  const label = wanted === "none" ? null : TOOL_LABELS.find((each) => each === wanted);
  if (label === undefined)
    fail(
      "INVALID_INPUT",
      `Say what ${toolId} does: reads, changes, sends, or none to be asked every time. Nothing was changed.`,
    );
  if (label !== null) {
    const hint =
      flags.label === undefined && tool.label === undefined ? ` ${say(io, "Its server suggests this.")}` : "";
    if (!flags.json)
      io.stderr.write(
        `${visibleText(plainLine(description))}\n${say(io, AS_LABELLED[label])}${hint} ${say(io, "If a word of it changes, it asks for every call again.")}\n`,
      );
    if (!flags.yes) {
      if (!canAsk(io)) {
        io.stderr.write(
          `${say(io, "Nothing was changed. To label it without a question: {0} mcp label {1} {2} --yes", ownName(io.env), toolId, label)}\n`,
        );
        return EXIT.failed;
      }
      if (!(await confirm(io, say(io, "Does {0} do no more than that?", toolId)))) {
        io.stderr.write(`${say(io, "Nothing was changed.")}\n`);
        return EXIT.denied;
      }
    }
  }
  await client.call("mcp.label", { toolId, contractHash, label });
  if (flags.json) io.stdout.write(`${JSON.stringify({ toolId, label })}\n`);
  else
    io.stdout.write(
      label === null
        ? `${say(io, "{0} asks for every call.", toolId)}\n`
        : `${say(io, LABELLED[label], toolId)}\n`,
    );
  return EXIT.ok;
}

/** `elwood mcp login <name>`: the address to open; with the one that the browser ended at, the end of it. */
export async function logIn(
  io: Io,
  { client }: McpDeps,
  options: {
    readonly name: string;
    readonly address?: string;
    readonly json: boolean;
    /** Between two looks whether the owner is back. */
    readonly pauseMs: number;
  },
): Promise<number> {
  const { name, address } = options;
  const { url, server } = await client.call("mcp.login", {
    name,
    ...(address === undefined ? {} : { address }),
  });
  if (options.json) io.stdout.write(`${JSON.stringify({ url, server })}\n`);
  else if (server) io.stdout.write(`${say(io, "Logged in.")} ${described(io, server)}`);
  else {
    io.stderr.write(
      `${say(io, "Open this address in your browser and log in there. It is good for ten minutes:")}\n`,
    );
    io.stdout.write(`${visibleText(url ?? "")}\n`);
    io.stderr.write(
      `${say(io, "Your browser runs elsewhere, and ends at a page that it cannot open? Paste that address: {0} mcp login {1} '<address>'", ownName(io.env), visibleText(plainLine(name)))}\n`,
    );
    return (await isLoggedIn(client, name, options.pauseMs)) ? said(io, say(io, "Logged in.")) : EXIT.failed;
  }
  return EXIT.ok;
}

function said(io: Io, words: string): number {
  io.stdout.write(`${words}\n`);
  return EXIT.ok;
}

const LOGIN_LOOKS_MAX = 600;

/** Waits for the browser: a gateway that this command runs itself must be there when it comes back. */
async function isLoggedIn(client: GatewayClient, name: string, pauseMs: number): Promise<boolean> {
  for (let look = 0; look < LOGIN_LOOKS_MAX; look++) {
    const { servers } = await client.call("mcp.list", {});
    const server = servers.find((each) => each.name === name);
    if (server === undefined) return false;
    if (server.login === "in" && server.state === "running") return true;
    await setTimeout(pauseMs);
  }
  return false;
}

/** `elwood mcp logout <name>` */
export async function logOut(
  io: Io,
  { client }: McpDeps,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  await client.call("mcp.logout", { name: options.name });
  if (options.json) io.stdout.write(`${JSON.stringify({ name: options.name, loggedOut: true })}\n`);
  else
    io.stdout.write(
      `${say(io, "Logged out: its tokens are gone from this machine. They may still be good at the service.")}\n`,
    );
  return EXIT.ok;
}

/** `elwood mcp remove <name>` */
export async function removeServer(
  io: Io,
  { client }: McpDeps,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  await client.call("mcp.remove", { name: options.name });
  if (options.json) io.stdout.write(`${JSON.stringify({ name: options.name, removed: true })}\n`);
  else
    io.stdout.write(
      `${say(io, "Removed. The tools of {0} are gone.", visibleText(plainLine(options.name)))}\n`,
    );
  return EXIT.ok;
}

/** `elwood mcp logs <name>` */
export async function showLogs(
  io: Io,
  { client }: McpDeps,
  options: { readonly name: string; readonly lines?: number; readonly json: boolean },
): Promise<number> {
  const { lines: limit } = options;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 500))
    fail("INVALID_INPUT", "--lines must be a whole number from 1 to 500.");
  const { lines } = await client.call("mcp.logs", {
    name: options.name,
    ...(limit === undefined ? {} : { limit }),
  });
  if (options.json) io.stdout.write(`${JSON.stringify({ lines })}\n`);
  else if (lines.length === 0)
    io.stderr.write(`${say(io, "It has written nothing since the gateway was started.")}\n`);
  else io.stdout.write(`${lines.map(visibleText).join("\n")}\n`);
  return EXIT.ok;
}
