import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { isMissing } from "@elwood/platform/system-error";
import { BACKUP_LIMITS } from "./backup-format.ts";

export interface StateFile {
  /** Below the state directory. */
  readonly path: string;
  /** Where it is read from. */
  readonly source: string;
  readonly bytes: number;
  readonly mode: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** What lies in the state directory, apart from its databases, which are copied by SQLite. */
export interface StateFiles {
  readonly files: readonly StateFile[];
  readonly folders: readonly { readonly path: string; readonly mode: number }[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly leftOut: readonly string[];
}

/** At the top of the state directory: what belongs to a process, to a backup, or to SQLite, and what can be installed again. */
const NOT_STATE =
  /^(?:gateway\.(?:json|lock.*)|(?:elwood|memory)\.db(?:-.*)?|backups|parts|\.restore-.*|replaced-.*)$/;
/** What an atomic write leaves if the process dies in it. */
const LEFTOVER = /\.[0-9a-f]{12}\.tmp$/;

/** Lists a folder as it is to lie in the backup, below `under`; follows no link. */
export async function stateFiles(home: string, under = ""): Promise<StateFiles> {
  const files: StateFile[] = [];
  const folders: StateFiles["folders"][number][] = [];
  const links: StateFiles["links"][number][] = [];
  const leftOut: string[] = [];
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = await unlessGone(() => readdir(join(home, folder)));
    for (const name of (names ?? []).toSorted()) {
      const inner = folder === "" ? name : `${folder}/${name}`;
      const own = folder === "" && under === "" && NOT_STATE.test(name);
      if (own || LEFTOVER.test(name)) continue;
      const source = join(home, inner);
      const path = `${under}${inner}`;
      const found = await unlessGone(() => lstat(source));
      if (found === undefined) continue;
      const mode = found.mode & 0o777;
      if (found.isDirectory()) {
        folders.push({ path, mode });
        waiting.push(inner);
      } else if (found.isFile())
        files.push({ path, source, bytes: found.size, mode, modifiedAt: Math.trunc(found.mtimeMs) });
      else if (found.isSymbolicLink()) {
        const target = await unlessGone(() => readlink(source));
        if (target !== undefined) links.push({ path, target });
      } else leftOut.push(`${path}: neither a file nor a folder`);
      if (files.length > BACKUP_LIMITS.files)
        fail("STORAGE", `${home} has more than ${BACKUP_LIMITS.files} files. No backup was made.`);
    }
  }
  return { files, folders, links, leftOut };
}

/** Undefined where it went away between two looks: a gateway may be at work. */
export async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
