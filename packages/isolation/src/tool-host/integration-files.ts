import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isToolId } from "@elwood/core/model/model";
import { err, ok, type Result } from "@elwood/core/base/result";
import { sha256 } from "@elwood/platform/system";
import { WORKSPACE_LIMITS as LIMITS } from "./limits.ts";
import { isMissingPath } from "@elwood/platform/system-error";

/** The sources of one integration, as they were read at one moment. */
export interface IntegrationFiles {
  readonly name: string;
  /** By path within the folder, tests left out: what its tools are made of. */
  readonly sources: ReadonlyMap<string, string>;
  readonly tests: ReadonlyMap<string, string>;
  /** Over the sources; another hash means other tools. */
  readonly hash: string;
}

export interface FoundIntegration {
  readonly name: string;
  readonly files: Result<IntegrationFiles, string>;
}

/** Folders that are there, in order; none where there is no folder for tools. */
export async function findIntegrations(toolsDir: string): Promise<FoundIntegration[]> {
  let names: string[];
  try {
    names = await integrationNames(toolsDir);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    return [{ name: ".", files: err(`the folder cannot be read (${String(cause.code)}).`) }];
  }
  const taken = names.slice(0, LIMITS.integrationsMax);
  const found = await Promise.all(
    taken.map(async (name) => ({ name, files: await readIntegration(toolsDir, name) })),
  );
  const left = names.slice(LIMITS.integrationsMax).map((name) => ({
    name,
    files: err(`it was left out: there are ${LIMITS.integrationsMax} integrations already.`),
  }));
  return [...found, ...left];
}

/** Folders, and links that look like folders and are told about. */
export async function integrationNames(toolsDir: string): Promise<string[]> {
  try {
    const entries = await readdir(toolsDir, { withFileTypes: true });
    return entries
      .filter(
        (entry) =>
          (entry.isDirectory() || entry.isSymbolicLink()) && !/^[._]|^node_modules$/.test(entry.name),
      )
      .map((entry) => entry.name)
      .toSorted();
  } catch (cause) {
    if (isMissingPath(cause)) return [];
    throw cause;
  }
}

/** The error completes "tools/<name>: …". */
export async function readIntegration(
  toolsDir: string,
  name: string,
): Promise<Result<IntegrationFiles, string>> {
  const problem = nameProblem(name);
  if (problem !== undefined) return err(problem);
  const folder = join(toolsDir, name);
  try {
    if (!(await lstat(folder)).isDirectory())
      return err("it is no folder. Links are not followed; put the files themselves there.");
    const paths = await sourcePaths(folder);
    if (paths.length > LIMITS.filesMax) return err(`it has more than ${LIMITS.filesMax} files.`);
    const sources = new Map<string, string>();
    const tests = new Map<string, string>();
    let bytes = 0;
    for (const path of paths) {
      const text = await readFile(join(folder, path), "utf8");
      bytes += text.length;
      if (text.length > LIMITS.fileBytesMax)
        return err(`${path} is longer than ${LIMITS.fileBytesMax} bytes.`);
      if (bytes > LIMITS.folderBytesMax)
        return err(`its files have more than ${LIMITS.folderBytesMax} bytes.`);
      (isTestName(path) ? tests : sources).set(path, text);
    }
    return ok({ name, sources, tests, hash: sourcesHash(sources) });
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    return err(
      isMissingPath(cause) ? `there is no folder ${folder}.` : `it cannot be read (${String(cause.code)}).`,
    );
  }
}

/** Over the sources of an integration, by path within its folder, in the order in which its folders are read. */
export function sourcesHash(sources: ReadonlyMap<string, string>): string {
  const sorted = [...sources].toSorted(([a], [b]) => inFolderOrder(a.split("/"), b.split("/")));
  return sha256(`elwood.tools.v1\n${JSON.stringify(sorted)}`);
}

function inFolderOrder([a = "", ...inA]: readonly string[], [b = "", ...inB]: readonly string[]): number {
  if (a !== b) return a < b ? -1 : 1;
  return inA.length === 0 || inB.length === 0 ? 0 : inFolderOrder(inA, inB);
}

/** Whether a file is part of what an integration's tools are made of. */
export function isToolSource(path: string): boolean {
  return isSourceName(path) && !isTestName(path);
}

const RESERVED = ["owner", "program", "files", "shell", "web", "browser", "memory", "workspace"];

/** Elwood's own names stay its own: the owner must be able to trust what they stand for. */
export function nameProblem(name: string): string | undefined {
  if (!isToolId(`${name}.x.x`))
    return "its name cannot begin the id of a tool. Use letters and digits, such as posthog.";
  return RESERVED.includes(name.toLowerCase())
    ? `the name ${name} is kept for Elwood's own tools. Choose another.`
    : undefined;
}

const DEPTH_MAX = 4;

function isSourceName(name: string): boolean {
  return /\.(ts|js|mjs|json)$/.test(name) && !name.endsWith(".d.ts");
}

function isTestName(name: string): boolean {
  return /\.test\.\w+$/.test(name);
}

async function sourcePaths(folder: string, below = "", depth = 0): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (paths.length > LIMITS.filesMax) break;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isFile() && isSourceName(entry.name)) paths.push(path);
    else if (entry.isDirectory() && depth < DEPTH_MAX)
      paths.push(...(await sourcePaths(folder, path, depth + 1)));
  }
  return paths;
}
