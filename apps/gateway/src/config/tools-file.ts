import { basename, join } from "node:path";
import { pathKey, readFileLayer, type FileLayer, type Setting } from "./file-layer.ts";
import { exists, readConfigFile } from "./find-file.ts";
import { parseSettings } from "./parse-settings.ts";
import { dotted, problemAt, type ConfigProblem } from "./problem.ts";
import type { LazyGroup } from "./schema-walk.ts";
import type { FileEntry, FileNode } from "./yaml-file.ts";

export const TOOLS_FILE = "tools.yaml";

/**
 * `tools.yaml` beside the settings file: what tools may do, in a file of its own. It has the groups of the settings
 * that are about tools, and beside them, or under `tool_policy`, names of tools with allow, ask or deny. One in the
 * workspace is not read, because tools can change files there.
 */
export async function readToolsFile(folder: string, schema: LazyGroup): Promise<FileLayer | undefined> {
  const path = join(folder, TOOLS_FILE);
  if (!(await exists(path))) return undefined;
  const text = await readConfigFile(path);
  if (!text.ok) return { settings: [], places: new Map(), problems: [text.error] };
  const parsed = await parseSettings(text.value, path);
  const sorted = sortEntries(parsed.root.entries, path);
  const layer = readFileLayer({ ...parsed.root, entries: sorted.entries }, path, schema);
  return { ...layer, problems: [...parsed.problems, ...sorted.problems, ...layer.problems] };
}

/** Both files as one. What both set is a mistake, since either could be the one that was meant. */
export function withToolsFile(settings: FileLayer, tools: FileLayer): FileLayer {
  const problems = tools.settings.flatMap(({ path, place }): ConfigProblem[] => {
    const twice = settings.settings.find((other) => overlap(other.path, path))?.place;
    if (twice?.kind !== "file") return [];
    const saying = `and \`${twice.written}\` in ${basename(twice.file)}:${twice.line} set the same thing. Keep one of the two.`;
    return [problemAt(place, dotted(path), saying)];
  });
  return {
    settings: [...settings.settings, ...tools.settings],
    places: new Map([...tools.places, ...settings.places]),
    problems: [...settings.problems, ...tools.problems, ...problems],
  };
}

function overlap(a: Setting["path"], b: Setting["path"]): boolean {
  const length = Math.min(a.length, b.length);
  return pathKey(a.slice(0, length)) === pathKey(b.slice(0, length));
}

const TOOL_GROUPS: ReadonlySet<string> = new Set([
  "permissions",
  "policy",
  "tools",
  "mcp_servers",
  "mcpServers",
  "integrations",
  "programs",
  "shell",
  "files",
  "web",
  "browser",
]);
const POLICY_KEYS: ReadonlySet<string> = new Set(["tool_policy", "toolPolicy"]);
const DECISIONS: ReadonlySet<unknown> = new Set(["allow", "ask", "deny"]);

/** Puts decisions about single tools where the settings have them. */
function sortEntries(
  entries: readonly FileEntry[],
  file: string,
): { readonly entries: readonly FileEntry[]; readonly problems: readonly ConfigProblem[] } {
  const groups: FileEntry[] = [];
  const decisions: FileEntry[] = [];
  const problems: ConfigProblem[] = [];
  for (const entry of entries) {
    const { key, node } = entry;
    if (POLICY_KEYS.has(key) && node.kind === "group") decisions.push(...node.entries);
    else if (TOOL_GROUPS.has(key)) groups.push(entry);
    else if (node.kind === "value" && DECISIONS.has(node.value)) decisions.push(entry);
    else {
      const place = { kind: "file", file, ...entry.at, written: key, path: [key] } as const;
      const saying =
        "is neither a tool with allow, ask or deny nor a group of settings about tools. The rest belongs in the settings file.";
      problems.push(problemAt(place, key, saying));
    }
  }
  return { entries: decisions.length === 0 ? groups : withDecisions(groups, decisions), problems };
}

function withDecisions(groups: readonly FileEntry[], decisions: readonly FileEntry[]): FileEntry[] {
  const { at } = decisions[0]!;
  const own = groups.find(({ key, node }) => key === "permissions" && node.kind === "group");
  const before = own?.node.kind === "group" ? own.node.entries : [];
  const policy = before.find(({ key, node }) => POLICY_KEYS.has(key) && node.kind === "group");
  const all = [...(policy?.node.kind === "group" ? policy.node.entries : []), ...decisions];
  const entries = [
    ...before.filter((entry) => entry !== policy),
    { key: "tool_policy", at: policy?.at ?? at, node: groupOf(all, at) },
  ];
  const permissions = { key: "permissions", at: own?.at ?? at, node: groupOf(entries, at) };
  return [...groups.filter((entry) => entry !== own), permissions];
}

function groupOf(entries: readonly FileEntry[], at: FileNode["at"]): FileNode {
  return { kind: "group", entries, at };
}
