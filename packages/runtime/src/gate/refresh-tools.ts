import type { RegisteredTool, ToolSnapshot } from "../ports/gate-ports.ts";

/** A run's pinned tools, with those it has loaded itself replaced by their current version. */
export function withRefreshedTools(
  { pinnedTools, toRefresh }: { readonly pinnedTools: ToolSnapshot; readonly toRefresh: ReadonlySet<string> },
  offered: ReadonlyMap<string, RegisteredTool>,
): ReadonlyMap<string, RegisteredTool> {
  const tools = new Map(pinnedTools.list().map((tool) => [tool.contract.id, tool]));
  for (const id of toRefresh) {
    const tool = offered.get(id);
    if (tool) tools.set(id, tool);
  }
  return tools;
}
