import { type CallResult, PROGRAM_LIMITS } from "@elwood/core/tool/program";
import { err, ok } from "@elwood/core/base/result";
import { verdictText } from "@elwood/runtime/programs/checker-port";
import { Programs } from "@elwood/runtime/programs/programs";
import { ProcessChecker } from "@elwood/isolation/checker/program-checker";
import { SandboxPool } from "@elwood/isolation/quickjs/pool";
import { sha256 } from "@elwood/platform/system";
import type { MakeProgramsDeps } from "./make-programs.ts";
import type { Declarations } from "./offer.ts";
import { LIMITS } from "@elwood/core/base/limits";
import { safelyParse } from "@elwood/core/base/safe-parse";
import type { ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import { describeTools, searchTools } from "@elwood/runtime/programs/tool-search";
import { z } from "zod";

/** Everything that programs need, once there is one. Its processes start with the first program still. */
export function makeRunner(
  deps: MakeProgramsDeps,
  declarations: Declarations,
): { readonly programs: Programs; close(): Promise<void> } {
  const { clock, log, toolSnapshot } = deps;
  const checker = new ProcessChecker({ clock, log });
  const sandbox = new SandboxPool({ clock, log });
  const programs = new Programs({
    ...deps,
    sha256,
    limits: PROGRAM_LIMITS,
    sandbox,
    async check(source, given) {
      const verdict = await checker.check({ source, declarations: declarations.of(given) });
      return verdict.ok ? ok(verdict) : err(verdictText(verdict));
    },
    find: (kind, input, toolIds) => findTools(kind, input, toolIds, toolSnapshot()),
  });
  return {
    programs,
    async close() {
      await Promise.all([checker.close(), sandbox.close()]);
    },
  };
}

const SEARCH = z.strictObject({
  query: z.string().max(LIMITS.searchQueryCharsMax),
  limit: z.number().int().optional(),
});
const DESCRIBE = z.strictObject({ ids: z.array(z.string().max(200)).max(100) });

/** Tools by words, or their declarations: only those that the program has. */
function findTools(
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
