import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { errorCode } from "@elwood/platform/system-error";
import type { Log } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import { listedTool, type ListedTool } from "./listed-tool.ts";
import { MCP_LIMITS } from "./limits.ts";

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

/** The list that was stored for this very server; undefined where there is none that can be used. */
export async function readKnownList(
  path: string,
  identity: string,
  log: Log,
): Promise<KnownList | undefined> {
  try {
    if ((await stat(path)).size > MCP_LIMITS.cacheFileBytesMax) return undefined;
    const read = shape().safeParse(JSON.parse(await readFile(path, "utf8")));
    return read.success && read.data.identity === identity ? read.data : undefined;
  } catch (error) {
    if (errorCode(error) !== "ENOENT")
      log.warn("the list of an MCP server's tools could not be read", { path, error });
    return undefined;
  }
}

export async function writeKnownList(path: string, list: KnownList, log: Log): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, JSON.stringify(list), { mode: 0o600 });
  } catch (error) {
    log.warn("the list of an MCP server's tools could not be stored", { path, error });
  }
}

export async function forgetKnownList(path: string): Promise<void> {
  await rm(path, { force: true });
}
