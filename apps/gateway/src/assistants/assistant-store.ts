import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { METHODS, type ClientTool, type MethodParams } from "@elwood/core/protocol/methods";
import { agentIdOf, ASSISTANT_ID_PATTERN, assistantIdOf, clientToolId } from "@elwood/core/tool/client-tool";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { isMissingPath } from "@elwood/platform/system-error";
import { serialQueue } from "@elwood/runtime/async/serial-queue";
import type { Agent, Log } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import type { FolderAgents } from "../agents/folder-agents.ts";

/** An assistant that a program has defined. */
export interface StoredAssistant extends MethodParams<"assistant.define"> {
  /** The name of the token that defined it last. */
  readonly definedBy: string;
  readonly context?: unknown;
  /** The tools that its program registered last; it may not be connected now. */
  readonly tools: readonly ClientTool[];
}

const shape = () =>
  z.object({
    v: z.literal(1),
    assistant: METHODS["assistant.define"].params().extend({
      definedBy: z.string(),
      context: z.unknown().optional(),
      tools: METHODS["tools.register"].params().shape.tools,
    }),
  });

/**
 * Assistants of programs, a file each in `assistants/`. They are kept, so that a run of one goes on
 * after a restart although its program has not come back yet.
 */
export class AssistantStore {
  readonly #folder: string;
  readonly #log: Log;
  #all: Promise<Map<string, StoredAssistant>> | undefined;
  readonly #writing = serialQueue();

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  async list(): Promise<readonly StoredAssistant[]> {
    return [...(await this.#known()).values()];
  }

  async get(assistantId: string): Promise<StoredAssistant | undefined> {
    return (await this.#known()).get(assistantId);
  }

  /** Changes are made one after the other; each counts once it is on disk. */
  change(
    assistantId: string,
    change: (before: StoredAssistant | undefined) => StoredAssistant,
  ): Promise<StoredAssistant> {
    return this.#writing.run(async () => {
      const all = await this.#known();
      const before = all.get(assistantId);
      if (before === undefined && all.size >= LIMITS.assistantsMax)
        fail(
          "CONFLICT",
          `There are ${LIMITS.assistantsMax} assistants of programs already. Nothing was changed.`,
        );
      const after = change(before);
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFileAtomic(
        join(this.#folder, `${assistantId}.json`),
        `${JSON.stringify({ v: 1, assistant: after }, null, 2)}\n`,
        { mode: 0o600 },
      );
      all.set(assistantId, after);
      return after;
    });
  }

  #known(): Promise<Map<string, StoredAssistant>> {
    return (this.#all ??= this.#read());
  }

  async #read(): Promise<Map<string, StoredAssistant>> {
    const found = new Map<string, StoredAssistant>();
    for (const file of await this.#files()) {
      const assistantId = file.slice(0, -".json".length);
      try {
        const read = shape().safeParse(JSON.parse(await readFile(join(this.#folder, file), "utf8")));
        if (read.success) found.set(assistantId, read.data.assistant);
        else
          this.#log.warn("the file of an assistant cannot be used; its program must define it again", {
            file,
          });
      } catch (error) {
        this.#log.warn("the file of an assistant cannot be read; its program must define it again", {
          file,
          error,
        });
      }
    }
    return found;
  }

  async #files(): Promise<readonly string[]> {
    try {
      const names = await readdir(this.#folder);
      return names
        .filter((name) => name.endsWith(".json") && ASSISTANT_ID_PATTERN.test(name.slice(0, -5)))
        .sort()
        .slice(0, LIMITS.assistantsMax);
    } catch (error) {
      if (isMissingPath(error)) return [];
      throw error;
    }
  }
}

/** The agents of the workspace, and those that programs have defined. */
export function withAssistants(agents: FolderAgents, store: AssistantStore): FolderAgents {
  return {
    list: () => agents.list(),
    folderOf: (agentId) => agents.folderOf(agentId),
    skill: async (agentId, name) =>
      assistantIdOf(agentId) === undefined ? agents.skill(agentId, name) : undefined,
    async load(agentId) {
      const assistantId = assistantIdOf(agentId);
      if (assistantId === undefined) return agents.load(agentId);
      const assistant = await store.get(assistantId);
      return assistant && agentFrom(assistant);
    },
  };
}

function agentFrom(assistant: StoredAssistant): Agent {
  const { assistantId, name, role, personality, model, gatewayTools = [], context, tools } = assistant;
  return {
    id: agentIdOf(assistantId),
    name,
    description: role,
    ...(model === undefined ? {} : { model }),
    tools: [...tools.map((tool) => clientToolId(assistantId, tool.name)), ...gatewayTools],
    soul: [`Your name is ${name}.`, role && `Your role: ${role}`, personality].filter(Boolean).join("\n\n"),
    instructions:
      context === undefined || context === null
        ? ""
        : `The program that you belong to keeps this for you, as JSON:\n\n${JSON.stringify(context, null, 2)}`,
    toolNotes: "",
  };
}
