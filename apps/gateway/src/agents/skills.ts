import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NAME_PATTERN } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import { cutLine, plainLine } from "@elwood/core/message/session-text";
import type { Clock, SkillInfo } from "@elwood/runtime/ports/ports";
import { readAgentFile } from "../config/agent-folder.ts";
import { stampOf } from "@elwood/platform/file-stamp";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";

/** A folder with a `SKILL.md`. */
export interface Skill extends SkillInfo {
  readonly folder: string;
  /** Its folder from the workspace on, as people name it. */
  readonly shown: string;
  /** What none of its files may lead out of. */
  readonly root: string;
}

const GUIDE_DIR = fileURLToPath(new URL("../../../../docs", import.meta.url));

/** How Elwood itself works, for its assistant. A skill of the workspace that is called so takes its place. */
const GUIDE: Skill = {
  name: "elwood",
  description: "What Elwood can do, and how it is used and set up: folders, what asks, undo, models, chats.",
  folder: GUIDE_DIR,
  shown: "Elwood's guide",
  root: GUIDE_DIR,
};

export interface SkillList {
  /** Elwood's guide, then by name, so that the same skills always stand in the same order. */
  readonly skills: readonly Skill[];
  /** One sentence for each that cannot be used. */
  readonly problems: readonly string[];
}

type Read = { readonly skill: Skill } | { readonly problem: string };

/**
 * Skills as folders: `skills/<name>/SKILL.md` of the workspace for every agent, and
 * `agents/<id>/skills/<name>/` for one, which come first. Each is looked at anew for every run and
 * read again only where its file has changed. One that is broken is named, and left out.
 */
export function skillCatalog(
  workspaceDir: string,
  clock?: Pick<Clock, "now">,
  list: (folder: string) => readonly string[] = folderNames,
): { of(agentId: string | undefined): Promise<SkillList> } {
  const known = new Map<string, { readonly stamp: string; readonly read: Read }>();
  const listed = new Map<string, { readonly stamp: string; readonly names: readonly string[] }>();

  /** The names in a folder; with a clock, they are listed again only once they have changed. */
  function namesIn(parent: string): readonly string[] {
    const stamp = clock && stampOf(parent, clock.now());
    if (stamp === "missing") return [];
    const before = listed.get(parent);
    if (stamp !== undefined && before?.stamp === stamp) return before.names;
    const names = list(parent);
    listed.delete(parent);
    if (stamp === undefined) return names;
    if (listed.size >= LIMITS.agentsMax) listed.clear();
    listed.set(parent, { stamp, names });
    return names;
  }

  async function look(parent: string, shown: string): Promise<Read[]> {
    const found: Read[] = [];
    for (const name of namesIn(parent)) {
      const folder = join(parent, name);
      const place = `${shown}/${name}`;
      const stamp = skillStamp(join(folder, "SKILL.md"));
      if (stamp === undefined) continue;
      const before = known.get(folder);
      const read = before?.stamp === stamp ? before.read : await readSkill(folder, name, place, workspaceDir);
      if (before === undefined && known.size >= LIMITS.skillsMax * LIMITS.agentsMax) known.clear();
      known.set(folder, { stamp, read });
      found.push(read);
    }
    return oncePerName(found);
  }

  return {
    async of(agentId) {
      const own =
        agentId === undefined
          ? []
          : await look(join(workspaceDir, "agents", agentId, "skills"), `agents/${agentId}/skills`);
      const all = [...own, ...(await look(join(workspaceDir, "skills"), "skills"))];
      const skills = new Map<string, Skill>();
      for (const read of all)
        if ("skill" in read && !skills.has(read.skill.name)) skills.set(read.skill.name, read.skill);
      const sorted = [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      const problems = all.flatMap((read) => ("problem" in read ? [read.problem] : []));
      if (sorted.length > LIMITS.skillsMax)
        problems.push(`There are ${sorted.length} skills, and the first ${LIMITS.skillsMax} are used.`);
      const used = sorted.slice(0, LIMITS.skillsMax);
      return { skills: skills.has(GUIDE.name) ? used : [GUIDE, ...used], problems };
    },
  };
}

/** A folder that is called like its skill goes before one that only says so: no other can take its place. */
function oncePerName(found: readonly Read[]): Read[] {
  const byName = new Map<string, Skill>();
  const isCalledSo = ({ name, shown }: Skill) => shown.endsWith(`/${name}`);
  for (const read of found) {
    if (!("skill" in read)) continue;
    const { skill } = read;
    if (!byName.has(skill.name) || isCalledSo(skill)) byName.set(skill.name, skill);
  }
  return found.map((read) => {
    if (!("skill" in read)) return read;
    const { name, shown } = read.skill;
    const first = byName.get(name)!;
    if (first === read.skill) return read;
    return { problem: `${shown}/SKILL.md is named ${name} like ${first.shown}, which is used.` };
  });
}

async function readSkill(folder: string, name: string, shown: string, workspaceDir: string): Promise<Read> {
  const file = `${shown}/SKILL.md`;
  const read = await readAgentFile(folder, "SKILL.md", workspaceDir);
  if (!read.ok) return { problem: `${file} ${read.error}` };
  const head = frontMatter(read.value.text);
  if (head === undefined)
    return {
      problem: `${file} does not begin with a block between two lines of ---, which holds name and description.`,
    };
  // The YAML parser is large; most workspaces have no skills.
  const { parseSettingsFile } = await import("../config/yaml-file.ts");
  const { root, problems } = parseSettingsFile(head, file);
  if (problems[0] !== undefined) return { problem: `${shown}: ${problems[0].text}` };
  const valueOf = (key: string) => {
    const node = root.entries.find((entry) => entry.key === key)?.node;
    return node?.kind === "value" && node.value !== null ? plainLine(String(node.value)) : "";
  };
  const called = valueOf("name") || name;
  if (!NAME_PATTERN.test(called))
    return {
      problem: `${file} is named “${cutLine(called, 40)}”; a skill's name is made of small letters, digits, - and _.`,
    };
  const description = valueOf("description");
  if (description === "")
    return { problem: `${file} says nothing under description, so nobody would know when to use it.` };
  const told = cutLine(description, LIMITS.skillDescriptionCharsMax);
  return { skill: { name: called, description: told, folder, shown, root: workspaceDir } };
}

/** What stands between the first two lines of ---; the line before it is kept, so that line numbers fit the file. */
function frontMatter(text: string): string | undefined {
  const found = /^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return found ? `\n${found[1]}` : undefined;
}

function folderNames(parent: string): string[] {
  try {
    // Most workspaces have none, and an error for every run would cost more than this look.
    if (!statSync(parent, { throwIfNoEntry: false })) return [];
    const entries = readdirSync(parent, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isFile() && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .sort()
      .slice(0, LIMITS.skillsMax * 2);
  } catch (cause) {
    if (isUnreachable(cause)) return [];
    throw cause;
  }
}

function skillStamp(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const { mtimeMs, size, ino } = stats;
    return `${mtimeMs} ${size} ${ino}`;
  } catch (cause) {
    if (isUnreachable(cause)) return undefined;
    throw cause;
  }
}

function isUnreachable(cause: unknown): boolean {
  return isMissingPath(cause) || errorCode(cause) === "ELOOP" || errorCode(cause) === "EACCES";
}
