import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { StdioWay } from "./server-settings.ts";

/** A bubblewrap that was seen to work here. */
export interface ServerCage {
  readonly path: string;
  readonly users: boolean;
  readonly noNestedUsers: boolean;
}

export type CageReport =
  | { readonly ok: true; readonly cage: ServerCage }
  | { readonly ok: false; readonly reason: string };

export interface CagedServer {
  /** The program as it was found, with its full path. */
  readonly program: string;
  readonly way: StdioWay;
  /** The server's own folder, which it may change. */
  readonly home: string;
  readonly cwd: string;
  /** Elwood's state, of which nothing is there but `home`. */
  readonly hidden: readonly string[];
}

const SYSTEM_FOLDERS = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/gnu/store",
];
const SYSTEM_FILES = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/alternatives",
  "/etc/localtime",
  "/etc/passwd",
  "/etc/group",
  "/etc/nsswitch.conf",
  "/etc/mime.types",
];
const NETWORK_FILES = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/host.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/pki/tls/certs",
];

/**
 * The command that starts a server in its cage. In there exist the system's programs, what the
 * settings name (its program, paths among its arguments and `cwd`, to read; `folders`, as they say), a
 * folder of its own, and nothing else; of Elwood's state nothing at all. Without `network` it has none.
 */
export function cagedCommand(cage: ServerCage, server: CagedServer): { file: string; args: string[] } {
  const { program, way, home, cwd, hidden } = server;
  const read = [...new Set([nodeFolder(), packageFolder(program), ...way.args.flatMap(named), cwd])];
  const isOwn = (path: string) => isUnder(realPath(path), hidden);
  const readable = read.filter((path) => !isSystem(path) && !isOwn(path));
  const folders = way.folders.filter(({ path }) => !isOwn(path));
  return {
    file: cage.path,
    args: [
      ...(cage.users ? ["--unshare-user"] : []),
      ...(cage.noNestedUsers ? ["--disable-userns"] : []),
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
      ...(way.network ? [] : ["--unshare-net"]),
      "--die-with-parent",
      "--new-session",
      "--cap-drop",
      "ALL",
      ...SYSTEM_FOLDERS.flatMap(systemFolder),
      ...[...SYSTEM_FILES, ...(way.network ? NETWORK_FILES : [])].flatMap((path) => [
        "--ro-bind-try",
        path,
        path,
      ]),
      "--proc",
      "/proc",
      "--dev",
      "/dev",
      "--tmpfs",
      "/tmp",
      ...readable.flatMap((path) => ["--ro-bind-try", path, path]),
      ...folders.flatMap(({ path, write }) => [write ? "--bind-try" : "--ro-bind-try", path, path]),
      ...hidden
        .filter((path) => isUnder(path, [...readable, ...folders.map((each) => each.path)].map(realPath)))
        .flatMap(hide),
      "--bind",
      home,
      home,
      "--chdir",
      cwd,
      "--",
      program,
      ...way.args,
    ],
  };
}

/** Where the Node of this process lies with what belongs to it, such as npx. */
function nodeFolder(): string {
  return dirname(dirname(realpathSync(process.execPath)));
}

/** A path among the arguments that is there: the owner named it, so the server may read it. */
function named(argument: string): string[] {
  const path =
    argument.startsWith("--") && argument.includes("=")
      ? argument.slice(argument.indexOf("=") + 1)
      : argument;
  if (!isAbsolute(path)) return [];
  const kind = kindOf(path);
  if (kind === "missing") return [];
  return [kind === "folder" ? path : packageFolder(path)];
}

const PACKAGE_DEPTH_MAX = 6;

/** A script needs what it is installed with: the folder of its package, or its own. */
function packageFolder(file: string): string {
  const start = dirname(realpathSync(file));
  let folder = start;
  for (let depth = 0; depth < PACKAGE_DEPTH_MAX && folder !== "/"; depth++) {
    if (kindOf(`${folder}/package.json`) === "file" || kindOf(`${folder}/pyproject.toml`) === "file") {
      // A package that was installed finds its dependencies beside it.
      const modules = folder.lastIndexOf("/node_modules/");
      return modules === -1 ? folder : folder.slice(0, modules + "/node_modules".length);
    }
    folder = dirname(folder);
  }
  return start;
}

function kindOf(path: string): "file" | "folder" | "missing" {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch (error) {
    if (error instanceof Error && "code" in error) return "missing";
    throw error;
  }
}

function isSystem(path: string): boolean {
  return path === "/" || isUnder(path, SYSTEM_FOLDERS);
}

function isUnder(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => `${resolve(path)}/`.startsWith(`${resolve(folder)}/`));
}

/** Links resolved: what a link leads to is what would be seen. */
function realPath(path: string): string {
  return kindOf(path) === "missing" ? path : realpathSync(path);
}

function hide(path: string): string[] {
  return kindOf(path) === "file" ? ["--ro-bind", "/dev/null", path] : ["--tmpfs", path];
}

/** As it is on this machine: on most, `/bin` is a link into `/usr`. */
function systemFolder(path: string): string[] {
  try {
    return lstatSync(path).isSymbolicLink()
      ? ["--symlink", readlinkSync(path), path]
      : ["--ro-bind", path, path];
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
