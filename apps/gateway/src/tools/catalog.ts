import { CATALOG_CALL, CATALOG_DESCRIBE, CATALOG_SEARCH } from "@elwood/core/tool/catalog";
import { showLine } from "@elwood/core/base/show";
import type { RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import { defineTool, result, ToolError, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import type { ToolGroup } from "./tool-snapshot.ts";
import { registerTool, type ToolProvisions } from "./register-tool.ts";

/** With more tools of MCP servers than this, a model finds them by searching: their schemas would fill its prompt. */
export const CATALOG_ABOVE = 40;

const HITS_MAX = 10;
const DESCRIBED_MAX = 5;
const LINE_CHARS_MAX = 160;
const QUERY_CHARS_MAX = 300;
const SCHEMA_CHARS_MAX = 16_000;
/** Servers that are named in the prompt; it must not grow with their number. */
const SERVERS_NAMED_MAX = 24;

/** What the catalog answers are words of servers. */
const LABELS = { egress: "none", output: "untrusted", critical: [], sensitive: false } as const;

/** Which of these tools a model must search for; none where there are few enough to show. */
export function catalogued(tools: readonly RegisteredTool[]): readonly RegisteredTool[] {
  const theirs = tools.filter(({ source }) => source === "mcp");
  return theirs.length > CATALOG_ABOVE ? theirs : [];
}

/** Whether there are so many of MCP servers that the table of all tools needs a catalog. */
export function needsCatalog(groups: readonly ToolGroup[]): boolean {
  const theirs = groups.filter(({ source }) => source === "mcp").map(({ tools }) => tools.length);
  return theirs.reduce((sum, count) => sum + count, 0) > CATALOG_ABOVE;
}

/**
 * The three tools that stand in the prompt for many. What they say depends on the table alone, in an order
 * of its own, so the prompt stays the same from run to run.
 */
export function catalogTools(
  tools: readonly RegisteredTool[],
  provisions: ToolProvisions,
): readonly RegisteredTool[] {
  return catalogDefinitions(tools).map((definition) => {
    const registered = registerTool(definition, "built-in", provisions);
    if (!registered.ok) throw new Error(registered.error);
    return registered.value;
  });
}

/** For the table of all tools; what they find is for each run to say. */
export function catalogDefinitions(tools: readonly RegisteredTool[]): readonly ToolDefinition[] {
  return [searchTool(tools), describeTool(tools), callTool()];
}

function searchTool(tools: readonly RegisteredTool[]): ToolDefinition {
  return defineTool({
    id: CATALOG_SEARCH,
    description: `Finds tools that are not listed here, by words of what they do. There are ${tools.length}, of ${serversInWords(tools)}.`,
    risk: "read",
    labels: LABELS,
    idempotent: true,
    input: z.strictObject({ query: z.string().min(1).max(QUERY_CHARS_MAX) }),
    target: ({ query }) => query,
    handler: ({ query }) => {
      const found = rank(tools, query).slice(0, HITS_MAX);
      const lines = found.map(({ contract }) => `${contract.id}: ${lineOf(contract.description)}`);
      return result(
        { tools: found.map(({ contract }) => contract.id) },
        {
          text:
            lines.length === 0
              ? "No tool fits these words. Try others, or fewer."
              : `${lines.join("\n")}\nRead the arguments with ${CATALOG_DESCRIBE}, then call with ${CATALOG_CALL}.`,
        },
      );
    },
  });
}

function describeTool(tools: readonly RegisteredTool[]): ToolDefinition {
  const byId = new Map(tools.map((tool) => [tool.contract.id, tool.contract]));
  return defineTool({
    id: CATALOG_DESCRIBE,
    description: "What tools that were found do, and the JSON Schema of their arguments.",
    risk: "read",
    labels: LABELS,
    idempotent: true,
    input: z.strictObject({ tools: z.array(z.string()).min(1).max(DESCRIBED_MAX) }),
    target: ({ tools: wanted }) => wanted.join(", "),
    handler: ({ tools: wanted }) => {
      const found = wanted.flatMap((id) => byId.get(id) ?? []);
      if (found.length === 0)
        throw new ToolError("not_found", `There are no such tools. Find some with ${CATALOG_SEARCH}.`);
      const texts = found.map(({ id, description, input }) => {
        const schema = JSON.stringify(input);
        const shown =
          schema.length <= SCHEMA_CHARS_MAX ? schema : `${schema.slice(0, SCHEMA_CHARS_MAX)}… (cut)`;
        return `${id}\n${description}\nArguments: ${shown}`;
      });
      const unknown = wanted
        .filter((id) => !byId.has(id))
        .map((id) => `${showLine(id)}: there is no such tool`);
      return result({ tools: found.map(({ id }) => id) }, { text: [...texts, ...unknown].join("\n\n") });
    },
  });
}

/** Calls are made as calls of the tool that is named (see `meantCall`), so only a wrong one comes here. */
function callTool(): ToolDefinition {
  return defineTool({
    id: CATALOG_CALL,
    description: "Calls a tool that was found, as if it were listed here.",
    // What a call through it does is for the tool to say that it names.
    risk: "write",
    labels: LABELS,
    facts: () => [
      { kind: "deny", rule: "hard.catalog", reason: "The catalog cannot be called from itself." },
    ],
    input: z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()) }),
    target: ({ tool }) => tool,
    handler: () => {
      throw new ToolError(
        "not_callable",
        "A tool of the catalog cannot be called from here. Nothing was done.",
      );
    },
  });
}

function serversInWords(tools: readonly RegisteredTool[]): string {
  const counts = new Map<string, number>();
  for (const { contract } of tools) {
    const server = contract.id.split(".", 1)[0]!;
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const named = sorted.slice(0, SERVERS_NAMED_MAX).map(([server, count]) => `${server} (${count})`);
  const more = counts.size - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more servers` : ""}`;
}

/** By how many of the words a tool has, in its name above all; of equals the first by name. */
function rank(tools: readonly RegisteredTool[], query: string): readonly RegisteredTool[] {
  const words = [...new Set(wordsOf(query))];
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, words) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.contract.id < b.tool.contract.id ? -1 : 1))
    .map(({ tool }) => tool);
}

function scoreOf({ contract }: RegisteredTool, words: readonly string[]): number {
  const name = new Set(wordsOf(contract.id));
  const text = contract.description.toLowerCase();
  const described = new Set(wordsOf(text));
  let score = 0;
  for (const word of words) {
    if (name.has(word)) score += 8;
    else if ([...name].some((part) => part.startsWith(word) || word.startsWith(part))) score += 4;
    if (described.has(word)) score += 3;
    else if (word.length > 3 && text.includes(word)) score += 1;
  }
  return score;
}

function wordsOf(text: string): string[] {
  return (
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter((word) => word.length > 1);
}

/** The server's own words, without the sentence before them that says whose they are. */
function lineOf(description: string): string {
  const own = /«(.*)»$/s.exec(description)?.[1] ?? description;
  const line = showLine(own.replaceAll(/\s+/g, " ").trim());
  return line.length <= LINE_CHARS_MAX ? line : `${line.slice(0, LINE_CHARS_MAX).toWellFormed()}…`;
}
