import { FileProblem } from "./file-problem.ts";
import { type FilesKit, nameInWords } from "./kit.ts";
import { byNames, lookThrough } from "./look-through.ts";
import { pathOf, type Place } from "./scope.ts";

/** Files that one path stands for: those in a folder, or those that fit a glob. */
export interface FilesMeant {
  readonly path: string;
  /** As the file tools take them. */
  readonly found: readonly string[];
  /** Files that fit and are not read with others: keys, links, and what is too many. */
  readonly left: number;
}

const FILES_MAX = 50;
const GLOB = /[*?[{]/;

/** Undefined where a path means one thing: what is there under just this name comes first, even if it looks like a glob. */
export async function filesMeant(
  kit: FilesKit,
  path: string,
  signal: AbortSignal,
): Promise<FilesMeant | undefined> {
  const kind = await kindAt(kit, path);
  if (kind === "folder") return within(kit, path, undefined, signal);
  if (kind === "other" || !GLOB.test(path)) return undefined;
  const names = path.split("/");
  const first = names.findIndex((name) => GLOB.test(name));
  const folder = names.slice(0, first).join("/") || (path.startsWith("/") ? "/" : ".");
  return within(kit, folder, names.slice(first).join("/"), signal);
}

async function kindAt(kit: FilesKit, path: string): Promise<"none" | "folder" | "other"> {
  try {
    const place = await kit.scope.locate(path, "read");
    if (place.names.length === 0) return "folder";
    const stats = await kit.opener.atSpot(place, {}, (spot) => kit.opener.look(spot));
    return stats === undefined ? "none" : stats.isDirectory() ? "folder" : "other";
  } catch (error) {
    if (error instanceof FileProblem && error.code === "not-found") return "none";
    if (error instanceof FileProblem) return GLOB.test(path) ? "none" : "other";
    throw error;
  }
}

async function within(
  kit: FilesKit,
  folder: string,
  glob: string | undefined,
  signal: AbortSignal,
): Promise<FilesMeant> {
  const place = await kit.scope.locate(folder, "read");
  const depthMax = glob === undefined ? 1 : kit.limits.pathDepthMax;
  const looked = await lookThrough(
    kit,
    place,
    {
      hidden: false,
      ignoring: glob !== undefined,
      depthMax,
      entriesMax: kit.limits.listEntriesMax,
      visitedMax: kit.limits.lookedEntriesMax,
      // A glob without a slash means names in this folder, as in a shell.
      ...(glob !== undefined && { glob: glob.includes("/") ? glob : `/${glob}` }),
    },
    signal,
  );
  const files = looked.entries
    .filter(({ kind }) => kind === "file")
    .toSorted((a, b) => byNames(a.names, b.names));
  const seen = looked.entries.filter(({ kind }) => kind !== "folder").length;
  const paths = files.map(({ names }) => pathOf(place, names.map(nameInWords).join("/")));
  const open = await openOnes(kit, paths);
  const found = open.slice(0, FILES_MAX);
  return { path: shownAs(place, glob), found, left: seen - found.length };
}

function shownAs(place: Place, glob: string | undefined): string {
  return glob === undefined ? place.shown : `${place.shown}/${glob}`;
}

/** What holds keys is read alone, since that asks. */
async function openOnes(kit: FilesKit, paths: readonly string[]): Promise<string[]> {
  const open: string[] = [];
  for (const path of paths) {
    try {
      const place = await kit.scope.locate(path, "read");
      if (!kit.scope.holdsKeys(place)) open.push(path);
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
    }
  }
  return open;
}
