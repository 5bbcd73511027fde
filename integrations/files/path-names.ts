import { homedir } from "node:os";
import type { CallEffect, CallNames } from "@elwood/sdk/tool";
import { FileProblem, isMissing } from "./file-problem.ts";
import type { FilesKit } from "./kit.ts";
import { fold } from "./path-text.ts";
import type { Place } from "./scope.ts";
import { walkTree } from "./tree.ts";

/** So deep, and so many entries in each folder of the owner's, a name is looked for. Beyond that it is not known to be the only one. */
const DEPTH_MAX = 8;
const ENTRIES_MAX = 5_000;

/**
 * By what names the owner may mean the paths of a call: the whole path, the path below the folder
 * it lies in, and the name alone where nothing else in the folders is called so; then also what people
 * call such a file ("my todo list"). For something new also the folder it would be in.
 */
export async function pathNames(kit: FilesKit, paths: Readonly<Record<string, string>>): Promise<CallNames> {
  const aliases: Record<string, readonly string[]> = {};
  const newIn: Record<string, readonly string[]> = {};
  const described: Record<string, readonly string[]> = {};
  for (const [argument, path] of Object.entries(paths)) {
    const found = await namesOf(kit, path);
    if (!found) continue;
    aliases[argument] = found.aliases;
    if (found.newIn.length > 0) newIn[argument] = found.newIn;
    if (found.described.length > 0) described[argument] = found.described;
  }
  return { aliases, newIn, ...(Object.keys(described).length > 0 && { described }) };
}

/** The whole path of each argument: however it is written, it means one place. */
export async function pathSpelling(
  kit: FilesKit,
  paths: Readonly<Record<string, string>>,
): Promise<NonNullable<CallEffect["spelling"]>> {
  const spelling: Record<string, string> = {};
  for (const [argument, path] of Object.entries(paths)) {
    try {
      spelling[argument] = fold((await kit.scope.locate(path, "read")).shown);
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
    }
  }
  return spelling;
}

async function namesOf(
  kit: FilesKit,
  path: string,
): Promise<
  | {
      readonly aliases: readonly string[];
      readonly newIn: readonly string[];
      readonly described: readonly string[];
    }
  | undefined
> {
  try {
    const place = await kit.scope.locate(path, "read");
    const base = place.names.at(-1);
    if (base === undefined) return undefined;
    const below = place.names.join("/");
    const home = homedir();
    const aliases = [
      place.shown,
      ...(place.home ? [below] : []),
      ...(place.shown.startsWith(`${home}/`) ? [`~${place.shown.slice(home.length)}`] : []),
    ];
    const there = await exists(kit, place);
    if (!there) {
      const folders = place.names.slice(0, -1);
      const named = folders.length === 0 ? [] : [folders.join("/"), folders.at(-1)!];
      return { aliases, newIn: [...new Set(named)], described: [] };
    }
    const only = await isOnlyOne(kit, base);
    return {
      aliases: only.name ? [...aliases, base] : aliases,
      newIn: [],
      described: only.stem ? inEverydayWords(stemOf(base)) : [],
    };
  } catch (error) {
    if (error instanceof FileProblem) return undefined;
    throw error;
  }
}

async function exists(kit: FilesKit, place: Place): Promise<boolean> {
  try {
    return (await kit.opener.atSpot(place, {}, (spot) => kit.opener.look(spot))) !== undefined;
  } catch (error) {
    if (isMissing(error) || (error instanceof FileProblem && error.code === "not-found")) return false;
    throw error;
  }
}

const TEXT_FILE = /\.(?:md|markdown|txt|text|org|csv)$/iu;

function stemOf(base: string): string | undefined {
  return TEXT_FILE.test(base) ? base.replace(TEXT_FILE, "") : undefined;
}

/** What people say for `todo.md`: its name with what it is. The name alone may be any word. */
function inEverydayWords(stem: string | undefined): readonly string[] {
  if (stem === undefined || !/^[\p{L}\p{N}][\p{L}\p{N} _-]{2,30}$/u.test(stem)) return [];
  const spoken = stem.replace(/[_-]+/g, " ");
  const names = /^to ?do$/iu.test(spoken) ? ["todo", "to-do", "to do"] : [spoken];
  const kinds = [" list", " file", " note", " notes", "-liste", "liste", "-datei"];
  return names.flatMap((name) => kinds.map((kind) => `${name}${kind}`));
}

/** Whether one thing alone in all of the owner's folders has this name, or this name before its ending, in whatever case. */
async function isOnlyOne(
  kit: FilesKit,
  base: string,
): Promise<{ readonly name: boolean; readonly stem: boolean }> {
  const wanted = fold(base);
  const stem = fold(stemOf(base) ?? base);
  const found = new Set<string>();
  const sameStem = new Set<string>();
  let left = ENTRIES_MAX;
  for (const root of await kit.scope.roots()) {
    let whole = true;
    await kit.opener
      .inFolder(root, (folder) =>
        walkTree(kit, folder, root, {
          depthMax: DEPTH_MAX,
          signal: new AbortController().signal,
          visit: async (entry) => {
            left -= 1;
            if (left <= 0 || found.size > 1) {
              whole = false;
              return "stop";
            }
            if (fold(entry.name) === wanted) found.add(entry.place.shown);
            if (fold(entry.name.replace(/\.[^.]+$/u, "")) === stem) sameStem.add(entry.place.shown);
            if (entry.kind === "folder" && entry.names.length >= DEPTH_MAX) whole = false;
            return entry.name.startsWith(".") || entry.name === "node_modules" ? "skip" : "go-on";
          },
        }),
      )
      .catch((error: unknown) => {
        if (!(error instanceof FileProblem)) throw error;
        whole = false;
      });
    if (!whole) return { name: false, stem: false };
  }
  return { name: found.size === 1, stem: sameStem.size === 1 };
}
