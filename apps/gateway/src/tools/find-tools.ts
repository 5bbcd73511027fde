import { LIMITS } from "@elwood/core/base/limits";
import type { CallResult } from "@elwood/core/tool/program";
import { safelyParse } from "@elwood/core/base/safe-parse";
import type { ToolSnapshot } from "@elwood/runtime/gate/ports";
import { describeTools, searchTools } from "@elwood/runtime/programs/tool-search";
import { z } from "zod";

const SEARCH = z.strictObject({
  query: z.string().max(LIMITS.searchQueryCharsMax),
  limit: z.number().int().optional(),
});
const DESCRIBE = z.strictObject({ ids: z.array(z.string().max(200)).max(100) });

/** Tools by words, or their declarations: only those that the program has. */
export function findTools(
  kind: "search" | "describe",
  input: unknown,
  toolIds: readonly string[],
  toolSnapshot: ToolSnapshot,
): CallResult {
  const contracts = toolSnapshot
    .list()
    .flatMap(({ contract }) => (toolIds.includes(contract.id) ? [contract] : []));
  if (kind === "search") {
    const asked = safelyParse(SEARCH, input);
    if (!asked.success) return invalid('Write tools.search({ query: "words" }).');
    return { ok: true, value: { tools: searchTools(contracts, asked.data.query, asked.data.limit) } };
  }
  const asked = safelyParse(DESCRIBE, input);
  if (!asked.success) return invalid('Write tools.describe({ ids: ["files.file.read"] }).');
  return { ok: true, value: describeTools(contracts, asked.data.ids) };
}

function invalid(message: string): CallResult {
  return { ok: false, error: { code: "invalid", message, retryable: false, status: "invalid" } };
}
