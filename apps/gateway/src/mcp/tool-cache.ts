import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { isMissing } from "@elwood/platform/system-error";
import type { Log } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import { listedTool, type ListedTool } from "./listed-tool.ts";
import { MCP_LIMITS } from "./limits.ts";
import type { ServerSettings } from "./server-settings.ts";

/** What a server was when it last listed its tools. */
export interface KnownList {
  readonly identity: string;
  readonly era: "legacy" | "modern";
  readonly at: number;
  readonly tools: readonly ListedTool[];
  /** What of its list was left out, and why. */
  readonly problems: readonly string[];
}

const shape = () =>
  z.object({
    identity: z.string(),
    era: z.enum(["legacy", "modern"]),
    at: z.number(),
    tools: z.array(listedTool()).max(MCP_LIMITS.toolsPerServerMax),
    problems: z.array(z.string()),
  });

/**
 * The lists of all servers lie in one folder, each in a file named for the very server: whether one has listed
 * its tools can be seen without reading any of them.
 */
const folderOf = (home: string) => join(home, "cache", "mcp");

function fileOf({ part, identity }: ServerSettings): string {
  return `${part}.${identity.slice(0, IDENTITY_CHARS)}.json`;
}

const IDENTITY_CHARS = 16;

/** Tells which servers have a list that was stored. */
export async function listedServers(home: string): Promise<(settings: ServerSettings) => boolean> {
  const files = new Set(await filesIn(folderOf(home)));
  return (settings) => files.has(fileOf(settings));
}

/** The list that was stored for this very server; undefined where there is none that can be used. */
export async function readKnownList(
  home: string,
  settings: ServerSettings,
  log: Log,
): Promise<KnownList | undefined> {
  const path = join(folderOf(home), fileOf(settings));
  try {
    if ((await stat(path)).size > MCP_LIMITS.cacheFileBytesMax) return undefined;
    const read = shape().safeParse(JSON.parse(await readFile(path, "utf8")));
    return read.success && read.data.identity === settings.identity ? read.data : undefined;
  } catch (error) {
    if (!isMissing(error)) log.warn("the list of an MCP server's tools could not be read", { path, error });
    return undefined;
  }
}

export async function writeKnownList(
  home: string,
  settings: ServerSettings,
  list: KnownList,
  log: Log,
): Promise<void> {
  const path = join(folderOf(home), fileOf(settings));
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, JSON.stringify(list), { mode: 0o600 });
  } catch (error) {
    log.warn("the list of an MCP server's tools could not be stored", { path, error });
  }
}

/** Lists of servers that are configured no more, or otherwise, go. */
export async function sweepKnownLists(home: string, configured: readonly ServerSettings[]): Promise<void> {
  const wanted = new Set(configured.map(fileOf));
  for (const file of await filesIn(folderOf(home)))
    if (!wanted.has(file)) await rm(join(folderOf(home), file), { force: true });
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
