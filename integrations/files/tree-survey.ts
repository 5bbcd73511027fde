import { denied } from "./file-problem.ts";
import type { FilesKit } from "./kit.ts";
import type { Spot } from "./safe-open.ts";
import type { Place } from "./scope.ts";
import { tooMany, walkTree } from "./tree.ts";

export interface Survey {
  readonly kind: "file" | "folder";
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
  /** Of what is inside, some; for people. */
  readonly names: readonly string[];
  /** Places inside that belong to an agent. */
  readonly agentPlace?: Place;
  /** Something inside has other names too: its content is not kept. */
  readonly hasHardLinks: boolean;
}

/**
 * Looks through what a move or a delete would take along. Keys, Elwood's own files and things
 * that are no files refuse the whole call: under another path they might no longer be known.
 */
export async function survey(
  kit: FilesKit,
  spot: Spot,
  signal: AbortSignal,
  options: { readonly elsewhere?: (names: readonly string[]) => Place } = {},
): Promise<Survey | undefined> {
  const stats = await kit.opener.look(spot);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) {
    return { kind: "file", files: 1, folders: 0, bytes: Number(stats.size), names: [], hasHardLinks: false };
  }
  const names: string[] = [];
  const count = { files: 0, folders: 0, bytes: 0 };
  let agentPlace: Place | undefined;
  let hasHardLinks = false;
  const isAgentPlace = await kit.scope.agentPlaces();
  const complete = await kit.opener.inChild(spot.folder, spot.name, (folder) =>
    walkTree(kit, folder, spot.place, {
      depthMax: kit.limits.pathDepthMax,
      signal,
      visit: async (entry) => {
        if (entry.hidden) {
          throw denied(
            "hard.secret-file",
            `${entry.place.shown} holds keys, passwords or Elwood's own state; what contains it stays where it is.`,
          );
        }
        if (entry.kind === "other") {
          throw denied(
            "hard.special-file",
            `${entry.place.shown} is a device, a pipe or a socket; what contains it stays where it is.`,
          );
        }
        if (entry.kind === "folder") count.folders++;
        else count.files++;
        if (entry.kind === "file") count.bytes += Number(entry.stats.size);
        if (entry.kind === "file" && entry.stats.nlink > 1n) hasHardLinks = true;
        if (names.length < kit.limits.previewNamesMax) names.push(entry.names.join("/"));
        const both = [entry.place, options.elsewhere?.(entry.names)];
        agentPlace ??= both.find((place) => place !== undefined && isAgentPlace(place));
        return entry.names.length >= kit.limits.pathDepthMax ? "stop" : "go-on";
      },
    }),
  );
  if (!complete) throw tooMany(spot.place.shown, kit.limits.visitedEntriesMax);
  return { kind: "folder", ...count, names, hasHardLinks, ...(agentPlace && { agentPlace }) };
}
