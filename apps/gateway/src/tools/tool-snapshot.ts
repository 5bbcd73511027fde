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
  /** Patterns of tools that are taken in once somebody needs tools. */
  readonly asleep?: readonly string[];
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

/**
 * In the order in which they came, as far as `before` knows: a tool that joins later stands behind
 * those that a model was offered already, so that the provider's prompt cache holds. Those that came
 * together stand by source and name.
 */
export function snapshotOf(
  tools: ReadonlyMap<string, RegisteredTool>,
  before: readonly RegisteredTool[] = [],
): ToolSnapshot {
  const arrived = new Map(before.map(({ contract }, at) => [contract.id, at]));
  const at = ({ contract }: RegisteredTool) => arrived.get(contract.id) ?? before.length;
  const list = [...tools.values()].sort(
    (a, b) =>
      at(a) - at(b) ||
      TOOL_SOURCES.indexOf(a.source ?? "built-in") - TOOL_SOURCES.indexOf(b.source ?? "built-in") ||
      (a.contract.id < b.contract.id ? -1 : 1),
  );
  let meant: ReadonlyMap<string, string | undefined> | undefined;
  return {
    get: (toolId) => {
      // An id has a dot, and no alias has one.
      const exact = tools.get(toolId) ?? tools.get(resolveToolName(toolId) ?? toolId);
      if (exact) return exact;
      meant ??= spelledNames([...tools.keys()]);
      const id = meant.get(spelledAlike(toolId));
      return id === undefined ? undefined : tools.get(id);
    },
    list: () => list,
  };
}

/** Names as small models write them: another separator, other case, a prefix of their format. */
function spelledAlike(name: string): string {
  return name
    .toLowerCase()
    .replace(/^(?:functions?|tools?|default_api)[^a-z0-9]+/, "")
    .replace(/\(\)$/, "")
    .replaceAll(/[^a-z0-9]+/g, ".");
}

/** A spelling that two tools share means neither. */
function spelledNames(ids: readonly string[]): ReadonlyMap<string, string | undefined> {
  const names = new Map<string, string | undefined>();
  for (const id of ids) {
    const name = spelledAlike(id);
    names.set(name, names.has(name) ? undefined : id);
  }
  return names;
}

function collision(id: string, taken: string, source: ToolSource): string {
  const same = id === taken ? "there is a tool of that name already" : `its name can be taken for ${taken}`;
  return `The tool ${id} (${source}) was left out: ${same}. Give it another id.`;
}
