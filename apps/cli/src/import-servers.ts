import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@elwood/core/base/is-record";
import { FailureError } from "@elwood/core/base/failure";
import { plainLine } from "@elwood/core/message/session-text";
import type { MethodParams } from "@elwood/core/protocol/methods";
import { unpinnedPackage, unpinnedReason } from "@elwood/gateway/config/mcp-pin";
import { isMissing } from "@elwood/platform/system-error";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, ownName, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";

type Added = MethodParams<"mcp.add">;

/** A server in the settings of another program, and why it is not taken over, if it is not. */
export interface Planned {
  readonly from: string;
  readonly server: Added;
  readonly left?: string;
}

const FILE_BYTES_MAX = 8 * 1024 * 1024;
const SERVERS_MAX = 64;

/** Where other assistants keep their MCP servers, from the home folder. */
const PLACES: readonly { readonly program: string; readonly path: readonly string[] }[] = [
  { program: "Claude Desktop", path: [".config", "Claude", "claude_desktop_config.json"] },
  {
    program: "Claude Desktop",
    path: ["Library", "Application Support", "Claude", "claude_desktop_config.json"],
  },
  { program: "Claude Code", path: [".claude.json"] },
  { program: "Codex", path: [".codex", "config.toml"] },
  { program: "OpenClaw", path: [".openclaw", "openclaw.json"] },
];

export interface ImportOptions {
  /** A file of one of these programs; all that are found unless told. */
  readonly file?: string;
  readonly apply: boolean;
  readonly json: boolean;
  readonly home: string;
}

/** `elwood mcp import [file]`: shows what would be taken over from other assistants; `--apply` does it. Nothing is granted by it. */
export async function importServers(io: Io, client: GatewayClient, options: ImportOptions): Promise<number> {
  const plan = await planned(client, options);
  const wanted = plan.filter(({ left }) => left === undefined);
  const results: { readonly name: string; readonly problem?: string }[] = [];
  if (options.apply)
    for (const { server } of wanted) {
      try {
        const { problem } = await client.call("mcp.add", server);
        results.push({ name: server.name, ...(problem === undefined ? {} : { problem }) });
      } catch (error) {
        if (!(error instanceof FailureError)) throw error;
        results.push({ name: server.name, problem: error.failure.message });
      }
    }
  const failed = results.some(({ problem }) => problem !== undefined);
  if (options.json) {
    const shown = plan.map(({ from, server, left }) => ({ from, name: server.name, ...(left && { left }) }));
    io.stdout.write(`${JSON.stringify({ plan: shown, ...(options.apply ? { results } : {}) })}\n`);
    return failed ? EXIT.failed : EXIT.ok;
  }
  if (plan.length === 0) {
    io.stderr.write("No MCP servers of other assistants were found.\n");
    return EXIT.ok;
  }
  for (const { from, server, left } of plan) {
    const what = server.url ?? [server.command, ...(server.args ?? [])].join(" ");
    io.stdout.write(
      `${left === undefined ? "+" : "-"} ${shown(server.name)}  ${shown(what)}  (${shown(from)})\n`,
    );
    if (left !== undefined) io.stdout.write(`    ${shown(left)}\n`);
  }
  for (const { name, problem } of results)
    io.stderr.write(
      problem === undefined ? `Added ${shown(name)}.\n` : `${shown(name)}: ${shown(problem)}\n`,
    );
  if (!options.apply && wanted.length > 0)
    io.stderr.write(
      `Nothing was changed. Those with + are programs that run with your rights, or addresses that get what is asked. Take them over: ${ownName(io.env)} mcp import --apply\n`,
    );
  return failed ? EXIT.failed : EXIT.ok;
}

const shown = (text: string) => visibleText(plainLine(text));

async function planned(client: GatewayClient, { file, home }: ImportOptions): Promise<readonly Planned[]> {
  const { servers } = await client.call("mcp.list", {});
  const taken = new Set(servers.map(({ name }) => name));
  const places =
    file === undefined
      ? PLACES.map(({ program, path }) => ({ program, path: join(home, ...path) }))
      : [{ program: file, path: file }];
  const found: Planned[] = [];
  for (const { program, path } of places) {
    const text = await readIfThere(path, file !== undefined);
    if (text === undefined) continue;
    for (const [name, written] of serversIn(path, text)) {
      if (found.length >= SERVERS_MAX) return found;
      const read = readServer(name, written);
      const left = taken.has(read.server.name) ? "There is a server of this name already." : read.left;
      taken.add(read.server.name);
      found.push({ from: program, server: read.server, ...(left === undefined ? {} : { left }) });
    }
  }
  return found;
}

