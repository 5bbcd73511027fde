import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissingPath } from "@elwood/platform/system-error";

/**
 * The folder of a restore that was broken off after it had begun to move things, and has to be
 * finished; undefined where there is none. Apart from the rest, because every start asks.
 */
export async function unfinishedRestore(home: string): Promise<string | undefined> {
  for (const name of await namesIn(home)) {
    if (!name.startsWith(".restore-")) continue;
    const parts = await namesIn(join(home, name));
    if (parts.includes("aside") || parts.includes("in")) return name;
  }
  return undefined;
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissingPath(error)) return [];
    throw error;
  }
}
