import { LIMITS } from "@elwood/core/base/limits";
import { toWireName, type ToolSpec } from "@elwood/core/model/model";
import { matchesTool, reservedName, resolveToolName } from "@elwood/core/tool/tool";
import {
  TOOL_SOURCES,
  type RegisteredTool,
  type ToolSource,
  type ToolSnapshot,
} from "@elwood/runtime/ports/gate-ports";
import type { ToolDefinition } from "@elwood/sdk/tool";
import type { UnavailableTools } from "./unavailable-tools.ts";
import { modelSchema } from "@elwood/sdk/schema/model-schema";
import { registerTool, type ToolProvisions } from "./register-tool.ts";
import { dedupeDescriptions } from "@elwood/runtime/gate/dedupe-descriptions";

/** The tools of one source. */
export interface ToolGroup {
  readonly source: ToolSource;
  readonly tools: readonly ToolDefinition[];
  /** Tools of this source that cannot work at the moment. */
  readonly off?: readonly UnavailableTools[];
  /** What of this source cannot be offered, and why; a sentence each. */
  readonly problems?: readonly string[];
}

export interface BuiltToolSnapshot {
  readonly toolSnapshot: ToolSnapshot;
  /** Tools that were left out, and why; a sentence each. */
  readonly problems: readonly string[];
}

/**
 * Registers all tools at once. A tool that cannot be used is left out and reported. Of two tools with the
 * same name the built-in one wins, then the workspace's: a tool that is loaded later can never replace
 * one the owner knows.
 */
export function buildToolSnapshot(
  toolGroups: readonly ToolGroup[],
  provisions: ToolProvisions,
): BuiltToolSnapshot {
  const tools = new Map<string, RegisteredTool>();
  const names = new Map<string, string>();
  const problems: string[] = toolGroups.flatMap((group) => group.problems ?? []);
  const ordered = TOOL_SOURCES.flatMap((source) => toolGroups.filter((group) => group.source === source));
  for (const { source, tools: definitions } of ordered) {
    for (const definition of definitions) {
      const reserved = source === "built-in" ? undefined : reservedName(definition.id);
      if (reserved !== undefined) {
        problems.push(
          `The tool ${definition.id} (${source}) was left out: names that begin with "${reserved}." are Elwood's own. Give it another id.`,
        );
        continue;
      }
      const wireName = toWireName(definition.id).toLowerCase();
      const taken = names.get(wireName);
      if (taken !== undefined) {
        problems.push(collision(definition.id, taken, source));
        continue;
      }
      if (tools.size >= LIMITS.toolsMax) {
        problems.push(`The tool ${definition.id} was left out: there are ${LIMITS.toolsMax} tools already.`);
        continue;
      }
      const registered = registerTool(definition, source, provisions);
      if (!registered.ok) {
        problems.push(registered.error);
        continue;
      }
      names.set(wireName, definition.id);
      tools.set(definition.id, registered.value);
    }
  }
  return { toolSnapshot: snapshotOf(tools), problems };
}

/** The tools an agent may use, by its patterns and the aliases in them; all where it names none. */
export function toolsFor(
  toolSnapshot: ToolSnapshot,
  patterns: readonly string[] | undefined,
): readonly RegisteredTool[] {
  if (patterns === undefined) return toolSnapshot.list();
  const meant = patterns.map((pattern) => resolveToolName(pattern) ?? pattern);
  return toolSnapshot
    .list()
    .filter(({ contract }) => meant.some((pattern) => matchesTool(pattern, contract.id)));
}

/** The same tools as a model sees them; always in the same order, so that the provider's prompt cache holds. */
export function toolSpecs(
  toolSnapshot: ToolSnapshot,
  patterns: readonly string[] | undefined,
): readonly ToolSpec[] {
  const specs = toolsFor(toolSnapshot, patterns).map(({ contract }) => ({
    toolId: contract.id,
    description: contract.description,
    inputSchema: modelSchema(contract.input),
    ...(contract.risk === "read" ? { reads: true } : {}),
  }));
  return dedupeDescriptions(specs);
}

export function snapshotOf(tools: ReadonlyMap<string, RegisteredTool>): ToolSnapshot {
  const list = [...tools.values()].sort((a, b) => (a.contract.id < b.contract.id ? -1 : 1));
  return {
    get: (toolId) => tools.get(resolveToolName(toolId) ?? toolId),
    list: () => list,
  };
}

function collision(id: string, taken: string, source: ToolSource): string {
  const same = id === taken ? "there is a tool of that name already" : `its name can be taken for ${taken}`;
  return `The tool ${id} (${source}) was left out: ${same}. Give it another id.`;
}
