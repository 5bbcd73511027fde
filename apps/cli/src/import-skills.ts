import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { skillCatalog } from "@elwood/gateway/agents/skills";
import { isMissingPath } from "@elwood/platform/system-error";
import { say, type Speaking } from "./words/say.ts";

/** A skill of another assistant, and why it is not taken over, if it is not. */
export interface PlannedSkill {
  readonly from: string;
  readonly name: string;
  readonly description: string;
  readonly folder: string;
  /** Its plain files, by their path in its folder. */
  readonly files: readonly string[];
  readonly bytes: number;
  readonly left?: string;
}

export interface SkillPlan {
  readonly skills: readonly PlannedSkill[];
  /** A sentence for each that cannot be read. */
  readonly problems: readonly string[];
}

const FILES_MAX = 100;
const BYTES_MAX = 2 * 1024 * 1024;
const DEPTH_MAX = 6;

/** What has a folder `skills` with a folder for each, from the home folder. Claude Desktop keeps its own elsewhere than on this machine. */
const PLACES: readonly { readonly program: string; readonly path: readonly string[] }[] = [
  { program: "Claude Code", path: [".claude"] },
  { program: "Codex", path: [".codex"] },
  { program: "Codex", path: [".agents"] },
  { program: "OpenClaw", path: [".openclaw"] },
  { program: "OpenClaw", path: [".openclaw", "workspace"] },
];

/** The skills that other assistants have in the home folder. Reads only. */
export async function plannedSkills(io: Speaking, home: string, workspaceDir: string): Promise<SkillPlan> {
  const { skills: own } = await skillCatalog(workspaceDir).of(undefined);
  const taken = new Set(own.map(({ name }) => name));
  const skills: PlannedSkill[] = [];
  const problems: string[] = [];
  for (const { program, path } of PLACES) {
    const found = await skillCatalog(join(home, ...path)).of(undefined);
    problems.push(...found.problems.map((each) => `${program}: ${each}`));
    for (const { name, description, folder } of found.skills) {
      const content = await contentOf(folder);
      const left = taken.has(name) ? say(io, "There is a skill of this name already.") : tooMuch(io, content);
      taken.add(name);
      skills.push({ from: program, name, description, folder, ...content, ...(left && { left }) });
    }
  }
  return { skills, problems };
}

/** Copies a skill into the workspace: whole, or not at all. It gives no permission, and its scripts become plain files. */
export async function takeSkill({ name, folder, files }: PlannedSkill, workspaceDir: string): Promise<void> {
  const parent = join(workspaceDir, "skills");
  const making = join(parent, `.importing-${name}`);
  await rm(making, { recursive: true, force: true });
  try {
    for (const file of files) {
      const target = join(making, file);
      await mkdir(join(target, ".."), { recursive: true, mode: 0o700 });
      await copyFile(join(folder, file), target, constants.COPYFILE_EXCL);
      await chmod(target, 0o600);
    }
    await rename(making, join(parent, name));
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

interface Content {
  readonly files: readonly string[];
  readonly bytes: number;
}

/** Links are left out, and so is what is hidden: a skill is what lies in its folder. */
async function contentOf(folder: string, within = "", depth = 0): Promise<Content> {
  const files: string[] = [];
  let bytes = 0;
  for (const entry of await entriesOf(join(folder, within))) {
    if (entry.name.startsWith(".") || files.length > FILES_MAX || bytes > BYTES_MAX) continue;
    const path = join(within, entry.name);
    if (entry.isDirectory() && depth < DEPTH_MAX) {
      const inside = await contentOf(folder, path, depth + 1);
      files.push(...inside.files);
      bytes += inside.bytes;
    } else if (entry.isFile()) {
      files.push(path);
      bytes += (await lstat(join(folder, path))).size;
    }
  }
  return { files, bytes };
}

async function entriesOf(folder: string) {
  try {
    return (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isMissingPath(error)) return [];
    throw error;
  }
}

function tooMuch(io: Speaking, { files, bytes }: Content): string | undefined {
  if (files.length > FILES_MAX) return say(io, "It has more than {0} files.", FILES_MAX);
  return bytes > BYTES_MAX ? say(io, "It is larger than {0} MB.", BYTES_MAX / 1024 / 1024) : undefined;
}
