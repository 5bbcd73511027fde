import { canonicalJson } from "@elwood/core/base/canonical-json";
import { sha256 } from "@elwood/platform/system";
import { z } from "zod";
import { MCP_LIMITS } from "./limits.ts";

/** A tool as its server lists it: all of it is the server's word, and pinned as a whole. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

const NAME_CHARS_MAX = 512;

export const listedTool = () =>
  z.object({
    name: z.string().min(1).max(NAME_CHARS_MAX),
    title: z.string().optional(),
    description: z.string().optional(),
    inputSchema: z.record(z.string(), z.unknown()),
    outputSchema: z.record(z.string(), z.unknown()).optional(),
    annotations: z.record(z.string(), z.unknown()).optional(),
  });

/** What of a list can be used, in the order of the names: what a model is shown stays the same from start to start. */
export function readList(tools: readonly unknown[]): {
  readonly tools: readonly ListedTool[];
  readonly problems: readonly string[];
} {
  const shape = listedTool();
  const known = new Map<string, ListedTool>();
  const problems: string[] = [];
  let broken = 0;
  for (const tool of tools) {
    const read = shape.safeParse(tool);
    if (!read.success) broken += 1;
    else if (known.has(read.data.name)) problems.push("it lists two tools of one name; the first one counts");
    else known.set(read.data.name, read.data);
  }
  const sorted = [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const { toolsPerServerMax } = MCP_LIMITS;
  if (sorted.length > toolsPerServerMax)
    problems.push(
      `it lists ${sorted.length} tools; ${sorted.length - toolsPerServerMax} of them were left out`,
    );
  const taken = sorted.slice(0, toolsPerServerMax);
  const usable = taken.filter(isWritable);
  broken += taken.length - usable.length;
  if (broken > 0)
    problems.push(`${broken} of its tools are not described as the protocol wants it, and were left out`);
  return { tools: usable, problems: [...new Set(problems)] };
}

/** Nothing that cannot be hashed can be pinned: half a character, or thousands of brackets. */
function isWritable(tool: ListedTool): boolean {
  try {
    pinOf("", tool);
    return true;
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof RangeError) return false;
    throw cause;
  }
}

/** What the owner grants: every word of the tool, and which server it is of. */
export function pinOf(
  server: string,
  { name, title, description, inputSchema, outputSchema, annotations }: ListedTool,
) {
  const whole = { server, name, title, description, inputSchema, outputSchema, annotations };
  const said = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
  return sha256(`elwood.mcp-tool.v1\n${canonicalJson(said)}`);
}
