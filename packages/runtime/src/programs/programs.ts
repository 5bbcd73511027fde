import type { ProgramError } from "@elwood/core/tool/program";
import type { DryRunSeed } from "@elwood/core/tool/plan";
import type { Result } from "@elwood/core/base/result";
import type { ToolResult } from "@elwood/core/tool/tool";
import type { CallRow, Ending, ToolSnapshot, Vault } from "../ports/gate-ports.ts";
import type { Log, ToolCallContext } from "../ports/ports.ts";
import type {
  CheckedProgram,
  DryRunResult,
  ProgramCallPort,
  ProgramEnd,
  ProgramRunner,
} from "../ports/program-runner.ts";
import { Execution, type ProgramDeps } from "./execution.ts";
import type { ProgramStart } from "../ports/program-journal.ts";
import type { ProgramEnding } from "../ports/sandbox.ts";
import { outerCallId, programToolIds } from "../gate/program-tools.ts";
import { DryRun, type DryRunDeps } from "./dry-run.ts";

export interface ProgramsDeps extends Omit<ProgramDeps, "callPort">, DryRunDeps {
  readonly check: ProgramRunner["check"];
  readonly vault: Vault;
  readonly log: Log;
  /** Random text. */
  readonly seed: () => string;
}

/** Runs programs from their first line to their end, over any number of restarts. */
export class Programs implements ProgramRunner {
  readonly #deps: ProgramsDeps;

  constructor(deps: ProgramsDeps) {
    this.#deps = deps;
  }

  check(source: string, toolSnapshot: ToolSnapshot): Promise<Result<CheckedProgram, string>> {
    return this.#deps.check(source, toolSnapshot);
  }

  async run(
    row: CallRow,
    toolSnapshot: ToolSnapshot,
    context: ToolCallContext,
    callPort: ProgramCallPort,
    seen?: DryRunSeed,
  ): Promise<ProgramEnd | undefined> {
    const { journal, vault, log } = this.#deps;
    const { tenant } = context;
    const begun = await this.#begin(row, toolSnapshot, tenant, seen);
    if (!begun.ok) return end({ kind: "failed", code: "program.check", message: begun.error });
    const start = begun.value;
    const javascript = (await vault.open(tenant, row.callId, start.javascript)) as string;
    for (let attempt = 1; ; attempt++) {
      const steps = (await journal.find(tenant, row.callId))?.steps ?? [];
      const execution = new Execution({ ...this.#deps, callPort }, start, steps, context);
      const executed = await execution.run(javascript);
      if (executed.kind === "deferred") return undefined;
      if (executed.kind === "diverged") {
        const { sourceHash } = start;
        return end({ kind: "failed", code: "program.diverged", message: executed.why }, [
          { type: "run.diverged", payload: { toolId: row.toolId, sourceHash, reason: executed.why } },
        ]);
      }
      const { outcome } = executed.ending;
      if (outcome.ok)
        return end({
          kind: "succeeded",
          result: formatProgramResult(outcome.value, executed.ending, execution),
          images: execution.images,
        });
      if (!outcome.error.rerun || attempt >= EXECUTIONS_MAX || context.signal.aborted)
        return end(failedBy(outcome.error, execution));
      log.warn("a program is run again from its journal", { call: row.callId, code: outcome.error.code });
      await this.#deps.clock.sleep(RERUN_MS * attempt, context.signal);
    }
  }

  dryRun(
    checked: CheckedProgram,
    callId: string,
    toolSnapshot: ToolSnapshot,
    context: ToolCallContext,
    callPort: ProgramCallPort,
    readsBefore: number,
  ): Promise<DryRunResult> {
    const { javascript } = checked;
    const seen: DryRunSeed = { startedAt: this.#deps.clock.now(), seed: this.#deps.seed() };
    const dryRun = new DryRun(this.#deps, callPort, toolSnapshot, context, callId, readsBefore);
    return dryRun.run({ javascript, toolIds: programToolIds(toolSnapshot), seen });
  }

  async drop(tenant: string, callId: string): Promise<void> {
    try {
      await this.#deps.journal.drop(tenant, callId);
    } catch (error) {
      this.#deps.log.error("could not remove the journal of a program that ended", { call: callId, error });
    }
  }

  async sweep(tenant: string, open: ReadonlySet<string>): Promise<void> {
    for (const callId of await this.#deps.journal.held(tenant))
      if (!open.has(outerCallId(callId))) await this.drop(tenant, callId);
  }

  async #begin(
    row: CallRow,
    toolSnapshot: ToolSnapshot,
    tenant: string,
    seen: DryRunSeed | undefined,
  ): Promise<Result<ProgramStart, string>> {
    const { journal, vault, clock, seed } = this.#deps;
    const found = await journal.find(tenant, row.callId);
    if (found) return { ok: true, value: found.start };
    const { source } = (await vault.open(tenant, row.callId, row.executedInput)) as { source: string };
    const checked = await this.check(source, toolSnapshot);
    if (!checked.ok) return checked;
    const { javascript, sourceHash, declarationsHash } = checked.value;
    const { start } = await journal.begin(tenant, {
      callId: row.callId,
      runId: row.runId,
      startedAt: seen?.startedAt ?? clock.now(),
      seed: seen?.seed ?? seed(),
      javascript: (await vault.storeSecrets(tenant, row.callId, javascript)) as string,
      toolIds: programToolIds(toolSnapshot),
      sourceHash,
      declarationsHash,
    });
    return { ok: true, value: start };
  }
}

const EXECUTIONS_MAX = 3;
/** Before the second execution; the third waits twice as long. */
const RERUN_MS = 500;
const TEXT_CHARS_MAX = 30_000;
const LINES_TOLD_MAX = 50;

function end(ending: Ending, receipts: ProgramEnd["receipts"] = []): ProgramEnd {
  return { ending, receipts };
}

function formatProgramResult(
  value: unknown,
  { spent, detached }: ProgramEnding,
  execution: Execution,
): ToolResult {
  // A text as it is: escaped, its lines are hard to read and cost more.
  const told = typeof value === "string" ? value : value === undefined ? undefined : JSON.stringify(value);
  const parts = [
    told === undefined ? "The program ended. It returned nothing." : `The program returned:\n${told}`,
    ...(detached > 0
      ? [`${detached} of its calls had not ended when it returned; they were waited for.`]
      : []),
    ...consoleOf(execution),
  ];
  const text = parts.join("\n\n");
  return {
    value: { result: value ?? null, calls: spent.calls },
    text: text.slice(0, TEXT_CHARS_MAX),
    ...(text.length > TEXT_CHARS_MAX ? { truncated: true } : {}),
  };
}

function failedBy({ code, message, line, column }: ProgramError, execution: Execution): Ending {
  const where =
    line === undefined ? "" : ` (line ${line}${column === undefined ? "" : `, column ${column}`})`;
  const parts = [
    `The program did not finish: ${message}${where} Calls that it made before stay as they are; they are listed below.`,
    ...consoleOf(execution),
  ];
  return { kind: "failed", code, message: parts.join("\n\n").slice(0, TEXT_CHARS_MAX) };
}

function consoleOf({ lines }: Execution): string[] {
  if (lines.length === 0) return [];
  const left = lines.length - LINES_TOLD_MAX;
  const note = left > 0 ? [`(${left} lines before these are left out)`] : [];
  return [["Console:", ...note, ...lines.slice(-LINES_TOLD_MAX)].join("\n")];
}
