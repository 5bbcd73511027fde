import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { NAME_PATTERN } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import type { WorkingContext } from "@elwood/core/model/working-context";
import type { Agent, Agents, Clock, Log } from "@elwood/runtime/ports/ports";
import { readAgentFile, rereadOnChange, type AgentFileReader } from "../config/agent-folder.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { skillCatalog, type Skill } from "./skills.ts";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";

/** An agent in a list. One whose files are broken is still there, and says what is wrong. */
export interface ListedAgent extends Agent {
  readonly problem?: string;
  /** Skills that cannot be used, and why. They keep nobody from running. */
  readonly skillProblems?: readonly string[];
}

export interface FolderAgents extends Agents {
  list(): Promise<readonly ListedAgent[]>;
  /** Where the files of an agent are, or would be. */
  folderOf(agentId: string): string;
  /** A skill of an agent, for reading. */
  skill(agentId: string, name: string): Promise<Skill | undefined>;
}

export interface FolderAgentsOptions {
  readonly workspaceDir: string;
  readonly defaultAgentId: string;
  readonly log: Log;
  /** With it, a file is read again only once it has changed; without it, each time. */
  readonly clock?: Pick<Clock, "now">;
  /** Where agents work; asked for when one is loaded for a run. */
  readonly workingContext?: () => Promise<WorkingContext>;
}

/** The usual name of the agent that lives in the workspace itself. */
export const ROOT_AGENT_ID = "assistant";

/**
 * Agents as folders of Markdown: `SOUL.md`, `AGENTS.md`, `TOOLS.md`, each optional, and
 * `agent.yaml`. They are looked at each time, so that an edit counts from the next message on. The workspace itself is the default agent, which always exists, its files
 * or not; another agent exists once `agents/<id>/` holds at least one of them.
 */
export function folderAgents(options: FolderAgentsOptions): FolderAgents {
  const { workspaceDir, defaultAgentId, log, clock, workingContext } = options;
  const catalog = skillCatalog(workspaceDir, clock);
  const readFile = clock ? rereadOnChange(() => clock.now()) : readAgentFile;

  /** A default agent with a folder of its own leaves the workspace to the usual one. */
  const rootId = (): string => {
    try {
      const own = statSync(join(workspaceDir, "agents", defaultAgentId), { throwIfNoEntry: false });
      return own ? ROOT_AGENT_ID : defaultAgentId;
    } catch (cause) {
      // A folder that is there and cannot be looked at is still that agent's: reading its files says why.
      return isMissingPath(cause) ? defaultAgentId : ROOT_AGENT_ID;
    }
  };

  const read = async (id: string, root: string): Promise<ListedAgent | undefined> => {
    if (!NAME_PATTERN.test(id)) return undefined;
    const files = await readAgentFiles(id, id === root, { workspaceDir, log, readFile });
    if (!files.hasText && id !== root) return undefined;
    const skills = await catalog.of(id === root ? undefined : id);
    return agentFrom(id, files, skills);
  };

  return {
    async list() {
      const root = rootId();
      const names = await folderNames(join(workspaceDir, "agents"), log);
      const agents: ListedAgent[] = [];
      for (const id of new Set([root, ...names])) {
        const agent = await read(id, root);
        if (agent !== undefined) agents.push(agent);
      }
      // The default one first: it is the one that answers when nobody chooses.
      return agents.sort((a, b) => Number(b.id === defaultAgentId) - Number(a.id === defaultAgentId));
    },
    folderOf: (agentId) => (agentId === rootId() ? workspaceDir : join(workspaceDir, "agents", agentId)),
    async skill(agentId, name) {
      const { skills } = await catalog.of(agentId === rootId() ? undefined : agentId);
      return skills.find((skill) => skill.name === name);
    },
    async load(agentId) {
      const agent = await read(agentId, rootId());
      if (agent === undefined) return undefined;
      if (agent.problem === undefined)
        return workingContext ? { ...agent, workingContext: await workingContext() } : agent;
      return fail("INVALID_INPUT", `${agent.problem} No model was asked.`);
    },
  };
}

