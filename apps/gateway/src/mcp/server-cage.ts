import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import {
  NETWORK_FILES,
  ownDevices,
  ownWorld,
  readable,
  SEALED,
  SYSTEM_FILES,
  SYSTEM_FOLDERS,
  systemFolders,
  type Bubblewrap,
} from "@elwood/platform/bubblewrap";
import type { StdioWay } from "./server-settings.ts";

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

/**
 * The command that starts a server in its cage. In there exist the system's programs, what the
 * settings name (its program, paths among its arguments and `cwd`, to read; `folders`, as they say), a
 * folder of its own, and nothing else; of Elwood's state nothing at all. Without `network` it has none.
 */
export function cagedCommand(cage: Bubblewrap, server: CagedServer): { file: string; args: string[] } {
  const { program, way, home, cwd, hidden } = server;
  const read = [...new Set([nodeFolder(), packageFolder(program), ...way.args.flatMap(named), cwd])];
  const isOwn = (path: string) => isUnder(realPath(path), hidden);
  const seen = read.filter((path) => !isSystem(path) && !isOwn(path));
  const folders = way.folders.filter(({ path }) => !isOwn(path));
  return {
    file: cage.path,
    args: [
      ...ownWorld(cage, way),
      ...systemFolders(SYSTEM_FOLDERS),
      ...readable([...SYSTEM_FILES, ...(way.network ? NETWORK_FILES : [])]),
      ...ownDevices(["--tmpfs", "/dev/shm"]),
      "--tmpfs",
      "/tmp",
      ...readable(seen),
      ...folders.flatMap(({ path, write }) => [write ? "--bind-try" : "--ro-bind-try", path, path]),
      ...hidden
        .filter((path) => isUnder(path, [...seen, ...folders.map((each) => each.path)].map(realPath)))
        .flatMap(hide),
      "--bind",
      home,
      home,
      ...SEALED,
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
