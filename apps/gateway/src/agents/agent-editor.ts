import { lstat, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { WireAgentText } from "@elwood/core/protocol/settings-shapes";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { storageFailure } from "@elwood/platform/storage-failure";
import { sha256 } from "@elwood/platform/system";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";
import type { Person } from "@elwood/runtime/ports/ports";
import { readAgentFile } from "../config/agent-folder.ts";
import { editSettings, type FileEdit } from "../config/edit-settings.ts";
import type { RecordedChange } from "../config/config-writer.ts";
import { parseAgentSettings, toolPatterns } from "./agent-settings.ts";
import type { FolderAgents } from "./folder-agents.ts";

export interface AgentEditorDeps {
  readonly workspaceDir: string;
  readonly agents: Pick<FolderAgents, "folderOf" | "list">;
  /** Leaves the receipt; what it throws prevents the change. */
  readonly record: (change: RecordedChange, by: Person) => Promise<void>;
}

/** Who changes an agent, and what they may. */
export interface AgentChanger {
  readonly by: Person;
  readonly mayApprove: boolean;
}

/** The files of agents, as their owner changes them without an editor. The receipt comes before the files. */
export interface AgentEditor {
  /** Undefined where there is no such folder; an assistant of a program has none. */
  read(agentId: string): Promise<WireAgentText | undefined>;
  save(
    change: MethodParams<"agents.save">,
    changer: AgentChanger,
  ): Promise<{ readonly agentId: string; readonly revision: string }>;
}

const NOTHING = "Nothing was changed.";
const FILES = { soul: "SOUL.md", instructions: "AGENTS.md", settings: "agent.yaml" } as const;
type Texts = Readonly<Record<keyof typeof FILES, string>>;

export function agentEditor({ workspaceDir, agents, record }: AgentEditorDeps): AgentEditor {
  const textsOf = async (folder: string): Promise<Texts> => {
    const text = async (name: string): Promise<string> => {
      const file = await readAgentFile(folder, name, workspaceDir);
      if (!file.ok) return fail("CONFLICT", `${name} ${file.error} ${NOTHING}`);
      if (file.value.cut)
        fail(
          "CONFLICT",
          `${name} is longer than ${LIMITS.agentFileBytesMax / 1024} KB, so it can only be changed with an editor. ${NOTHING}`,
        );
      return file.value.text;
    };
    return {
      soul: await text(FILES.soul),
      instructions: await text(FILES.instructions),
      settings: await text(FILES.settings),
    };
  };

  return {
    async read(agentId) {
      const known = (await agents.list()).find(({ id }) => id === agentId);
      if (known === undefined) return undefined;
      const texts = await textsOf(agents.folderOf(agentId));
      const parsed = parseAgentSettings(texts.settings, FILES.settings);
      const settings = parsed.ok ? parsed.value : {};
      return {
        name: known.name,
        description: known.description,
        model: settings.model ?? null,
        tools: toolPatterns(settings)?.slice() ?? null,
        temperature: settings.temperature ?? null,
        topP: settings.topP ?? null,
        soul: texts.soul,
        instructions: texts.instructions,
        revision: revisionOf(texts),
      };
    },

    async save({ agentId, expected, soul, instructions, confirm, ...wanted }, { by, mayApprove }) {
      const exists = (await agents.list()).some(({ id }) => id === agentId);
      if (expected === null && exists)
        fail("CONFLICT", `There is an agent "${agentId}" already. ${NOTHING} Choose another name.`);
      if (expected !== null && !exists) fail("NOT_FOUND", `There is no agent "${agentId}". ${NOTHING}`);
      const folder = agents.folderOf(agentId);
      const before = await textsOf(folder);
      if (expected !== null && revisionOf(before) !== expected)
        fail(
          "CONFLICT",
          `The files of the agent "${agentId}" were changed meanwhile. ${NOTHING} Look at them again, then decide.`,
        );
      const after: Texts = {
        soul: soul ?? before.soul,
        // A folder without words is no agent.
        instructions: instructions ?? (exists ? before.instructions : `# ${wanted.name ?? agentId}\n`),
        settings: withSettings(before.settings, wanted),
      };
      if (moreTools(before.settings, after.settings)) {
        if (!mayApprove)
          fail("SCOPE_MISSING", `Only who may approve can give an agent more tools. ${NOTHING}`);
        if (confirm !== true)
          fail("INVALID_INPUT", `This gives the agent more tools: say confirm: true to mean it. ${NOTHING}`);
      }
      const changed = (Object.keys(FILES) as (keyof Texts)[]).filter((each) => after[each] !== before[each]);
      const revision = revisionOf(after);
      if (changed.length === 0) return { agentId, revision };
      await inWords(folder, async () => {
        await mkdir(folder, { recursive: true });
        for (const each of changed) await plainFile(join(folder, FILES[each]));
      });
      const keys = changed.map((each) => `agents.${agentId}.${FILES[each]}`);
      await record({ keys, removed: [], secrets: [], revision }, by);
      await inWords(folder, async () => {
        for (const each of changed)
          await writeFileAtomic(join(folder, FILES[each]), after[each], { mode: 0o600 });
      });
      return { agentId, revision };
    },
  };
}

function revisionOf({ soul, instructions, settings }: Texts): string {
  return sha256(JSON.stringify([soul, instructions, settings]));
}

/** The text of `agent.yaml` with what is wanted in it; remarks stay. */
function withSettings(text: string, wanted: Readonly<Record<string, unknown>>): string {
  const edits = Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]): FileEdit => ({ path: [key], value: value === null ? undefined : value }));
  if (edits.length === 0) return text;
  const edited = editSettings(text, edits);
  if (edited === undefined)
    return fail("CONFLICT", `${FILES.settings} is written in a way that cannot be changed here. ${NOTHING}`);
  const parsed = parseAgentSettings(edited, FILES.settings);
  if (!parsed.ok) return fail("INVALID_INPUT", `${parsed.error} ${NOTHING}`);
  return edited;
}

function moreTools(before: string, after: string): boolean {
  const tools = (text: string) => {
    const parsed = parseAgentSettings(text, FILES.settings);
    return parsed.ok ? toolPatterns(parsed.value) : undefined;
  };
  const old = tools(before);
  // Without a list an agent may use all of them.
  if (old === undefined) return false;
  return tools(after)?.some((tool) => !old.includes(tool)) ?? true;
}

/** Through a link the words of the prompt would be written somewhere else. */
async function plainFile(path: string): Promise<void> {
  try {
    if ((await lstat(path)).isFile()) return;
  } catch (cause) {
    if (isMissingPath(cause)) return;
    throw cause;
  }
  fail("SETTING_FIXED", `${basename(path)} is a link, so it is changed where it leads to. ${NOTHING}`);
}

async function inWords<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (errorCode(cause) === undefined) throw cause;
    throw new FailureError(storageFailure(cause, folder, "Change the files where they come from."));
  }
}
