import { isAbsolute, resolve } from "node:path";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { showLine } from "@elwood/core/base/show";
import { sha256 } from "@elwood/platform/system";
import type { Config } from "../config/schema.ts";
import { unpinnedPackage, unpinnedProblem, unpinnedReason } from "../config/mcp-pin.ts";
import { MCP_LIMITS } from "./limits.ts";
import type { LoginSettings } from "./oauth-login.ts";
import { serverPart } from "./tool-names.ts";

/** One entry of `mcpServers`, as it is written. */
export type WrittenServer = NonNullable<Config["mcpServers"]>[string];

export interface ServerSettings {
  readonly name: string;
  /** Stands for the server in tool ids and in names of files. */
  readonly part: string;
  /** Hash over what is started, or where it is reached: with another command it is another server. */
  readonly identity: string;
  readonly way: StdioWay | HttpWay;
  readonly timeoutMs: number;
}

/** A program of this machine that speaks over its standard input and output. */
export interface StdioWay {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly network: boolean;
  readonly folders: readonly ServerFolder[];
}

export interface ServerFolder {
  readonly path: string;
  readonly write: boolean;
}

export interface HttpWay {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the owner says about logging in, if anything. */
  readonly oauth?: LoginSettings | undefined;
}

/** A server that can be used, or one that is switched off and why, in a sentence. */
export type ReadServer =
  | {
      readonly name: string;
      readonly settings: ServerSettings;
      readonly off?: undefined;
      readonly wanted?: true;
    }
  /** `wanted`: the owner switched it off, or has been told at the start. */
  | {
      readonly name: string;
      readonly settings?: undefined;
      readonly off: string;
      readonly why: string;
      readonly wanted?: true;
    };

/** Variables that make programs load or run something else than what the settings name. */
const LOADERS =
  /^(?:path|home|ifs|env|shell|shellopts|bashopts|bash_env|bash_func_.*|ps4|prompt_command|ld_.*|dyld_.*|glibc_tunables|gconv_path|node_options|node_path|node_repl_.*|npm_config_.*|python(?:path|home|startup|inspect|breakpoint|warnings)|perl5(?:opt|lib|db)|perllib|rubyopt|rubylib|gem_(?:home|path)|java_tool_options|_java_options|jdk_java_options|classpath|dotnet_startup_hooks|coreclr_.*|git_ssh.*|git_exec_path|git_config.*|elwood_.*|proj_jarvis_.*|gateway_auth_token)$/i;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Reads an entry. `home` is Elwood's own folder, of which no server sees anything. */
export function readServer(name: string, written: WrittenServer, home: string): ReadServer {
  const off = (why: string): ReadServer => ({
    name,
    off: `The MCP server "${showLine(name)}" is off: ${why}`,
    why,
  });
  if (written.enabled === false) return { ...off("the settings say `enabled: false`."), wanted: true };
  const unpinned =
    written.command === undefined ? undefined : unpinnedPackage(written.command, written.args ?? []);
  if (unpinned !== undefined)
    return { name, off: unpinnedReason(name, unpinned), why: unpinnedProblem(unpinned), wanted: true };
  if ((written.command === undefined) === (written.url === undefined))
    return off(
      "its settings need either `command`, for a program of this machine, or `url`, for one elsewhere.",
    );
  const missing = missingVariable({
    ...written.env,
    ...written.headers,
    ...(written.oauth?.secret !== undefined && { secret: written.oauth.secret }),
  });
  if (missing !== undefined) return off(`it reads the variable ${missing}, which is not set.`);
  const way = written.url === undefined ? stdioWay(written, home) : httpWay(written.url, written);
  if (typeof way === "string") return off(way);
  return {
    name,
    settings: {
      name,
      part: serverPart(name),
      identity: sha256(`elwood.mcp-server.v1\n${canonicalJson(identityOf(way))}`),
      way,
      timeoutMs: written.timeoutMs ?? MCP_LIMITS.callMs,
    },
  };
}

/** Values of variables and headers are secrets that may be renewed; by their names they count. */
function identityOf(way: StdioWay | HttpWay): unknown {
  if (way.kind === "http") return { url: way.url };
  return { command: way.command, args: way.args, env: Object.keys(way.env).sort(), cwd: way.cwd ?? null };
}

function stdioWay(written: WrittenServer, home: string): StdioWay | string {
  const { command = "", args = [], env = {}, cwd, network = true, folders = [] } = written;
  if (written.oauth !== undefined) return "`oauth` belongs to a `url`, not to a `command`.";
  if (Object.keys(env).length > MCP_LIMITS.envMax)
    return `it is given more than ${MCP_LIMITS.envMax} variables.`;
  for (const [variable, value] of Object.entries(env)) {
    if (!VARIABLE.test(variable)) return `\`${showLine(variable)}\` is no name of a variable.`;
    if (LOADERS.test(variable))
      return `the variable ${variable} can make its program run something else. Take it out of \`env\`.`;
    if (value.length > MCP_LIMITS.envValueCharsMax) return `the value of ${variable} is too long.`;
  }
  if (folders.length > MCP_LIMITS.foldersMax)
    return `it is given more than ${MCP_LIMITS.foldersMax} folders.`;
  const open = folders.map((folder) =>
    typeof folder === "string"
      ? { path: folder, write: false }
      : { path: folder.path, write: folder.write ?? false },
  );
  for (const path of [...open.map((folder) => folder.path), ...(cwd === undefined ? [] : [cwd])]) {
    if (!isAbsolute(path)) return `\`${showLine(path)}\` is no full path of a folder.`;
    if (isInside(path, home)) return `${showLine(path)} lies in Elwood's own folder.`;
  }
  return { kind: "stdio", command, args, env, cwd, network, folders: open };
}

function httpWay(written: string, { headers = {}, oauth, cwd, args, env }: WrittenServer): HttpWay | string {
  if (cwd !== undefined || args !== undefined || env !== undefined)
    return "`args`, `env` and `cwd` belong to a `command`, not to a `url`.";
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol))
    return "its `url` is no address that begins with https:// or http://.";
  if (url.username !== "" || url.password !== "")
    return "its `url` has a password in it. Put it into `headers`, as ${NAME}.";
  if (oauth?.secret !== undefined && oauth.id === undefined)
    return "its `oauth` has a secret, and no `id` of the client that it belongs to.";
  // RFC 6749: what a scope is written in.
  const scope = oauth?.scopes?.find((each) => !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(each));
  if (scope !== undefined) return `\`${showLine(scope)}\` is no scope: name each by itself.`;
  url.hash = "";
  return { kind: "http", url: url.href, headers, ...(oauth && { oauth }) };
}

function missingVariable(values: Readonly<Record<string, string>>): string | undefined {
  for (const value of Object.values(values)) {
    const name = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/.exec(value)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

function isInside(path: string, folder: string): boolean {
  return `${resolve(path)}/`.startsWith(`${resolve(folder)}/`);
}
