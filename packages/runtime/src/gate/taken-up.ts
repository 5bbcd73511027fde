import type { RegisteredTool, ToolTable } from "./ports.ts";

/** What a run held, with the tools that it had loaded itself as they are now. Nothing else changes under it. */
export function takenUp(
  { holds, takesUp }: { readonly holds: ToolTable; readonly takesUp: ReadonlySet<string> },
  offered: ReadonlyMap<string, RegisteredTool>,
): ReadonlyMap<string, RegisteredTool> {
  const tools = new Map(holds.list().map((tool) => [tool.contract.id, tool]));
  for (const id of takesUp) {
    const tool = offered.get(id);
    if (tool) tools.set(id, tool);
  }
  return tools;
}