async function readIfThere(path: string, named: boolean): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > FILE_BYTES_MAX) return undefined;
    return await readFile(path, "utf8");
  } catch (error) {
    if (!named && isMissing(error)) return undefined;
    throw error;
  }
}

/** The entries of a file, whichever of the programs wrote it. */
function serversIn(path: string, text: string): readonly (readonly [string, Record<string, unknown>])[] {
  const value = path.endsWith(".toml") ? readToml(text) : readJson(text);
  if (!isRecord(value)) return [];
  const { mcpServers, mcp_servers: ofCodex, mcp, projects } = value;
  const tables = [mcpServers, ofCodex, isRecord(mcp) ? mcp["servers"] : undefined];
  // Claude Code keeps some by the folder that they are for.
  if (isRecord(projects))
    for (const project of Object.values(projects))
      tables.push(isRecord(project) ? project["mcpServers"] : undefined);
  return tables
    .filter(isRecord)
    .flatMap((table) =>
      Object.entries(table).flatMap(([name, each]) => (isRecord(each) ? [[name, each] as const] : [])),
    );
}

function readServer(name: string, written: Record<string, unknown>): Pick<Planned, "server" | "left"> {
  const safe =
    name
      .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 64) || "server";
  const { command, args, env, url, headers, cwd, bearer_token_env_var: tokenName } = written;
  const texts = (given: unknown) =>
    isRecord(given)
      ? Object.fromEntries(
          Object.entries(given).flatMap(([key, value]) =>
            typeof value === "string" ? [[key, variables(value)]] : [],
          ),
        )
      : undefined;
  if (typeof url === "string") {
    const given = {
      ...texts(headers),
      ...(typeof tokenName === "string" && { Authorization: `Bearer \${${tokenName}}` }),
    };
    return { server: { name: safe, url, ...(Object.keys(given).length > 0 ? { headers: given } : {}) } };
  }
  if (typeof command !== "string")
    return { server: { name: safe }, left: "It has neither a command nor an address." };
  const words = Array.isArray(args) ? args.map(String) : [];
  const server: Added = {
    name: safe,
    command,
    ...(words.length > 0 ? { args: words } : {}),
    ...(isRecord(env) ? { env: texts(env) } : {}),
    ...(typeof cwd === "string" ? { cwd } : {}),
  };
  const unpinned = unpinnedPackage(command, words);
  return unpinned === undefined ? { server } : { server, left: unpinnedReason(safe, unpinned) };
}

/** `${env:NAME}` and `${NAME:-…}`, as others write it, is `${NAME}` here. */
function variables(value: string): string {
  return value.replaceAll(/\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}/g, "${$1}");
}

/** With comments and commas at the end, as OpenClaw allows them. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const plain = text.replaceAll(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_all, kept: string | undefined) => kept ?? "",
  );
  try {
    return JSON.parse(
      plain.replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_all, kept: string | undefined) => kept ?? ""),
    );
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** As much of TOML as Codex writes for its servers: tables, and keys with texts, lists and tables of texts on one line. */
function readToml(text: string): Record<string, unknown> {
  const servers: Record<string, Record<string, unknown>> = {};
  let at: Record<string, unknown> | undefined;
  for (const line of text.split("\n")) {
    const header = /^\s*\[mcp_servers\.("?)([^\]".]+)\1(?:\.(env|http_headers))?\]\s*$/.exec(line);
    if (header) {
      const server = (servers[header[2] ?? ""] ??= {});
      const nested: Record<string, unknown> = {};
      const key = header[3] === "http_headers" ? "headers" : header[3];
      if (key !== undefined) server[key] = nested;
      at = key === undefined ? server : nested;
    } else if (/^\s*\[/.test(line)) at = undefined;
    const pair = /^\s*"?([A-Za-z0-9_-]+)"?\s*=\s*(.+?)\s*$/.exec(line);
    if (at && pair) at[pair[1] ?? ""] = tomlValue(pair[2] ?? "");
  }
  return { mcp_servers: servers };
}

function tomlValue(text: string): unknown {
  const json = text
    .replaceAll(/'([^']*)'/g, (_all, words: string) => JSON.stringify(words))
    .replace(
      /^\{(.*)\}$/,
      (_all, inner: string) => `{${inner.replaceAll(/"?([A-Za-z0-9_-]+)"?\s*=\s*(?=")/g, '"$1": ')}}`,
    )
    .replace(/,\s*\]$/, "]");
  const read = readJson(json);
  return read === undefined ? text : read;
}