/** What the files of an agent say. */
interface AgentFiles {
  readonly soul: string;
  readonly instructions: string;
  readonly toolNotes: string;
  readonly settings: AgentSettings;
  /** Whether one of its Markdown files is there: a folder without any is no agent. */
  readonly hasText: boolean;
  readonly problems: readonly string[];
}

async function readAgentFiles(
  id: string,
  isRoot: boolean,
  {
    workspaceDir,
    log,
    readFile,
  }: { readonly workspaceDir: string; readonly log: Log; readonly readFile: AgentFileReader },
): Promise<AgentFiles> {
  const folder = isRoot ? workspaceDir : join(workspaceDir, "agents", id);
  const shown = (name: string) => (isRoot ? name : `agents/${id}/${name}`);
  const problems: string[] = [];
  let found = 0;
  const text = async (name: string): Promise<string> => {
    const file = await readFile(folder, name, workspaceDir);
    if (!file.ok) {
      found += 1;
      problems.push(`${shown(name)} ${file.error}`);
      return "";
    }
    if (file.value.found) found += 1;
    if (file.value.cut) {
      const kb = LIMITS.agentFileBytesMax / 1024;
      log.warn(`${shown(name)} is longer than ${kb} KB; only its beginning is used`, { agentId: id });
    }
    return file.value.text.trim();
  };
  const soul = await text("SOUL.md");
  const instructions = await text("AGENTS.md");
  const toolNotes = await text("TOOLS.md");
  const hasText = found > 0;
  const yaml = await text("agent.yaml");
  let settings: AgentSettings = {};
  // A folder that is no agent is not judged by its settings.
  if (yaml !== "" && (hasText || isRoot)) {
    // Brings the YAML parser, which is large; most agents have no such file.
    const { parseAgentSettings } = await import("./agent-settings.ts");
    const parsed = parseAgentSettings(yaml, shown("agent.yaml"));
    if (parsed.ok) settings = parsed.value;
    else problems.push(`Agent ${id}: ${parsed.error}`);
  }
  return { soul, instructions, toolNotes, settings, hasText, problems };
}

function agentFrom(
  id: string,
  { soul, instructions, toolNotes, settings, problems }: AgentFiles,
  { skills, problems: skillProblems }: Awaited<ReturnType<ReturnType<typeof skillCatalog>["of"]>>,
): ListedAgent {
  const { name, description, model, tools, calls, prompt, temperature, topP } = settings;
  return {
    id,
    name: name ?? titleOf(id),
    description: description ?? "",
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : typeof tools === "string" ? { toolSet: tools } : { tools }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(calls === undefined ? {} : { calls }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    soul,
    instructions,
    toolNotes,
    ...(skills.length > 0 ? { skills } : {}),
    ...(skillProblems.length > 0 ? { skillProblems } : {}),
    ...(problems.length > 0 ? { problem: problems.join(" ") } : {}),
  };
}

async function folderNames(folder: string, log: Log): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isFile() && NAME_PATTERN.test(entry.name))
      .map((entry) => entry.name)
      .sort();
    // One place is the root agent's.
    if (names.length >= LIMITS.agentsMax) {
      log.warn(`there are more than ${LIMITS.agentsMax} agents; the first are used`, { count: names.length });
    }
    return names.slice(0, LIMITS.agentsMax - 1);
  } catch (cause) {
    if (isMissingPath(cause)) return [];
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    const why = code === "EACCES" || code === "EPERM" ? "this user may not read it" : code;
    log.warn(`the agents in ${folder} cannot be listed: ${why}`, { code });
    return [];
  }
}

function titleOf(id: string): string {
  if (id === ROOT_AGENT_ID) return "Elwood";
  return id.charAt(0).toUpperCase() + id.slice(1).replaceAll(/[_-]/g, " ");
}
