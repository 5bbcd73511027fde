import type { BigIntStats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { FileProblem, isMissing, problemOf } from "./file-problem.ts";
import type { FilesKit } from "./kit.ts";
import type { Folder } from "./safe-open.ts";
import { childPlace, type Place } from "./scope.ts";

export interface TreeEntry {
  readonly name: string;
  /** Names from where the walk began. */
  readonly names: readonly string[];
  readonly place: Place;
  readonly folder: Folder;
  readonly kind: "file" | "folder" | "link" | "other";
  readonly stats: BigIntStats;
  /** Keys or Elwood's own: it may be named, not looked into. */
  readonly hidden: boolean;
}

export interface Walk {
  readonly depthMax: number;
  readonly signal: AbortSignal;
  /** Whether to look into a folder, or go on after an entry. */
  visit(entry: TreeEntry): Promise<"go-on" | "skip" | "stop">;
  /** After all that is in a folder. */
  leave?(entry: TreeEntry): Promise<void>;
}

/**
 * Goes through a folder, names in order, folders before what is in them. Links are met, never
 * followed. Answers whether everything was seen.
 */
export async function walkTree(kit: FilesKit, folder: Folder, place: Place, walk: Walk): Promise<boolean> {
  const isHidden = await kit.scope.hidden();
  let left = kit.limits.visitedEntriesMax;
  let complete = true;

  async function into(folder: Folder, place: Place, names: readonly string[]): Promise<boolean> {
    const found = await namesIn(folder, left);
    left -= found.names.length;
    if (!found.all) complete = false;
    for (const name of found.names) {
      walk.signal.throwIfAborted();
      const entry = await entryOf(folder, place, names, name);
      if (entry === undefined) continue;
      const answer = await walk.visit(entry);
      if (answer === "stop") {
        complete = false;
        return false;
      }
      if (answer === "skip" || entry.kind !== "folder" || entry.hidden) continue;
      if (entry.names.length >= walk.depthMax) continue;
      if (!(await kit.opener.inChild(folder, name, (child) => into(child, entry.place, entry.names))))
        return false;
      await walk.leave?.(entry);
    }
    return true;
  }

  async function entryOf(folder: Folder, place: Place, names: readonly string[], name: string) {
    let stats: BigIntStats;
    try {
      stats = await lstat(folder.at(name), { bigint: true });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw problemOf(error, place.shown);
    }
    const at = childPlace(place, name);
    return {
      name,
      names: [...names, name],
      place: at,
      folder,
      kind: kindOf(stats),
      stats,
      hidden: isHidden(at),
    };
  }

  await into(folder, place, []);
  return complete;
}

export function tooMany(shown: string, max: number): FileProblem {
  return new FileProblem(
    "too-large",
    `${shown} holds more than ${max} entries, too many for one call. Nothing was changed.`,
  );
}

async function namesIn(folder: Folder, max: number): Promise<{ names: string[]; all: boolean }> {
  const names: string[] = [];
  const entries = await opendir(folder.at("."));
  for await (const entry of entries) {
    if (names.length >= max) return { names: names.sort(), all: false };
    names.push(entry.name);
  }
  return { names: names.sort(), all: true };
}

function kindOf(stats: BigIntStats): TreeEntry["kind"] {
  if (stats.isDirectory()) return "folder";
  if (stats.isFile()) return "file";
  return stats.isSymbolicLink() ? "link" : "other";
}
