import { FileProblem } from "./file-problem.ts";
import type { FilesKit } from "./kit.ts";
import { walkTree } from "./tree.ts";

const NEIGHBOURS_MAX = 3;
/** Names that are looked through; in a larger folder the list is the better answer. */
const NAMES_MAX = 2_000;
const ALIKE_MIN = 0.5;

/**
 * What lies beside a path that is not there, and is called nearly the same. Only plain names that
 * resemble what was asked for are told: they stand in Elwood's own sentence.
 */
export async function neighbours(kit: FilesKit, path: string): Promise<string[]> {
  const [, parent = ".", wanted = path] = /^(.*)[/\\]([^/\\]+)$/.exec(path) ?? [];
  const alike: { readonly name: string; readonly share: number }[] = [];
  let seen = 0;
  try {
    const place = await kit.scope.locate(parent === "" ? "/" : parent, "read");
    await kit.opener.inFolder(place, (folder) =>
      walkTree(kit, folder, place, {
        depthMax: 1,
        signal: new AbortController().signal,
        visit: async ({ name, hidden }) => {
          if (++seen > NAMES_MAX) return "stop";
          const share = likeness(wanted, name);
          if (!hidden && PLAIN_NAME.test(name) && share >= ALIKE_MIN) alike.push({ name, share });
          return "skip";
        },
      }),
    );
  } catch (error) {
    // Where the folder cannot be looked into, nothing is offered.
    if (error instanceof FileProblem) return [];
    throw error;
  }
  return alike
    .sort((a, b) => b.share - a.share)
    .slice(0, NEIGHBOURS_MAX)
    .map(({ name }) => (parent === "." ? name : `${parent}/${name}`));
}

/** So far down is looked for a name that is in another folder. */
const DEPTH_MAX = 6;

/**
 * A path, or, where only a name is given and nothing is there, the path of the one file below the owner's
 * first folder that is called so. Where it cannot be known to be the only one, the path stays as it is.
 */
export async function meantPath(kit: FilesKit, path: string): Promise<string> {
  if (/[/\\]/.test(path) || !PLAIN_NAME.test(path)) return path;
  try {
    const place = await kit.scope.locate(path, "read");
    const there = await kit.opener.atSpot(place, {}, (spot) => kit.opener.look(spot));
    if (there !== undefined) return path;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    if (error.code !== "not-found") return path;
  }
  const { found, whole } = await lookBelow(kit, path);
  return whole && found.length === 1 ? found[0]! : path;
}

/** Where below the owner's first folder something is called exactly so, for who left out its folder. */
export async function sameNameBelow(kit: FilesKit, path: string): Promise<readonly string[]> {
  if (/[/\\]/.test(path) || !PLAIN_NAME.test(path)) return [];
  return (await lookBelow(kit, path)).found;
}

async function lookBelow(
  kit: FilesKit,
  wanted: string,
): Promise<{ readonly found: readonly string[]; readonly whole: boolean }> {
  const found: string[] = [];
  let seen = 0;
  let whole = true;
  try {
    const place = await kit.scope.locate(".", "read");
    await kit.opener.inFolder(place, (folder) =>
      walkTree(kit, folder, place, {
        depthMax: DEPTH_MAX,
        signal: new AbortController().signal,
        visit: async ({ name, names, hidden, kind }) => {
          if (++seen > NAMES_MAX || found.length >= NEIGHBOURS_MAX) {
            whole = false;
            return "stop";
          }
          if (hidden || name === "node_modules" || !PLAIN_NAME.test(name)) return "skip";
          if (name.toLowerCase() === wanted.toLowerCase()) found.push(names.join("/"));
          if (kind === "folder" && names.length >= DEPTH_MAX) whole = false;
          return "go-on";
        },
      }),
    );
  } catch (error) {
    if (error instanceof FileProblem) return { found: [], whole: false };
    throw error;
  }
  return { found, whole };
}

const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._()-]{0,79}$/u;

/** How many pairs of letters two names share, of all that they have. */
export function likeness(a: string, b: string): number {
  const [ours, theirs] = [pairsOf(a), pairsOf(b)];
  const left = [...theirs];
  let shared = 0;
  for (const pair of ours) {
    const at = left.indexOf(pair);
    if (at === -1) continue;
    left.splice(at, 1);
    shared++;
  }
  return ours.length + theirs.length === 0 ? 0 : (2 * shared) / (ours.length + theirs.length);
}

/** What a name ends with says what kind of file it is, not which one. */
function pairsOf(name: string): string[] {
  const letters = name.toLowerCase().replace(/\.\w{1,5}$/, "");
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2));
}
