import { LIMITS } from "@elwood/core/limits";
import { PROGRAM_LIMITS, type CallResult } from "@elwood/core/program";
import type { Redactor } from "@elwood/core/redact";
import { err, ok } from "@elwood/core/result";
import { safelyParse } from "@elwood/core/safe-parse";
import type { ToolTable, Vault } from "@elwood/runtime/gate/ports";
import type { BlobStore, Clock, Log } from "@elwood/runtime/ports";
import { verdictText, type ProgramChecker } from "@elwood/runtime/programs/checker-port";
import type { ProgramJournal } from "@elwood/runtime/programs/journal";
import type { Sandbox } from "@elwood/runtime/programs/ports";
import { Programs } from "@elwood/runtime/programs/programs";
import type { RehearsalDeps } from "@elwood/runtime/programs/rehearsal";
import { describeTools, searchTools } from "@elwood/runtime/programs/tool-search";
import { z } from "zod";
import { sha256 } from "../state/system.ts";
import { Declarations } from "./offer.ts";

export interface MakeProgramsDeps {
  readonly journal: ProgramJournal;
  readonly blobs: BlobStore;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
  readonly verdictFor: RehearsalDeps["verdictFor"];
  readonly seed: () => string;
  /** The tools there are now. */
  readonly table: () => ToolTable;
}

export interface MadePrograms {
  readonly programs: Programs;
  readonly declarations: Declarations;
  close(): Promise<void>;
}

/** All that programs need. The compiler, the engine and their processes are loaded when the first program comes. */
export function makePrograms(deps: MakeProgramsDeps): MadePrograms {
  const { clock, log, table } = deps;
  const declarations = new Declarations(sha256);
  let checker: Promise<ProgramChecker> | undefined;
  let pool: Promise<Sandbox> | undefined;
  const checking = () =>
    (checker ??= import("../checker/program-checker.ts").then(
      ({ ProcessChecker }) => new ProcessChecker({ clock, log }),
    ));
  const sandboxes = () =>
    (pool ??= import("../sandbox/pool.ts").then(({ SandboxPool }) => new SandboxPool({ clock, log })));
  const programs = new Programs({
    ...deps,
    sha256,
    limits: PROGRAM_LIMITS,
    sandbox: {
      run: async (program, host, signal) => (await sandboxes()).run(program, host, signal),
      close: async () => (await pool)?.close(),
    },
    async check(source, given) {
      const verdict = await (await checking()).check({ source, declarations: declarations.of(given) });
      return verdict.ok ? ok(verdict) : err(verdictText(verdict));
    },
    find: (kind, input, toolIds) => find(kind, input, toolIds, table()),
  });
  return {
    programs,
    declarations,
    async close() {
      await Promise.all([checker?.then((each) => each.close()), pool?.then((each) => each.close())]);
    },
  };
}

const SEARCH = z.strictObject({
  query: z.string().max(LIMITS.searchQueryCharsMax),
  limit: z.number().int().optional(),
});
const DESCRIBE = z.strictObject({ ids: z.array(z.string().max(200)).max(100) });

/** Tools by words, or their declarations: only those that the program has. */
function find(
  kind: "search" | "describe",
  input: unknown,
  toolIds: readonly string[],
  table: ToolTable,
): CallResult {
  const contracts = table.list().flatMap(({ contract }) => (toolIds.includes(contract.id) ? [contract] : []));
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
