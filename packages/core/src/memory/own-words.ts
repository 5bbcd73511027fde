import type { TrustLabels } from "../tool/tool.ts";

export const SEARCH_TOOL = "memory.note.search";
export const GET_TOOL = "memory.note.get";

/**
 * The labels of a call that has been made. Memory can hold words of others, so its tools are
 * labelled for the worst; but a call that gave back nothing but what the owner and the agent
 * said themselves brought in nothing of others. Without that, whoever looks something up
 * first could never write down a thing that counts as their own.
 */
export function labelsOfRead(toolId: string, labels: TrustLabels, value: unknown): TrustLabels {
  if (toolId !== SEARCH_TOOL && toolId !== GET_TOOL) return labels;
  return holdsOnlyOwnWords(value) ? { ...labels, output: "trusted" } : labels;
}

/** Every `origin` in it, at any depth, is the owner's or the agent's, and there is nothing of a shape that has none. */
function holdsOnlyOwnWords(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("lines" in value) || !Array.isArray(value.lines))
    return false;
  return value.lines.every(
    (line: unknown) =>
      typeof line === "object" &&
      line !== null &&
      "origin" in line &&
      (line.origin === "owner" || line.origin === "agent"),
  );
}
