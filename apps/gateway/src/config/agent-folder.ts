import { constants, open, realpath, stat, type FileHandle } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import { stampOf } from "@elwood/platform/file-stamp";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";

export interface ReadFile {
  /** Empty where there is no such file. */
  readonly text: string;
  readonly found: boolean;
  /** It was longer than the limit, and this is its beginning. */
  readonly cut: boolean;
}

const NONE: ReadFile = { text: "", found: false, cut: false };

/**
 * Reads one file of an agent's folder. What becomes part of the prompt comes from the
 * workspace or from a store that nobody can write to (`/nix/store`, where a declared
 * system keeps its files): a link to anywhere else is refused, since it could put any
 * file of the machine in front of a model. The error completes "SOUL.md …".
 */
export async function readAgentFile(
  folder: string,
  name: string,
  workspace: string,
): Promise<Result<ReadFile, string>> {
  const path = join(folder, name);
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    if (!isInside(real, await realpath(workspace)) && !isInside(real, "/nix/store")) {
      return err(
        "is a link that leads out of the workspace, so it was not read. Put a copy of the file in its place.",
      );
    }
    // A pipe or a device would be waited for without end.
    if (!(await stat(real)).isFile()) return err("is not a plain file, so it was not read.");
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW);
    const bytes = Buffer.alloc(LIMITS.agentFileBytesMax + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const cut = bytesRead > LIMITS.agentFileBytesMax;
    const kept = bytes.subarray(0, Math.min(bytesRead, LIMITS.agentFileBytesMax));
    // `stream` leaves out a character that the cut went through.
    const text = new TextDecoder("utf-8").decode(kept, { stream: cut });
    return ok({ text, found: true, cut });
  } catch (cause) {
    if (isMissingPath(cause)) return ok(NONE);
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    if (code === "EACCES" || code === "EPERM") return err("may not be read by this user.");
    if (code === "ELOOP") return err("is a link that leads back to itself, so it was not read.");
    return err(`cannot be read (${code}).`);
  } finally {
    await handle?.close();
  }
}

export type AgentFileReader = typeof readAgentFile;

/** Files of so many agents are kept; each has four. */
const FILES_KEPT_MAX = LIMITS.agentsMax * 4;

/**
 * Reads a file again only where it has changed: one question to the system instead of seven. A
 * file that changed a moment ago is read in any case, since its times cannot tell two changes in
 * a row apart.
 */
export function rereadOnChange(now: () => number, read: AgentFileReader = readAgentFile): AgentFileReader {
  const kept = new Map<string, { readonly stamp: string; readonly file: Result<ReadFile, string> }>();
  return async (folder, name, workspace) => {
    const path = join(folder, name);
    const stamp = stampOf(path, now());
    const before = kept.get(path);
    if (stamp !== undefined && before?.stamp === stamp) return before.file;
    const file = await read(folder, name, workspace);
    kept.delete(path);
    if (stamp === undefined || !file.ok) return file;
    if (kept.size >= FILES_KEPT_MAX) kept.clear();
    kept.set(path, { stamp, file });
    return file;
  };
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== "..");
}
