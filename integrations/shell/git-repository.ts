import { lstat, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SHELL_LIMITS } from "./limits.ts";

/** Settings that every repository has, and that make git run nothing. */
const PLAIN_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  core: [
    "repositoryformatversion",
    "filemode",
    "bare",
    "logallrefupdates",
    "ignorecase",
    "precomposeunicode",
    "symlinks",
    "autocrlf",
    "eol",
    "safecrlf",
    "quotepath",
    "abbrev",
    "compression",
    "longpaths",
  ],
  remote: ["url", "pushurl", "fetch", "push", "tagopt", "prune", "mirror"],
  branch: ["remote", "merge", "rebase", "pushremote", "description", "vscode-merge-base"],
  user: ["name", "email", "signingkey"],
  author: ["name", "email"],
  committer: ["name", "email"],
  submodule: ["url", "active", "path", "branch"],
  init: ["defaultbranch"],
  pull: ["rebase", "ff"],
  push: ["default", "autosetupremote", "followtags"],
  fetch: ["prune"],
  merge: ["ff", "conflictstyle"],
  rebase: ["autostash", "autosquash"],
  advice: ["*"],
  color: ["*"],
  commit: ["gpgsign"],
  tag: ["gpgsign", "sort"],
};

/** The repository around a folder: where its files lie, that there is none, or that it is not a plain one. */
export type FoundRepository = { readonly top: string } | "none" | "odd";

/**
 * Whether git may look at the repository around a folder unasked. Its settings are text that
 * anybody could have put there, and many of them name programs to run: filters, drivers for
 * differences, monitors, hooks. A repository with a setting that is not known to be plain is
 * asked about. Looking reads nothing but the folders up to the working root.
 */
export async function findRepository(cwd: string, root: string): Promise<FoundRepository> {
  let folder = cwd;
  for (let depth = 0; depth < SHELL_LIMITS.repositoryDepthMax; depth++) {
    if (await looksLikeRepository(folder)) return "odd";
    const inside = join(folder, ".git");
    const kind = await kindOf(inside);
    if (kind === "folder") {
      if ((await kindOf(join(inside, "commondir"))) !== "none") return "odd";
      if ((await kindOf(join(inside, "config.worktree"))) !== "none") return "odd";
      const text = await readSmall(join(inside, "config"));
      return text !== undefined && hasPlainSettings(text) ? { top: folder } : "odd";
    }
    // A link, or a file that names another folder.
    if (kind !== "none") return "odd";
    if (folder === root) return "none";
    folder = dirname(folder);
  }
  return "odd";
}

/** A folder that is laid out like a repository is one to git, wherever it came from; its objects may lie elsewhere. */
async function looksLikeRepository(folder: string): Promise<boolean> {
  if ((await kindOf(join(folder, "HEAD"))) === "none") return false;
  const parts = await Promise.all(["objects", "commondir"].map((name) => kindOf(join(folder, name))));
  return parts.some((kind) => kind !== "none");
}

export function hasPlainSettings(text: string): boolean {
  let allowed: readonly string[] | undefined;
  for (const written of text.split("\n")) {
    const line = written.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    // A value that goes on in the next line could hide a section from us.
    if (line.endsWith("\\")) return false;
    const section = /^\[([A-Za-z]+)(?:\s+"[^"\\\]]*")?\]$/.exec(line);
    if (section) {
      const name = section[1]!.toLowerCase();
      allowed = Object.hasOwn(PLAIN_SETTINGS, name) ? PLAIN_SETTINGS[name] : undefined;
      if (allowed === undefined) return false;
      continue;
    }
    const key = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=|$)/.exec(line)?.[1]?.toLowerCase();
    if (key === undefined || allowed === undefined) return false;
    if (!allowed.includes(key) && !allowed.includes("*")) return false;
    if (/::/.test(line)) return false;
  }
  return true;
}

async function kindOf(path: string): Promise<"none" | "folder" | "other"> {
  try {
    return (await lstat(path)).isDirectory() ? "folder" : "other";
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return "none";
    return "other";
  }
}

async function readSmall(path: string): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isFile()) return undefined;
    const handle = await open(path, "r");
    try {
      const { size } = await handle.stat();
      return size > SHELL_LIMITS.repositoryConfigBytesMax ? undefined : await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
