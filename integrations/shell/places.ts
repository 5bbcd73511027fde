import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { PathWord } from "./safe-arguments.ts";

/** Where commands run. */
export interface Places {
  /** The working root, as the system knows it. */
  readonly root: string;
  readonly cwd: string;
}

export type FoundPlaces =
  | Places
  /** `outside`: nobody may be asked. Otherwise it just cannot be done. */
  | { readonly problem: string; readonly outside: boolean };

export async function findPlaces(root: string, cwd: string | undefined): Promise<FoundPlaces> {
  const real = await realOrNothing(root);
  if (real === undefined) return { problem: `The working folder ${root} does not exist.`, outside: false };
  if (real === "/") {
    return { problem: "The working folder of commands cannot be the whole system (/).", outside: true };
  }
  if (cwd === undefined || cwd === "") return { root: real, cwd: real };
  if (cwd.includes("\0")) return { problem: "The folder's name holds a NUL character.", outside: true };
  const there = await follow(isAbsolute(cwd) ? cwd : `${real}/${cwd}`, [{ written: root, real }]);
  if (there === undefined || !isInside(there.path, real)) {
    return { problem: `The folder ${cwd} lies outside of ${real}, where commands run.`, outside: true };
  }
  if (!there.whole || !(await lstat(there.path)).isDirectory()) {
    return { problem: `There is no folder ${cwd} in ${real}.`, outside: false };
  }
  return { root: real, cwd: there.path };
}

/**
 * Whether a word names something below the working root that may be read unasked. Both what
 * is written and where it leads count: a link is followed to its end, a name that stands for
 * keys is refused under either name.
 */
export async function isOpenPath(
  word: PathWord,
  { root, cwd }: Places,
  isSecret: (names: readonly string[]) => boolean,
  denied: readonly string[],
): Promise<boolean> {
  const { text } = word;
  if (text === "" || text.startsWith("-") || text.startsWith("~") || text.includes("\0")) return false;
  const written = resolve(cwd, text);
  if (!isInside(written, root)) return false;
  const real = await follow(isAbsolute(text) ? text : `${cwd}/${text}`, [{ written: root, real: root }]);
  // A link that leads nowhere may lead somewhere a moment later.
  if (real === undefined || (!real.whole && real.linked)) return false;
  for (const path of [written, real.path]) {
    if (!isInside(path, root)) return false;
    if (isSecret(relative(root, path).split(sep).filter(Boolean))) return false;
    if (denied.some((each) => isInside(path, each) && !isInside(root, each))) return false;
  }
  if (!real.whole) return true;
  const stats = await lstat(real.path);
  if (stats.isDirectory()) return word.kind === "path";
  // A pipe would make the command wait; a file with a second name may be one from elsewhere.
  return stats.isFile() && stats.nlink === 1;
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** A folder that may be looked into, as it is written and as the system knows it. */
export interface OpenFolder {
  readonly written: string;
  readonly real: string;
}

export interface Followed {
  /** Where the path leads; what does not exist of it is appended as written. */
  readonly path: string;
  readonly whole: boolean;
  /** A link was followed on the way. */
  readonly linked: boolean;
}

/**
 * Follows a path name by name, links included, within the given folders. undefined where it leaves them: what
 * lies outside is not touched, since already a look at a name can reach another machine (an automounted folder).
 */
export async function follow(path: string, folders: readonly OpenFolder[]): Promise<Followed | undefined> {
  let rest = namesOf(spelledReal(path, folders));
  let at = "/";
  let linked = false;
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const name = rest.shift();
    if (name === undefined) return { path: at, whole: true, linked };
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    if (!folders.some(({ real }) => isInside(next, real))) {
      // On the way to one of them: a path that is known has no links.
      if (!folders.some(({ real }) => isInside(real, next))) return undefined;
      at = next;
      continue;
    }
    const found = await kindOf(next);
    if (found === "link") {
      linked = true;
      const target = await readlink(next);
      rest = [...namesOf(isAbsolute(target) ? spelledReal(target, folders) : target), ...rest];
      if (isAbsolute(target)) at = "/";
    } else if (found === "nothing" || (found === "file" && rest.length > 0))
      return { path: resolve(next, ...rest), whole: false, linked };
    else at = next;
  }
  return undefined;
}

const STEPS_MAX = 1_024;

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function spelledReal(path: string, folders: readonly OpenFolder[]): string {
  const folder = folders.find(({ written }) => isInside(path, written));
  return folder === undefined ? path : `${folder.real}${path.slice(folder.written.length)}`;
}

async function kindOf(path: string): Promise<"nothing" | "link" | "folder" | "file"> {
  try {
    const stats = await lstat(path);
    return stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : "file";
  } catch (error) {
    if (error instanceof Error && "code" in error) return "nothing";
    throw error;
  }
}

/** Where a path leads; undefined where there is nothing. */
export async function realOrNothing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
