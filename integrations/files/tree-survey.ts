import { createHash } from "node:crypto";
import { countInWords, sizeInWords } from "./file-content.ts";
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
  /** Over name, kind, size and time of change of all that is inside; empty for a file. */
  readonly fingerprint: string;
  /** Places inside that belong to an agent. */
  readonly agentPlace?: Place;
  /** One inside that usually holds keys, and that would no longer be known for it elsewhere. */
  readonly keyPlace?: Place;
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
    const one = { files: 1, folders: 0, bytes: Number(stats.size), names: [], fingerprint: "" };
    return { kind: "file", ...one, hasHardLinks: false };
  }
  const names: string[] = [];
  const all = createHash("sha256");
  const count = { files: 0, folders: 0, bytes: 0 };
  let agentPlace: Place | undefined;
  let keyPlace: Place | undefined;
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
        // A folder's own time says only that something in it changed, which its entries say better.
        const { size, mtimeNs } = entry.stats;
        const state = entry.kind === "folder" ? [] : [String(size), String(mtimeNs)];
        all.update(`${JSON.stringify([entry.kind, ...entry.names, ...state])}\n`);
        if (entry.kind === "folder") count.folders++;
        else count.files++;
        if (entry.kind === "file") count.bytes += Number(entry.stats.size);
        if (entry.kind === "file" && entry.stats.nlink > 1n) hasHardLinks = true;
        if (names.length < kit.limits.previewNamesMax) names.push(entry.names.join("/"));
        const there = options.elsewhere?.(entry.names);
        const both = [entry.place, there];
        const isKnown = there === undefined || kit.scope.holdsKeys(there);
        if (!isKnown && kit.scope.holdsKeys(entry.place)) keyPlace ??= entry.place;
        agentPlace ??= both.find((place) => place !== undefined && isAgentPlace(place));
        return entry.names.length >= kit.limits.pathDepthMax ? "stop" : "go-on";
      },
    }),
  );
  if (!complete) throw tooMany(spot.place.shown, kit.limits.visitedEntriesMax);
  const fingerprint = all.digest("hex").slice(0, FINGERPRINT_CHARS);
  const special = { ...(agentPlace && { agentPlace }), ...(keyPlace && { keyPlace }) };
  return { kind: "folder", ...count, names, fingerprint, hasHardLinks, ...special };
}

const FINGERPRINT_CHARS = 16;

/**
 * What a folder holds, in one line, the same only as long as nothing in it changed. In a
 * preview's `before` it binds the approval to it.
 */
export function heldInWords(found: Survey): string {
  return `${inside(found)}, ${sizeInWords(found.bytes)} (state ${found.fingerprint})`;
}

export function inside({ files, folders }: Pick<Survey, "files" | "folders">): string {
  return `${countInWords(files, "file")} and ${countInWords(folders, "folder")}`;
}
