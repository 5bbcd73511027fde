import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@elwood/core/base/is-record";
import { FailureError } from "@elwood/core/base/failure";
import { plainLine } from "@elwood/core/message/session-text";
import type { MethodParams } from "@elwood/core/protocol/methods";
import { unpinnedPackage, unpinnedReason } from "@elwood/gateway/config/mcp-pin";
import { errorCode, isMissing } from "@elwood/platform/system-error";
import type { GatewayClient } from "@elwood/sdk/client";
import { plannedSkills, takeSkill, type PlannedSkill } from "./import-skills.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";
import { failureText, say, sayCount, type Speaking } from "./words/say.ts";

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
  /** Where skills are copied to. */
  readonly workspaceDir: string;
}

interface Taken {
  readonly name: string;
  readonly problem?: string;
}

/**
 * `elwood mcp import [file]`: shows which servers and skills would be taken over from other assistants;
 * `--apply` does it. Nothing is granted by it.
 */
export async function importServers(io: Io, client: GatewayClient, options: ImportOptions): Promise<number> {
  // A program that reads the document reads the same in every language.
  const told = options.json ? {} : io;
  const plan = await planned(told, client, options);
  const { skills, problems } =
    options.file === undefined
      ? await plannedSkills(told, options.home, options.workspaceDir)
      : { skills: [], problems: [] };
  const wanted = [...plan, ...skills].filter(({ left }) => left === undefined);
  const results = options.apply ? await take(told, client, plan, skills, options.workspaceDir) : [];
  const failed = results.some(({ problem }) => problem !== undefined);
  if (options.json) {
    const servers = plan.map(({ from, server, left }) => ({
      from,
      name: server.name,
      ...(left && { left }),
    }));
    const document = { plan: servers, skills, problems, ...(options.apply ? { results } : {}) };
    io.stdout.write(`${JSON.stringify(document)}\n`);
    return failed ? EXIT.failed : EXIT.ok;
  }
  for (const problem of problems) io.stderr.write(`! ${shown(problem)}\n`);
  if (plan.length + skills.length === 0) {
    io.stderr.write(`${say(io, "No MCP servers or skills of other assistants were found.")}\n`);
    return EXIT.ok;
  }
  for (const { from, server, left } of plan) {
    const what = server.url ?? [server.command, ...(server.args ?? [])].join(" ");
    io.stdout.write(
      `${left === undefined ? "+" : "-"} ${shown(server.name)}  ${shown(what)}  (${shown(from)})\n`,
    );
    if (left !== undefined) io.stdout.write(`    ${shown(left)}\n`);
  }
  for (const { from, name, description, files, left } of skills) {
    const size = sayCount(io, files.length, "1 file", "{0} files");
    io.stdout.write(
      `${left === undefined ? "+" : "-"} ${say(io, "skill {0}", shown(name))}  ${shown(description)}  (${shown(from)}, ${size})\n`,
    );
    if (left !== undefined) io.stdout.write(`    ${shown(left)}\n`);
  }
  for (const { name, problem } of results)
    io.stderr.write(
      problem === undefined
        ? `${say(io, "Added {0}.", shown(name))}\n`
        : `${shown(name)}: ${shown(problem)}\n`,
    );
  if (!options.apply && wanted.length > 0)
    io.stderr.write(
      `${say(io, "Nothing was changed. Servers with + are programs that run with your rights, or addresses that get what is asked; skills are texts that the assistant follows. Take them over: {0} mcp import --apply", ownName(io.env))}\n`,
    );
  return failed ? EXIT.failed : EXIT.ok;
}

async function take(
  io: Speaking,
  client: GatewayClient,
  plan: readonly Planned[],
  skills: readonly PlannedSkill[],
  workspaceDir: string,
): Promise<readonly Taken[]> {
  const results: Taken[] = [];
  for (const { server, left } of plan) {
    if (left !== undefined) continue;
    try {
      const { problem } = await client.call("mcp.add", server);
      results.push({ name: server.name, ...(problem === undefined ? {} : { problem }) });
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      results.push({ name: server.name, problem: failureText(io, error.failure) });
    }
  }
  for (const skill of skills) {
    if (skill.left !== undefined) continue;
    const name = say(io, "the skill {0}", skill.name);
    try {
      await takeSkill(skill, workspaceDir);
      results.push({ name });
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      results.push({
        name,
        problem: say(io, "It could not be copied ({0}). Nothing of it is there.", errorCode(error) ?? ""),
      });
    }
  }
  return results;
}

const shown = (text: string) => visibleText(plainLine(text));

async function planned(
  io: Speaking,
  client: GatewayClient,
  { file, home }: ImportOptions,
): Promise<readonly Planned[]> {
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
    for (const [name, written] of await serversIn(path, text)) {
      if (found.length >= SERVERS_MAX) return found;
      const read = readServer(io, name, written);
      const left = taken.has(read.server.name)
        ? say(io, "There is a server of this name already.")
        : read.left;
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
async function serversIn(
  path: string,
  text: string,
): Promise<readonly (readonly [string, Record<string, unknown>])[]> {
  const value = path.endsWith(".toml") ? await readToml(text) : readJson(text);
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

function readServer(
  io: Speaking,
  name: string,
  written: Record<string, unknown>,
): Pick<Planned, "server" | "left"> {
  const safe =
    name
      .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 64) || "server";
  const { command, args, env, url, headers, cwd, bearer_token_env_var: tokenName } = written;
  const { http_headers: ofCodex } = written;
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
      ...texts(ofCodex),
      ...(typeof tokenName === "string" && { Authorization: `Bearer \${${tokenName}}` }),
    };
    return { server: { name: safe, url, ...(Object.keys(given).length > 0 ? { headers: given } : {}) } };
  }
  if (typeof command !== "string")
    return { server: { name: safe }, left: say(io, "It has neither a command nor an address.") };
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

/** Codex writes TOML; what is none has no servers. */
async function readToml(text: string): Promise<unknown> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
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
