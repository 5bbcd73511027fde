import type { ToolContract } from "@elwood/core/tool/tool";
import { commentText } from "./schema-type.ts";

const MARKS = { read: "", write: "!", destructive: "!!" } as const;

/**
 * The names of all tools, for a prompt that cannot hold their declarations: one line per
 * resource, such as `files.file: read, write!, delete!!`. Where even the names are too
 * many, the integrations with the most tools are told by number only.
 */
export function indexText(
  contracts: readonly ToolContract[],
  discovery: { readonly search: string; readonly describe: string },
  bytesMax: number,
): string {
  const head = `/* Tools: call tools.<integration>.<resource>.<action>(input). "!" writes, "!!" is destructive.
   Their types are not shown here. Find tools with tools.${discovery.search}({ query: "words" }), and read the
   declarations of those you need with tools.${discovery.describe}({ ids: ["files.file.read"] }) before calling them.
`;
  const integrations = new Map<string, Map<string, string[]>>();
  for (const { id, risk } of contracts.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const parts = id.split(".");
    const resources = integrations.get(parts[0]!) ?? new Map<string, string[]>();
    integrations.set(parts[0]!, resources);
    const resource = parts.slice(0, -1).join(".");
    resources.set(resource, [...(resources.get(resource) ?? []), parts.at(-1)! + MARKS[risk]]);
  }
  const blocks = [...integrations].map(([name, resources]) => {
    const actions = [...resources.values()].flat().length;
    const lines = [...resources].map(
      ([resource, names]) => `   ${commentText(`${resource}: ${names.join(", ")}`, 4_000)}\n`,
    );
    return { full: lines.join(""), brief: `   ${name}: ${actions} tools\n` };
  });
  // The longest blocks give way first, so that as many integrations as possible are told in full.
  const shown = blocks.map((block) => block.full);
  const total = () => head.length + shown.reduce((sum, each) => sum + each.length, 0);
  const longest = [...blocks.keys()].toSorted(
    (a, b) => blocks[b]!.full.length - blocks[a]!.full.length || a - b,
  );
  for (const i of longest) {
    if (total() + TAIL.length <= bytesMax) break;
    shown[i] = blocks[i]!.brief;
  }
  const kept: string[] = [];
  let size = head.length + TAIL.length + OMITTED.length;
  for (const block of shown) {
    size += block.length;
    if (size > bytesMax) {
      kept.push(OMITTED);
      break;
    }
    kept.push(block);
  }
  return head + kept.join("") + TAIL;
}

const TAIL = "*/\n";
const OMITTED = "   and more: search for them\n";
