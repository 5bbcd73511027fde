import { access, constants, realpath, stat } from "node:fs/promises";
import { errorCode } from "@elwood/platform/system-error";
import { isInside } from "./agent-folder.ts";
import { pathKey, type FileLayer } from "./file-layer.ts";
import { dotted, problemAt, type ConfigProblem, type Notice } from "./problem.ts";

/** A folder that the file tools may use. */
export interface FileRoot {
  readonly path: string;
  readonly write: boolean;
  /** What is changed in it goes to other places by itself, so that each change asks. */
  readonly synced?: boolean | undefined;
}

/** Folders as the owner named them, with their paths in full. */
export interface NamedFolders {
  readonly roots: readonly FileRoot[];
  readonly shellRoot: string | undefined;
}

/** The state directory, and the folders in it that tools may use. */
export interface OwnFolders {
  readonly home: string;
  /** `files` and the workspace: always open, always writable. */
  readonly open: readonly string[];
}

/**
 * The folders of the file tools: the owner's first, then Elwood's own. Naming a folder adds it
 * and closes none, so that the tools, skills and notes of the workspace can be written whatever
 * else is open. Relative paths start at the first one.
 */
export function fileRoots(named: readonly FileRoot[], open: readonly string[]): FileRoot[] {
  const own = open.filter((path) => !named.some((root) => root.path === path));
  return [
    ...named.map((root) => (open.includes(root.path) ? { ...root, write: true } : root)),
    ...own.map((path) => ({ path, write: true })),
  ];
}

/** Folders that lie in Elwood's own data: to open one could hand its keys to a model. */
export async function folderProblems(
  { roots, shellRoot }: NamedFolders,
  own: OwnFolders,
  { places }: Pick<FileLayer, "places">,
): Promise<ConfigProblem[]> {
  if (roots.length === 0 && shellRoot === undefined) return [];
  const homes = [own.home, await resolved(own.home)];
  const open = [...own.open, ...(await Promise.all(own.open.map(resolved)))];
  const named = roots.map(({ path }, i) => ({ path, key: ["files", "roots", String(i)] }));
  if (shellRoot !== undefined) named.push({ path: shellRoot, key: ["shell", "root"] });
  const problems: ConfigProblem[] = [];
  for (const { path, key } of named) {
    const real = await resolved(path);
    if (![path, real].some((each) => homes.some((home) => isInside(each, home)))) continue;
    if (open.some((folder) => isInside(real, folder))) continue;
    const saying = `means ${path}, which is in Elwood's own data folder. No tool may use that folder. Write the whole path of a folder outside ${own.home}, such as ~/notes. ${own.open.join(" and ")} are open anyway.`;
    problems.push(problemAt(places.get(pathKey(key)) ?? { kind: "default" }, dotted(key), saying));
  }
  return problems;
}

/** The owner's folders that cannot be used as they stand. The others are open all the same. */
export async function folderNotices({ roots }: NamedFolders, own: OwnFolders): Promise<Notice[]> {
  const notices: Notice[] = [];
  for (const [i, { path }] of roots.entries()) {
    // Elwood makes its own folders at the start.
    if (own.open.includes(path)) continue;
    const wrong = await folderFault(path);
    if (wrong === undefined) continue;
    const key = `files.roots[${i}]`;
    const { what, next } = faultWords(path, wrong);
    const text = `\`${key}\`: ${what}, so the file tools cannot use it. ${next}`;
    notices.push({ kind: "warning", key, text });
  }
  return notices;
}

/** Why a path cannot be used as a folder, as the system names it; undefined where it can be. */
async function folderFault(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return NO_FOLDER;
    await access(path, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    return code;
  }
}

const NO_FOLDER = "no folder";

/** What is wrong with a folder, and what its owner can do about it. */
export function faultWords(path: string, fault: string): { readonly what: string; readonly next: string } {
  switch (fault) {
    case NO_FOLDER:
      return { what: `${path} is not a folder`, next: "Name the folder it is in." };
    case "ENOENT":
      return { what: `the folder ${path} does not exist`, next: "Create it, or correct the path." };
    case "ENOTDIR":
      return {
        what: `a part of the path ${path} is a file, not a folder`,
        next: "Correct the path.",
      };
    case "EACCES":
    case "EPERM":
      return {
        what: `the user that runs Elwood may not open the folder ${path}`,
        next: "Give that user permission to read it and the folders above it, or name another folder.",
      };
    case "ELOOP":
      return {
        what: `${path} goes through a symbolic link that leads back to itself`,
        next: "Correct the link, or name the folder itself.",
      };
    case "ENAMETOOLONG":
      return { what: `the path ${path} is longer than the system takes`, next: "Correct the path." };
    default:
      return {
        what: `the system could not look at the folder ${path} (${fault})`,
        next: "See whether its disk is connected, or name another folder.",
      };
  }
}

/** Where a path leads; as it is written where nothing is there yet. */
async function resolved(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
