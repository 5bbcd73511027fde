import type { TrustLabels } from "../tool/tool.ts";

export const SEARCH_TOOL = "memory.note.search";
export const GET_TOOL = "memory.note.get";

/**
 * The labels of a finished call. Memory can contain text of others, so its tools are labelled untrusted;
 * but a call that returned only lines of the owner and the agent is trusted. Otherwise nothing written
 * after a memory search could count as the owner's.
 */
export function labelsOfMemoryRead(toolId: string, labels: TrustLabels, value: unknown): TrustLabels {
  if (toolId !== SEARCH_TOOL && toolId !== GET_TOOL) return labels;
  return hasOnlyTrustedLines(value) ? { ...labels, output: "trusted" } : labels;
}

/** Every `origin` in it, at any depth, is the owner's or the agent's, and there is nothing of a shape that has none. */
function hasOnlyTrustedLines(value: unknown): boolean {
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
