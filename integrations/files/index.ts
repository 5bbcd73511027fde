import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import type { ToolDefinition } from "@elwood/sdk/tool";
import { type Disk, realDisk } from "./atomic-write.ts";
import { attachTool } from "./attach-tool.ts";
import { deleteTool } from "./delete-tool.ts";
import { editTool } from "./edit-tool.ts";
import { FileProblem } from "./file-problem.ts";
import { usuallyHoldsKeys } from "./key-files.ts";
import type { FilesKit } from "./kit.ts";
import { FILE_LIMITS, type FileLimits } from "./limits.ts";
import { listTool } from "./list-tool.ts";
import { lookThreads } from "./look-threads.ts";
import { localTimes } from "./local-times.ts";
import { moveTool } from "./move-tool.ts";
import { isSecretPath } from "./protected-names.ts";
import { readTool } from "./read-tool.ts";
import { makeOpener } from "./safe-open.ts";
import { makeScope, type Root } from "./scope.ts";
import { searchTool } from "./search-tool.ts";
import { makePathMutex } from "./path-mutex.ts";
import { makeUndoStore, sweepUndo } from "./undo-store.ts";
import { type WholeFile, wholeFile } from "./whole-file.ts";
import { writeTool } from "./write-tool.ts";

export type { Disk, FileLimits, Root };
export { FILE_LIMITS, isSecretPath, sweepUndo, usuallyHoldsKeys };

export interface FilesOptions {
  /** The folders Elwood may use. Relative paths begin at the first one. */
  readonly roots: readonly Root[];
  /** Elwood's own state, and whatever else no tool may touch. */
  readonly denied: readonly string[];
  /** Folders inside of it that are open all the same, such as the workspace. */
  readonly own?: readonly string[];
  /** A folder of Elwood's own, outside of every root, for what undoing needs. */
  readonly undoDir: string;
  /** Reads PDF, Word, Excel and other documents as text. */
  readonly documents: DocumentReader;
  /** The owner's, for times in listings; the system's if absent. */
  readonly timeZone?: string;
  /** Where the agent's own files lie; the first root if absent. */
  readonly workspace?: string;
  /** What `~` means; the user's home if absent. */
  readonly home?: string;
  /** What is said of every path. */
  readonly pathWords?: string;
  readonly limits?: Partial<FileLimits>;
  readonly disk?: Disk;
  /** False on systems without `/proc/self/fd`; found out if absent. */
  readonly throughDescriptors?: boolean;
}

/** Which places there are, and how they are opened. */
export type FilePlaces = Pick<
  FilesOptions,
  "roots" | "denied" | "own" | "undoDir" | "workspace" | "home" | "limits" | "throughDescriptors"
>;

function placesOf(options: FilePlaces): Pick<FilesKit, "scope" | "opener" | "limits"> {
  const limits = { ...FILE_LIMITS, ...options.limits };
  const { roots, own, workspace, home, throughDescriptors } = options;
  const scope = makeScope({
    roots,
    denied: [...options.denied, options.undoDir],
    limits,
    ...(own !== undefined && { own }),
    ...(workspace !== undefined && { workspace }),
    ...(home !== undefined && { home }),
  });
  const opener = makeOpener(scope, throughDescriptors === undefined ? {} : { throughDescriptors });
  return { scope, opener, limits };
}

/**
 * Reads a file for the owner's own eyes, within the bounds that the tools have; else why it cannot be shown. What would
 * ask before a tool opened it is not shown: whoever looks may be a program that may chat and no more.
 */
export type ShowFile = (
  path: string,
) => Promise<Pick<WholeFile, "bytes" | "mimeType"> | { readonly problem: string; readonly isGone: boolean }>;

export function fileShower(places: FilePlaces): ShowFile {
  const kit = placesOf(places);
  return async (path) => {
    try {
      const place = await kit.scope.locate(path, "read");
      if (kit.scope.holdsKeys(place))
        throw new FileProblem(
          "not-allowed",
          `${place.shown} usually holds keys or passwords, so it is not shown here. Open it on your machine.`,
        );
      return await wholeFile(kit, path);
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      return { problem: error.message, isGone: error.code === "not-found" };
    }
  };
}

/** The eight file tools, over one scope. */
export function filesTools(options: FilesOptions): ToolDefinition[] {
  const places = placesOf(options);
  const { roots } = options;
  const { limits } = places;
  const kit: FilesKit = {
    ...places,
    disk: options.disk ?? realDisk,
    undo: makeUndoStore(options.undoDir, limits),
    turns: makePathMutex(limits.waitersPerPathMax),
    documents: options.documents,
    localTime: localTimes(options.timeZone),
    threads: lookThreads(),
    pathWords: options.pathWords ?? `Absolute, or relative to ${roots[0]?.path}.`,
  };
  return [readTool, attachTool, listTool, searchTool, writeTool, editTool, moveTool, deleteTool].map((make) =>
    make(kit),
  );
}
