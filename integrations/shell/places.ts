import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
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
  const wanted = isAbsolute(cwd) ? cwd : join(real, cwd);
  const lexical = isInside(resolve(wanted), real) || isInside(resolve(wanted), root);
  const there = await realOrNothing(wanted);
  const where = there ?? (lexical ? real : resolve(wanted));
  if (!isInside(where, real)) {
    return { problem: `The folder ${cwd} lies outside of ${real}, where commands run.`, outside: true };
  }
  if (there === undefined || !(await lstat(there)).isDirectory()) {
    return { problem: `There is no folder ${cwd} in ${real}.`, outside: false };
  }
  return { root: real, cwd: there };
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
  const real = await realOfDeepest(written);
  if (real === undefined) return false;
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

const NAMES_MAX = 256;

/** Where a path leads as far as it exists; the rest is appended as written. */
async function realOfDeepest(path: string): Promise<{ path: string; whole: boolean } | undefined> {
  const rest: string[] = [];
  let at = path;
  for (let i = 0; i < NAMES_MAX; i++) {
    const real = await realOrNothing(at);
    if (real !== undefined) return { path: join(real, ...rest), whole: rest.length === 0 };
    // A link that leads nowhere may lead somewhere a moment later.
    if (await isThere(at)) return undefined;
    const cut = at.lastIndexOf("/");
    if (cut < 0 || at === "/") return undefined;
    rest.unshift(at.slice(cut + 1));
    at = cut === 0 ? "/" : at.slice(0, cut);
  }
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
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
