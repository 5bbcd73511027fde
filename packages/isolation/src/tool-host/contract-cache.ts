import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { json, parseListing } from "./from-host.ts";
import { WORKSPACE_LIMITS } from "./limits.ts";
import type { ListedTool } from "./wire.ts";

/**
 * What integrations said of their tools, by the hash of their sources, so that a start of the
 * gateway need not run them. It can be deleted at any time: what is missing is asked for again.
 */
export interface ContractCache {
  read(hash: string): Promise<readonly ListedTool[] | undefined>;
  write(hash: string, tools: readonly ListedTool[]): Promise<void>;
}

/** Another version of Elwood may read modules differently, and asks anew. */
export function contractCache(folder: string, version: string): ContractCache {
  const fileOf = (hash: string) => join(folder, `${hash}.json`);
  return {
    async read(hash) {
      const kept = json(await textOf(fileOf(hash)));
      if (typeof kept !== "object" || kept === null || !("version" in kept) || !("tools" in kept))
        return undefined;
      return kept.version === version ? parseListing(kept.tools) : undefined;
    },
    async write(hash, tools) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFileAtomic(fileOf(hash), JSON.stringify({ version, tools }), { mode: 0o600 });
        await forgetOldest(folder);
      } catch (cause) {
        // Without it the next start asks again; nothing else is lost.
        if (!(cause instanceof Error && "code" in cause)) throw cause;
      }
    },
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    return "";
  }
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= WORKSPACE_LIMITS.cacheFilesMax) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const oldest = aged.toSorted((a, b) => a.at - b.at).slice(0, names.length - WORKSPACE_LIMITS.cacheFilesMax);
  for (const { name } of oldest) await rm(join(folder, name), { force: true });
}
