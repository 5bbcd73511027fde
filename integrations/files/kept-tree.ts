import { lstat, mkdir, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { z } from "zod";
import { writeWhole } from "./atomic-write.ts";
import { readCurrent } from "./content-change.ts";
import { FileProblem, isMissing, problemOf } from "./file-problem.ts";
import { type FilesKit, halfDone } from "./kit.ts";
import type { Folder, Spot } from "./safe-open.ts";
import { childPlace, type Place } from "./scope.ts";
import { walkTree } from "./tree.ts";

/** What a delete took away, so that it can be put back. The first item is the deleted thing itself. */
const keptItems = z.array(
  z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("file"),
      names: z.array(z.string()),
      mode: z.number(),
      hash: z.string(),
    }),
    z.strictObject({ kind: z.literal("folder"), names: z.array(z.string()), mode: z.number() }),
    z.strictObject({ kind: z.literal("link"), names: z.array(z.string()), target: z.string() }),
  ]),
);
type KeptItem = z.infer<typeof keptItems>[number];

/** Keeps all content at a spot; the hash of the list, or undefined if it is too much to keep. */
export async function keepTree(
  kit: FilesKit,
  spot: Spot,
  { signal, promised = false }: { readonly signal: AbortSignal; readonly promised?: boolean | undefined },
): Promise<string | undefined> {
  const items: KeptItem[] = [];
  let bytes = 0;
  const keepFile = async (spot: Spot, names: readonly string[], mode: number, size: bigint) => {
    bytes += Number(size);
    // The store makes room by dropping the oldest, which must not be the beginning of this very tree.
    if (bytes > kit.limits.undoBytesMax / 2 || items.length > kit.limits.undoItemsMax / 2) return false;
    if (size > BigInt(kit.limits.undoItemBytesMax)) return false;
    const current = await readCurrent(kit, spot, kit.limits.undoItemBytesMax);
    const hash = current === undefined ? undefined : await kit.undo.keep(current.bytes, { promised });
    if (hash !== undefined) items.push({ kind: "file", names: [...names], mode, hash });
    return hash !== undefined;
  };
  const stats = await kit.opener.look(spot);
  if (stats === undefined) return undefined;
  const mode = Number(stats.mode) & 0o777;
  if (!stats.isDirectory()) {
    if (!(await keepFile(spot, [], mode, stats.size))) return undefined;
  } else {
    items.push({ kind: "folder", names: [], mode });
    let all = true;
    const seen = await kit.opener.inChild(spot.folder, spot.name, (folder) =>
      walkTree(kit, folder, spot.place, {
        depthMax: kit.limits.pathDepthMax,
        signal,
        visit: async ({ kind, folder, name, names, place, stats }) => {
          const mode = Number(stats.mode) & 0o777;
          if (kind === "folder") items.push({ kind, names: [...names], mode });
          else if (kind === "link")
            items.push({ kind, names: [...names], target: await readlink(folder.at(name)) });
          else all = await keepFile({ folder, name, place }, names, mode, stats.size);
          return all ? "go-on" : "stop";
        },
      }),
    );
    if (!seen) return undefined;
  }
  return kit.undo.keep(Buffer.from(JSON.stringify(items)), { promised });
}

/**
 * Puts a kept tree back where it was. There must be nothing at that place, unless the missing
 * parts of a half deleted tree are filled in.
 */
export async function restoreTree(
  kit: FilesKit,
  place: Place,
  list: string,
  options: { readonly key: string; readonly fillIn: boolean },
): Promise<number> {
  const gone = () =>
    new FileProblem(
      "cannot-undo",
      `What ${place.shown} held is no longer kept, so this can no longer be taken back. Nothing was put back.`,
    );
  const bytes = await kit.undo.get(list);
  if (bytes === undefined) throw gone();
  const items = keptItems.parse(JSON.parse(bytes.toString("utf8")));
  for (const item of items) {
    if (item.kind === "file" && (await kit.undo.get(item.hash)) === undefined) throw gone();
  }
  return kit.opener.atSpot(place, { makeFolders: [] }, async (spot) => {
    if (!options.fillIn && (await kit.opener.look(spot)) !== undefined) {
      throw new FileProblem("cannot-undo", `Something else is at ${place.shown} now. It was left as it is.`);
    }
    let done = 0;
    const partly = (error: unknown) => {
      if (done === 0) throw error;
      throw halfDone(`${place.shown} was put back only in part: ${done} of ${items.length}.`, error);
    };
    for (const item of items) {
      const at = item.names.reduce(childPlace, place);
      await kit.opener.atSpot(at, {}, (spot) => putBack(kit, spot, item, options)).catch(partly);
      done++;
    }
    return items.filter((item) => item.kind !== "folder").length;
  });
}

async function putBack(
  kit: FilesKit,
  spot: Spot,
  item: KeptItem,
  { key, fillIn }: { readonly key: string; readonly fillIn: boolean },
): Promise<void> {
  const path = spot.folder.at(spot.name);
  try {
    if (fillIn && (await isThere(path))) return;
    if (item.kind === "folder") await mkdir(path, { mode: item.mode | 0o700 });
    else if (item.kind === "link") await symlink(item.target, path);
    else {
      const bytes = await kit.undo.get(item.hash);
      if (bytes === undefined)
        throw new Error(`The kept content of ${spot.place.shown} went away while it was put back.`);
      await writeWhole(kit.opener, kit.disk, spot, bytes, { key, expected: undefined, mode: item.mode });
    }
  } catch (error) {
    throw problemOf(error, spot.place.shown);
  }
}

/** Takes away what is at a spot, the innermost first. Links go as links. */
export async function removeTree(kit: FilesKit, spot: Spot, signal: AbortSignal): Promise<void> {
  const path = spot.folder.at(spot.name);
  const stats = await kit.opener.look(spot);
  if (stats === undefined) return;
  if (!stats.isDirectory()) return unlink(path);
  await kit.opener.inChild(spot.folder, spot.name, (folder) => emptyFolder(kit, folder, spot.place, signal));
  await rmdir(path);
}

async function emptyFolder(kit: FilesKit, folder: Folder, place: Place, signal: AbortSignal): Promise<void> {
  await walkTree(kit, folder, place, {
    depthMax: kit.limits.pathDepthMax,
    signal,
    visit: async (entry) => {
      if (entry.hidden) throw new FileProblem("conflict", `${entry.place.shown} appeared meanwhile.`);
      if (entry.kind !== "folder") await unlink(entry.folder.at(entry.name));
      return "go-on";
    },
    leave: (entry) => rmdir(entry.folder.at(entry.name)),
  });
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
