import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fail, FailureError } from "@elwood/core/base/failure";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { storageFailure } from "@elwood/platform/storage-failure";
import { unfinishedRestore } from "../backup/unfinished-restore.ts";
import type { LoadedConfig } from "./load.ts";
import { ensureHome } from "./paths.ts";
import type { Notice } from "./problem.ts";
import { configTemplate } from "./config-template.ts";

export const WORKSPACE_TEMPLATES = ["SOUL.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md"] as const;
/** How to write tools and skills of one's own, beside where they lie. */
const GUIDES = ["tools", "skills"].map((folder) => join(folder, "README.md"));

/** The templates that come with Elwood: the folder `workspace` of the repository. */
export const TEMPLATES_DIR = fileURLToPath(new URL("../../../../workspace", import.meta.url));

export interface FirstRun {
  /** The file that was written; undefined where one was there. */
  readonly configWritten?: string;
  readonly templatesCopied: readonly string[];
  readonly notices: readonly Notice[];
}

/**
 * Makes what a first start needs and leaves alone what is there. Safe to call at every
 * start, and by two processes at once. Throws a FailureError where the state directory
 * cannot be written.
 */
export async function prepareHome(
  loaded: LoadedConfig,
  options: { readonly templatesDir?: string; readonly userHome?: string } = {},
): Promise<FirstRun> {
  if ((await unfinishedRestore(loaded.paths.home)) !== undefined)
    fail(
      "CONFLICT",
      `A restore of ${loaded.paths.home} was broken off in the middle. Nothing was started. Finish it with: elwood backup restore --finish`,
    );
  const { tightened } = await ensureHome(loaded.paths.home, options.userHome);
  const notices: Notice[] = [];
  if (tightened) {
    notices.push({
      kind: "warning",
      text: `${loaded.paths.home} was open to other users. It was closed (0700).`,
    });
  }
  await mkdir(loaded.paths.files, { recursive: true, mode: 0o700 });
  const path = loaded.paths.config;
  const written =
    loaded.file === undefined &&
    (await inWords(path, "Set ELWOOD_HOME to a folder you can write to.", () =>
      writeFileAtomic(path, configTemplate(loaded.config.timeZone), { mode: 0o600, create: true }),
    ));
  const next = "Until then the assistant answers without its SOUL.md, AGENTS.md and TOOLS.md.";
  const copying = inWords(loaded.workspaceDir, next, () =>
    copyTemplates(options.templatesDir ?? TEMPLATES_DIR, loaded.workspaceDir, written),
  );
  const templatesCopied = await copying.catch((cause: unknown) => {
    // A folder of the owner's choosing that cannot be filled is told, but stops nothing.
    if (!(cause instanceof FailureError) || loaded.config.agents.workspaceDir === undefined) throw cause;
    notices.push({ kind: "warning", key: "agents.workspaceDir", text: cause.message });
    return [];
  });
  return { ...(written ? { configWritten: path } : {}), templatesCopied, notices };
}

/**
 * Fills the workspace once. Later a missing template stays missing: its owner took it
 * away, and putting it back would bring back words they did not want.
 */
async function copyTemplates(from: string, to: string, firstRun: boolean): Promise<string[]> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const there = await readdir(to);
  if (!firstRun && WORKSPACE_TEMPLATES.some((name) => there.includes(name))) return [];
  const copied: string[] = [];
  for (const name of WORKSPACE_TEMPLATES) {
    if (there.includes(name)) continue;
    // Not copyFile: it asks for the file's owner to be kept, which a hardened unit forbids.
    const text = await readFile(join(from, name), "utf8");
    if (await writeFileAtomic(join(to, name), text, { mode: 0o600, create: true })) copied.push(name);
  }
  for (const guide of GUIDES) {
    await mkdir(join(to, dirname(guide)), { recursive: true, mode: 0o700 });
    const text = await readFile(join(from, guide), "utf8");
    await writeFileAtomic(join(to, guide), text, { mode: 0o600, create: true });
  }
  return copied;
}

async function inWords<T>(path: string, next: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    throw new FailureError(storageFailure(cause, path, next));
  }
}
